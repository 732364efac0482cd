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
  /// The store has recorded that these entries, which `admit` chose, may now reach the server.
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
  /// Put all of these into the store, or none. The effects after this one rely on it.
  case store([NetworkEvent])
  case send([IRCLine])
  /// The server has said what it is and can do, so deliver what waits in the store.
  case ready
  /// The client can accept more entries of the outbox.
  case wantsOutbox
  /// Keep these passwords of rooms, by address, instead of the ones from before.
  case keys([String: String])
  case status(AccountStatus)
  /// Post a file to the address, then report `.uploaded`; one at a time.
  case upload(FileUpload)
  case cancelUpload(OutboxEntry.ID)
  /// Send `.tick` at this time, on the clock that `handle` is given. Replaces the previous `.wake`.
  case wake(at: Milliseconds)
  /// The bouncer has a network with this id and these facts; nil if it no longer has it.
  case network(String, [String: String]?)
  /// The bouncer has listed all its networks.
  case listedNetworks
  /// End the connection; the reason is a sentence for the owner.
  case hangUp(String)
}

/// Something that the client does later.
enum IRCAlarm: Hashable, Sendable {
  /// The throttle lets another line go out.
  case throttle
  /// The server is silent: first ask whether it is there, then give up.
  case silence, noAnswer
  /// The server's greeting has not ended.
  case greeting
  /// Lines that the server has not answered.
  case answers
  /// Rooms that the server has not let the owner into.
  case entering
  /// Lists of names that have not ended.
  case names
  /// A shell's request that the server has not answered.
  case request
  /// A question about the history that the server has not answered.
  case history
  /// Ask which of the watched people are online.
  case watch
  /// People who left to get a new host have not returned.
  case hosts
  /// Ask again who has a nick.
  case holders
  /// Upload a file again.
  case upload
  /// Tell the server again how far the owner has read.
  case markers
  /// Let the store count the requests from strangers.
  case strangers
}
