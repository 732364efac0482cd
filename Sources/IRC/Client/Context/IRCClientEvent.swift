// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Networks

/// What an ``IRCClient`` reacts to.
package enum IRCClientEvent: Sendable {
  case up(Login.Welcome)
  /// The connection is gone. Lines without an answer may or may not have arrived.
  case down
  /// Lines that arrived together.
  case lines([IRCLine])
  /// The store knows that the server may get these entries of the outbox, which `admit` has chosen.
  /// The event carries no entries: the server may have answered some of them by now.
  case tried(Set<OutboxEntry.ID>)
  /// The requests of the owner's shells; the client recognises repeated ones by their ids.
  case requests([NetworkRequest])
  case signals([NetworkSignal])
  /// The upload of an entry's file has ended, with its link.
  case uploaded(OutboxEntry.ID, Result<String, UploadFailure>)
  /// The time given by `.wake` has come.
  case tick
}

/// Something that an ``IRCClient`` wants done. Carry out effects in order.
package enum IRCClientEffect: Hashable, Sendable {
  /// Put these into the store, all of them or none. The effects after this one rely on that.
  case store([NetworkEvent])
  case send([IRCLine])
  /// The server has said what it is and can do: what waits in the store may be delivered.
  case ready
  /// More of the outbox can be taken.
  case wantsOutbox
  /// Keep the passwords of the rooms, by address: all that are known now.
  case keys([String: String])
  case status(AccountStatus)
  /// Post a file to the address, then report `.uploaded`; one at a time.
  case upload(FileUpload)
  case cancelUpload(OutboxEntry.ID)
  /// Send `.tick` at this time, on the clock that `handle` is given. Replaces the previous `.wake`.
  case wake(at: Milliseconds)
  /// A bouncer has a network, with these facts; nil if it has it no longer.
  case network(String, [String: String]?)
  /// A bouncer has named all its networks.
  case listedNetworks
  /// End the connection; the reason is a sentence for the owner.
  case hangUp(String)
}

/// Something that the client does later.
enum IRCAlarm: Hashable, Sendable {
  /// The server may take another line.
  case throttle
  /// The server is silent: ask whether it is there; then give up.
  case silence, noAnswer
  /// The end of the server's greeting did not come.
  case greeting
  /// Lines without an answer.
  case answers
  /// Rooms that the server has not let the owner into.
  case entering
  /// A shell's request without an answer.
  case request
  /// A question about the history without an answer.
  case history
  /// Ask who is online of those that the client watches.
  case watch
  /// Upload a file again.
  case upload
  /// Let the store count what strangers sent.
  case strangers
}
