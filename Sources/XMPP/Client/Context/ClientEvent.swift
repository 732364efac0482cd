// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Networks

/// What a ``Client`` reacts to.
enum ClientEvent: ClientEventKind {
  /// Logged in under this full address; `features` is `<stream:features/>` as sent after the login.
  case up(jid: Address, features: Element)
  /// The connection is gone. The server may or may not have what it did not acknowledge.
  case down
  /// The connection is gone because this side ended it: the server was silent, or the owner wanted
  /// it.
  case givenUp
  /// Stanzas arrived together.
  case stanzas([Element])
  /// The first items of a long answer; `stanzas` brings the rest.
  case part(Element)
  /// A stanza was too large to be read: its name and attributes, and its bytes.
  case skipped(Element, bytes: Int)
  /// The server has the stanzas that were sent with these payloads (XEP-0198).
  case acknowledged([OutboxEntry.ID])
  case uploaded(OutboxEntry.ID, Result<String, UploadFailure>)
  case tried(Set<OutboxEntry.ID>)
  case requests([NetworkRequest])
  case signals([NetworkSignal])
  case tick
}

typealias ClientEffect = NetworkEffect<WireAct>

/// What an ``XMPPWire`` does for its client.
enum WireAct: Hashable, Sendable {
  /// Write a stanza; report `.acknowledged` with the payload when the server has it.
  case send(Element, payload: OutboxEntry.ID?)
  /// Write this into the file of keys, whatever becomes of the connection.
  case keep(KeyUpdate)
  /// End the connection; the reason is a sentence for the owner.
  case hangUp(Remark)
}

extension WireAct: NetworkAct {
  var endsWithConnection: Bool { if case .keep = self { false } else { true } }
}

/// A room that the owner is in from the start.
struct WantedRoom: Hashable, Sendable {
  var address: String
  /// Empty for the account's own nickname.
  var nick = ""
  var password = ""
}
