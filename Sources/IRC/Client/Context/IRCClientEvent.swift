// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Networks

/// What an ``IRCClient`` reacts to.
enum IRCClientEvent: ClientEventKind {
  case up(Login.Welcome)
  /// The connection is gone. Lines without an answer may or may not have arrived.
  case down
  /// Lines that arrived together.
  case lines([IRCLine])
  case tried(Set<OutboxEntry.ID>)
  case requests([NetworkRequest])
  case signals([NetworkSignal])
  case uploaded(OutboxEntry.ID, Result<String, UploadFailure>)
  case tick
}

typealias IRCClientEffect = NetworkEffect<SessionAct>

/// What an ``IRCSession`` does for its client.
enum SessionAct: NetworkAct {
  case send([IRCLine])
  /// The server has said what it is and can do, so deliver what waits in the store.
  case ready
  /// The bouncer has a network with this id and these facts; nil if it no longer has it.
  case network(String, [String: String]?)
  /// The bouncer has listed all its networks.
  case listedNetworks
  /// End the connection; the reason is a sentence for the owner.
  case hangUp(Remark)
}

/// Something that the client does later.
enum IRCAlarm: NetworkAlarm {
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
  /// Tell the server again how far the owner has read.
  case markers
  case upload, strangers
}
