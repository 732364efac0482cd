// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Networks

/// What a ``Client`` reacts to.
package enum ClientEvent: Sendable {
  /// Logged in under this full address; `features` is `<stream:features/>` as sent after the login.
  case up(jid: Address, features: Element)
  /// The connection is gone. The server may or may not have what it did not acknowledge.
  case down
  /// The connection is gone because this side ended it: the server was silent, or the owner wanted
  /// it.
  case givenUp
  /// A stanza arrived.
  case stanza(Element)
  /// The first items of a long answer; `stanza` brings the rest.
  case part(Element)
  /// A stanza was too large to be read: its name and attributes, and its bytes.
  case skipped(Element, bytes: Int)
  /// The server has the stanzas that were sent with these payloads (XEP-0198).
  case acknowledged([OutboxEntry.ID])
  /// The upload of an entry's file has ended; the failure is nil if it worked.
  case uploaded(OutboxEntry.ID, UploadFailure?)
  /// Everything that is in the outbox now.
  case outbox([OutboxEntry])
  /// The store has recorded as tried the entries that `admit` chose, so that they can be sent.
  case tried(Set<OutboxEntry.ID>)
  /// The requests of the owner's shells; the client recognises repeated ones by their ids.
  case requests([NetworkRequest])
  case signals([NetworkSignal])
  /// The time given by `.wake` has come.
  case tick
}

/// Something that a ``Client`` wants done. Carry out effects in order.
package enum ClientEffect: Hashable, Sendable {
  /// Put these into the store, all of them or none. The effects after this one rely on that.
  case store([NetworkEvent])
  /// Write a stanza; report `.acknowledged` with the payload when the server has it.
  case send(Element, payload: OutboxEntry.ID?)
  /// More of the outbox can be sent once it is admitted and tried.
  case wantsOutbox
  /// Upload a file, then report `.uploaded`; one at a time.
  case upload(FileUpload)
  /// Stop the upload for this entry.
  case cancelUpload(OutboxEntry.ID)
  case status(AccountStatus)
  /// Send `.tick` at this time, on the clock that `handle` is given. Replaces the previous `.wake`.
  case wake(at: Milliseconds)
  /// End the connection; the reason is a sentence for the owner.
  case hangUp(String)
}

/// A room that the owner is in from the start.
package struct WantedRoom: Hashable, Sendable {
  package var address: String
  /// Empty for the account's own nickname.
  package var nick: String
  package var password: String

  package init(address: String, nick: String = "", password: String = "") {
    self.address = address
    self.nick = nick
    self.password = password
  }
}
