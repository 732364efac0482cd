// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// What the owner wrote and the server may not have yet. Entries of one conversation keep their
/// order.
struct Outbox: Sendable {
  private var stanzas: [OutboxEntry.ID: PendingStanza] = [:]
  /// How many sendings and acceptances there were; numbers them.
  private var count = 0

  /// In the order of the outbox.
  var waiting: [PendingStanza] {
    stanzas.values.filter(\.isWaiting).sorted { $0.entry.id < $1.entry.id }
  }
  /// In the order of sending.
  var inFlight: [PendingStanza] {
    stanzas.values.filter { $0.sending != nil }.sorted { $0.sending ?? 0 < $1.sending ?? 0 }
  }
  var resends: [PendingStanza] { stanzas.values.filter { $0.isPending && $0.isResend } }
  /// The stanzas that the server has, the last accepted one last.
  var accepted: [PendingStanza] {
    stanzas.values.filter { $0.acceptance != nil }.sorted {
      $0.acceptance ?? 0 < $1.acceptance ?? 0
    }
  }

  /// The stanza of an entry, unless the server is known to have it.
  subscript(id: OutboxEntry.ID) -> PendingStanza? {
    stanzas[id].flatMap { $0.isPending ? $0 : nil }
  }

  /// The stanza with this stanza id, even if the server already has it.
  func stanza(_ id: String) -> PendingStanza? {
    stanzas.values.first { $0.isPending && $0.stanzaID == id }
      ?? stanzas.values.first { $0.acceptance != nil && $0.stanzaID == id }
  }

  /// Whether an unacknowledged stanza may already be in an archive.
  func isUnderWay(in archive: ArchiveKey) -> Bool {
    stanzas.values.contains { $0.sending != nil && $0.archive == archive }
  }

  /// Notes everything that is in the outbox now.
  ///
  /// - Returns: the entries that have no address, and the messages that the store takes for ones
  ///   on their way, while nothing of them was sent or will be.
  mutating func update(
    to entries: [OutboxEntry]
  ) -> (wrong: [OutboxEntry], neverSent: [OutboxEntry]) {
    let ids = Set(entries.map(\.id))
    var neverSent: [OutboxEntry] = []
    for (id, stanza) in stanzas where !ids.contains(id) {
      switch stanza.state {
      case .waiting where !stanza.isResend:
        stanzas[id] = nil
        if stanza.isAdmitted, stanza.entry.operation == .send, !stanza.mayHaveArrived {
          neverSent.append(stanza.entry)
        }
      case .ended: stanzas[id] = nil
      // The stanza may still arrive; then it has to be retracted there as well.
      case .inFlight where !stanza.isResend: stanzas[id]?.isCancelled = true
      case .waiting, .inFlight, .accepted: break
      }
    }
    var wrong: [OutboxEntry] = []
    for entry in entries where stanzas[entry.id] == nil {
      var stanza = PendingStanza(entry)
      if !stanza.hasAddress {
        stanza.state = .ended
        wrong.append(entry)
      }
      stanzas[entry.id] = stanza
    }
    return (wrong, neverSent)
  }

  /// Notes that the store has recorded these entries as tried, so that they can be sent.
  mutating func noteTried(_ ids: Set<OutboxEntry.ID>) {
    for id in ids { stanzas[id]?.isAdmitted = true }
  }

  mutating func noteSent(_ id: OutboxEntry.ID, bytes: Int, at time: Milliseconds) {
    count += 1
    stanzas[id]?.noteSent(count, bytes: bytes, at: time)
  }

  /// Adds the address where others can fetch one more file of an entry.
  mutating func add(link: String, to id: OutboxEntry.ID) { stanzas[id]?.entry.links.append(link) }

  /// - Returns: the stanza, if it had not ended before.
  mutating func accept(_ id: OutboxEntry.ID) -> PendingStanza? {
    guard let stanza = self[id] else { return nil }
    count += 1
    stanzas[id]?.state = .accepted(count)
    let accepted = accepted
    if accepted.count > Limits.accepted {
      for old in accepted.prefix(Limits.accepted / 4) { stanzas[old.entry.id]?.state = .ended }
    }
    return stanza
  }

  /// - Returns: the stanza, if it had not ended before.
  mutating func end(_ id: OutboxEntry.ID) -> PendingStanza? {
    guard let stanza = stanzas[id], stanza.isPending || stanza.acceptance != nil else { return nil }
    stanzas[id]?.state = .ended
    return stanza
  }

  /// Puts back a stanza that the room returned: it is sent again when the owner has entered the
  /// room again.
  mutating func putBack(_ stanza: PendingStanza) {
    let id = stanza.entry.id
    stanzas[id]?.returns += 1
    if stanza.acceptance != nil { stanzas[id]?.isResend = true }
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
  }

  /// Entries that seem to break the connection. One that may be over a server's limit gets fewer
  /// tries than one that cannot be.
  var connectionKillers: [OutboxEntry.ID] {
    waiting.filter {
      let policy = $0.bytes >= Retry.longBytes ? Retry.longMessage : .message
      return !policy.allowsAnotherTry(after: $0.breaks)
    }.map(\.entry.id)
  }
}
