// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox

/// What a ``Client`` is told.
package enum ClientEvent: Sendable {
  /// Logged in, under this full address; the server offers these features of the stream
  /// (`<stream:features/>` after the login).
  case up(jid: Address, features: Element)
  /// The connection is gone. What was not acknowledged may have arrived, or not.
  case down
  /// The same, where it was ended here: because nothing came any more, or the owner wanted it so.
  case givenUp
  /// A stanza came.
  case stanza(Element)
  /// Some items of an answer came; `stanza` brings the rest of it.
  case part(Element)
  /// A stanza was too large to be read: its name and attributes, and its bytes.
  case skipped(Element, bytes: Int)
  /// The server has the stanzas that were sent with these payloads (XEP-0198).
  case acknowledged([OutboxEntry.ID])
  /// The file that `.upload` was about is where it should be, or is not.
  case uploaded(OutboxEntry.ID, UploadFailure?)
  /// All that is in the outbox now.
  case outbox([OutboxEntry])
  /// What the owner asks for; those already known are recognised by their ids.
  case requests([NetworkRequest])
  case signals([NetworkSignal])
  /// It is the time that `.wake` named, or later.
  case tick
}

/// What is to be done for a ``Client``, in this order.
package enum ClientEffect: Hashable, Sendable {
  /// Put these into the store, all of them or none. What is sent behind them relies on it.
  case store([NetworkEvent])
  /// Write a stanza, and say `.acknowledged` with the payload when the server has it.
  case send(Element, payload: OutboxEntry.ID?)
  /// Put a file at an address, and say `.uploaded`; one at a time.
  case upload(FileUpload)
  /// The file of this entry need not go any further.
  case cancelUpload(OutboxEntry.ID)
  case status(ClientStatus)
  /// Keep this with the account's settings: `rooms` is the server's service for rooms.
  case learned(String, String)
  /// Send `.tick` then; in the milliseconds that `handle` is given. Replaces the one before.
  case wake(at: Milliseconds)
  /// End the connection; the reason is a sentence for the owner.
  case hangUp(String)
}

/// How far a connection is.
package enum ClientStatus: Hashable, Sendable {
  /// Logged in; the first questions are under way.
  case connecting
  /// So many messages of archives have come, and more are to come; `percent`: how much is done,
  /// where it takes long.
  case catchingUp(messages: Int, percent: Int? = nil)
  /// So many rooms have not answered yet.
  case entering(rooms: Int)
  /// The server has not said yet where its rooms are.
  case exploring
  case ready
}

/// A room to be in from the start.
package struct WantedRoom: Hashable, Sendable {
  package var address: String
  /// Empty for the account's own.
  package var nick: String
  package var password: String

  package init(address: String, nick: String = "", password: String = "") {
    self.address = address
    self.nick = nick
    self.password = password
  }
}
