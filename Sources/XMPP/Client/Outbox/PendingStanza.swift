// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Networks

/// What the owner wrote, on its way to the server.
struct PendingStanza: OutgoingItem {
  enum State: Sendable {
    case waiting
    case inFlight
    /// The server has it; a late error or the room's echo may follow.
    case accepted
  }

  var state = State.waiting
  var entry: OutboxEntry
  /// The id of its stanza, the same for each attempt.
  let stanzaID: String
  let to: Address
  let isRoom: Bool
  /// Whether `to` is the entry's address, and one can write to it.
  let hasAddress: Bool
  private(set) var sentAt: Milliseconds = 0
  private(set) var bytes = 0
  /// Its encrypted form; nil until it is sent in an encrypted chat.
  var sealed: Element?
  var isSealed: Bool { sealed != nil }
  /// It was in flight when the server ended a connection, so it is sent alone from then on.
  var mayBreakConnection = false
  /// How many connections broke right after it was sent.
  var breaks = 0
  /// How often the room returned it because it no longer knew the owner.
  var returns = 0
  /// It left the outbox while it was in flight, and is not sent again.
  private(set) var isCancelled = false
  /// The server had it, and the store knows that; then the room returned it.
  var isResend = false

  init(_ entry: OutboxEntry) {
    self.entry = entry
    stanzaID = entry.origin
    let (name, isRoom) =
      switch entry.conversation {
      case .room(let name): (name, true)
      case .direct(let name): (name, false)
      }
    self.isRoom = isRoom
    let address = Address(name)
    to = address ?? Address(domain: name)
    hasAddress = address.map { !isRoom || $0.resource.isEmpty } ?? false
  }

  var destination: Encryption.Destination { isRoom ? .room(to.bare) : .person(to.bare) }

  var archive: ArchiveKey { isRoom ? .room(to) : .account }

  var isWaiting: Bool { state == .waiting }
  var isRecallable: Bool { isWaiting && !isResend }
  /// Whether others may have the message, though no server has confirmed it: this process or an
  /// earlier one has sent it.
  var mayHaveArrived: Bool { entry.operation == .send && (entry.wasTried || bytes > 0) }
  var lineCount: Int { 1 }

  /// The stanza may still arrive; then it has to be retracted there as well.
  mutating func cancel() { if !isResend { isCancelled = true } }

  mutating func noteSent(bytes: Int, at time: Milliseconds) {
    state = .inFlight
    (self.bytes, sentAt) = (bytes, time)
    // An echo shows this text from now on.
    entry.wasTried = false
  }

  /// Whether it is in a conversation. The store has addresses as someone typed them.
  func isIn(_ conversation: ConversationAddress) -> Bool {
    switch conversation {
    case .room(let name): isRoom && to == Address(name)
    case .direct(let name): !isRoom && to.bare == Address(name)?.bare
    }
  }

  /// Whether an error about it counts: only one from the address it was sent to, or from the
  /// server.
  ///
  /// - Parameter isServer: whether the server sent the error. Others in a room can also send
  ///   errors, from their nicknames.
  func mayBeRefused(by from: Address, isServer: Bool) -> Bool {
    isServer || (isRoom ? from == to : from.bare == to.bare)
  }
}
