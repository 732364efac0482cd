// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// What the owner wrote and the server may not have yet. Entries of one place keep their order.
struct Outbox: Sendable {
  struct Work: Sendable {
    var entry: OutboxEntry
    /// The id of its stanza, the same each time.
    var stanzaID: String
    var to: Address
    var isRoom: Bool
    var sentAt: Milliseconds = 0
    var bytes = 0
    /// It was under way when a connection broke: it goes alone from then on.
    var isSuspect = false
    /// How often a connection broke right behind it.
    var breaks = 0
    /// How often the room gave it back, since it did not know the owner any more.
    var returns = 0
    /// It left the outbox while it was under way: it does not go again.
    var isCancelled = false
    /// The server had it, which is told; then the room gave it back.
    var isResend = false
  }

  private(set) var works: [OutboxEntry.ID: Work] = [:]
  /// In the order of the outbox.
  private(set) var waiting: [OutboxEntry.ID] = []
  /// In the order of sending.
  private(set) var inFlight: [OutboxEntry.ID] = []
  private var byStanza: [String: OutboxEntry.ID] = [:]
  /// Ended, but perhaps still in an outbox that was read before.
  private var ended: Set<OutboxEntry.ID> = []
  /// What the server took, by stanza, the newest last: a late error or a room's echo may follow.
  private(set) var accepted: [Work] = []
  /// Whether something may be sent that could not before.
  var needsPump = false

  /// Takes in all that is in the outbox now.
  mutating func take(_ entries: [OutboxEntry]) -> [OutboxEntry] {
    let ids = Set(entries.map(\.id))
    ended.formIntersection(ids)
    for (id, work) in works where !ids.contains(id) && !work.isResend {
      // What is under way may get there, and then it has to be taken back there, too.
      if inFlight.contains(id) { works[id]?.isCancelled = true } else { remove(id) }
    }
    var wrong: [OutboxEntry] = []
    for entry in entries where works[entry.id] == nil && !ended.contains(entry.id) {
      let (address, isRoom) =
        switch entry.place {
        case .room(let name): (Address(name), true)
        case .direct(let name): (Address(name), false)
        }
      guard let address, !isRoom || address.resource.isEmpty else {
        ended.insert(entry.id)
        wrong.append(entry)
        continue
      }
      let stanzaID = entry.origin
      works[entry.id] = Work(entry: entry, stanzaID: stanzaID, to: address, isRoom: isRoom)
      byStanza[stanzaID] = entry.id
      waiting.append(entry.id)
    }
    waiting.sort()
    needsPump = true
    return wrong
  }

  func work(ofStanza id: String) -> Work? { byStanza[id].flatMap { works[$0] } }

  mutating func sent(_ id: OutboxEntry.ID, bytes: Int, at time: Milliseconds) {
    works[id]?.sentAt = time
    // What comes back is this text from now on.
    works[id]?.entry.wasTried = false
    works[id]?.bytes = bytes
    inFlight.append(id)
  }

  /// One more file of an entry is where others can fetch it.
  mutating func add(link: String, to id: OutboxEntry.ID) {
    works[id]?.entry.links.append(link)
    needsPump = true
  }

  mutating func setWaiting(_ ids: [OutboxEntry.ID]) { waiting = ids }

  /// It is over with an entry.
  mutating func end(_ id: OutboxEntry.ID, isAccepted: Bool) -> Work? {
    guard let work = works[id] else { return nil }
    remove(id)
    ended.insert(id)
    if isAccepted {
      if accepted.count >= Limits.accepted { accepted.removeFirst(Limits.accepted / 4) }
      accepted.append(work)
    }
    needsPump = true
    return work
  }

  mutating func forgetAccepted(_ stanzaID: String) {
    accepted.removeAll { $0.stanzaID == stanzaID }
  }

  /// The room gave an entry back: it goes again when the owner is in it again.
  mutating func putBack(_ id: OutboxEntry.ID) {
    if works[id]?.isCancelled == true { return remove(id) }
    inFlight.removeAll { $0 == id }
    works[id]?.returns += 1
    waiting.append(id)
    waiting.sort()
  }

  /// The same, after the server had it.
  mutating func takeBack(_ work: Work) {
    forgetAccepted(work.stanzaID)
    var work = work
    work.returns += 1
    work.isResend = true
    works[work.entry.id] = work
    byStanza[work.stanzaID] = work.entry.id
    waiting.append(work.entry.id)
    waiting.sort()
  }

  private mutating func remove(_ id: OutboxEntry.ID) {
    guard let work = works.removeValue(forKey: id) else { return }
    byStanza[work.stanzaID] = nil
    if let place = inFlight.firstIndex(of: id) { inFlight.remove(at: place) }
    if let place = waiting.firstIndex(of: id) { waiting.remove(at: place) }
  }

  /// Whether something is not acknowledged that may stand in an archive already.
  func isUnderWay(inArchive key: String) -> Bool {
    inFlight.contains { id in
      guard let work = works[id] else { return false }
      return (work.isRoom ? work.to.description : "") == key
    }
  }

  /// The connection is gone. The first that was not acknowledged may be why.
  mutating func `break`(at time: Milliseconds, isTheirs: Bool) {
    for (place, id) in inFlight.enumerated() where isTheirs {
      works[id]?.isSuspect = true
      if place == 0, let sentAt = works[id]?.sentAt, time - sentAt <= Retry.blame {
        works[id]?.breaks += 1
      }
    }
    for id in inFlight where works[id]?.isCancelled == true { remove(id) }
    waiting = (inFlight + waiting).sorted()
    inFlight = []
  }

  /// Entries that the connection breaks on. One that may be over a server's limit need not prove it
  /// as often as one that cannot be.
  var breakers: [OutboxEntry.ID] {
    waiting.filter { id in
      guard let work = works[id] else { return false }
      let policy = work.bytes >= Retry.longBytes ? Retry.longMessage : .message
      return !policy.goesOn(after: work.breaks)
    }
  }
}
