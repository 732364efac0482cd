// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Networks

/// What the owner wrote and the server may not have yet, and what it has accepted lately.
struct Outbox: Sendable {
  var stanzas = OutboxQueue<PendingStanza>()
  /// What the server has not acknowledged, in the order of sending.
  private(set) var sent: [OutboxEntry.ID] = []
  /// The stanzas that the server has, the last accepted one last. A late error or the room's echo
  /// may follow.
  private(set) var accepted: [PendingStanza] = []

  var inFlight: [PendingStanza] { sent.compactMap { stanzas[$0] } }

  /// The stanza with this stanza id, even if the server already has it.
  func stanza(_ id: String) -> PendingStanza? {
    stanzas.values.first { $0.stanzaID == id } ?? accepted.last { $0.stanzaID == id }
  }

  /// Whether an unacknowledged stanza may already be in an archive.
  func isUnderWay(in archive: ArchiveKey) -> Bool { inFlight.contains { $0.archive == archive } }

  mutating func noteSent(_ id: OutboxEntry.ID, bytes: Int, at time: Milliseconds) {
    sent.append(id)
    stanzas[id]?.noteSent(bytes: bytes, at: time)
  }

  /// - Returns: the stanza, if it had not ended before.
  mutating func accept(_ id: OutboxEntry.ID) -> PendingStanza? {
    guard var stanza = stanzas.end(id) else { return nil }
    sent.removeAll { $0 == id }
    stanza.state = .accepted
    accepted.append(stanza)
    if accepted.count > Limits.accepted { accepted.removeFirst(Limits.accepted / 4) }
    return stanza
  }

  /// - Returns: the stanza, if it had not ended before.
  mutating func end(_ id: OutboxEntry.ID) -> PendingStanza? {
    sent.removeAll { $0 == id }
    if let stanza = stanzas.end(id) { return stanza }
    return accepted.firstIndex { $0.entry.id == id }.map { accepted.remove(at: $0) }
  }

  /// Puts back a stanza that the room returned: it is sent again when the owner has entered the
  /// room again.
  mutating func putBack(_ stanza: PendingStanza) {
    let id = stanza.entry.id
    sent.removeAll { $0 == id }
    accepted.removeAll { $0.entry.id == id }
    stanzas[id] = stanza
    stanzas[id]?.returns += 1
    if stanza.state == .accepted { stanzas[id]?.isResend = true }
    stanzas[id]?.state = .waiting
  }

  /// Call this when the connection is gone. The first stanza that was not acknowledged may be the
  /// reason.
  ///
  /// - Parameter isTheirs: whether the server ended it.
  mutating func noteBreak(at time: Milliseconds, isTheirs: Bool) {
    for (index, stanza) in inFlight.enumerated() {
      let id = stanza.entry.id
      stanzas[id]?.state = .waiting
      if isTheirs {
        stanzas[id]?.mayBreakConnection = true
        if index == 0, time - stanza.sentAt <= Retry.blame { stanzas[id]?.breaks += 1 }
      }
      if stanza.isCancelled { stanzas[id] = nil }
    }
    sent = []
  }

  /// Entries that seem to break the connection. One that may be over a server's limit gets fewer
  /// tries than one that cannot be.
  var connectionKillers: [OutboxEntry.ID] {
    stanzas.all.filter {
      let policy = $0.bytes >= Retry.longBytes ? Retry.longMessage : .message
      return !policy.allowsAnotherTry(after: $0.breaks)
    }.map(\.entry.id)
  }
}
