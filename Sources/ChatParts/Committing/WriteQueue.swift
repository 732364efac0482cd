// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Platform

/// The uncommitted writes of steps, in order. A line whose files are still being copied holds up
/// the lines and drafts after it in its conversation, and nothing else.
package struct WriteQueue {
  private(set) var writes: [Write] = []
  /// Whether somebody else has locked the store; if so, try again only at the set time.
  package var isLocked = false

  /// How many lines had files to copy.
  private var copies = 0

  package var isEmpty: Bool { writes.isEmpty }

  mutating func nextCopy() -> Int {
    copies += 1
    return copies
  }

  /// Entered lines that are not stored yet.
  package var lines: [PendingLine] { writes.compactMap(\.line) }

  /// Whether anything waits only for the store.
  package var isReady: Bool { next != nil }

  /// Whether a new write has to wait for earlier ones.
  func mustWait(_ write: Write) -> Bool {
    isLocked && isReady || isHeld(write, behind: writes[...])
  }

  /// Whether anything that was typed waits.
  package var holdsTypedText: Bool {
    writes.contains {
      switch $0 {
      case .line, .returned, .draft, .history: true
      default: false
      }
    }
  }

  /// Adds a write, in place of one that it makes unnecessary or at the end.
  package mutating func add(_ write: Write) {
    if let index = writes.firstIndex(where: { write.replaces($0) }) {
      writes[index] = write.merged(with: writes[index])
    } else {
      writes.append(write)
    }
  }

  private var next: Int? { writes.indices.first { !isHeld(at: $0) } }

  private func isHeld(at index: Int) -> Bool { isHeld(writes[index], behind: writes[..<index]) }

  /// A line waits for its own files and for the lines before it; a draft waits for the line of its
  /// conversation, which removes the stored draft.
  private func isHeld(_ write: Write, behind earlier: ArraySlice<Write>) -> Bool {
    switch write {
    case .line(let line): line.copyNumber != nil || hasLine(of: line.conversation, in: earlier)
    case .draft(let conversation, _): hasLine(of: conversation, in: earlier)
    default: false
    }
  }

  private func hasLine(of conversation: ID<Conversation>, in writes: ArraySlice<Write>) -> Bool {
    writes.contains { $0.line?.conversation == conversation }
  }

  /// Removes and returns the writes that one transaction can do now, in order.
  mutating func takeBatch() -> [Write] {
    var taken: [Write] = []
    while let next {
      if writes[next].hasOwnTransaction {
        if taken.isEmpty { taken.append(writes.remove(at: next)) }
        break
      }
      let write = writes.remove(at: next)
      // Text typed later in that conversation goes below the returned lines, so store it first.
      if case .returned(_, let conversation) = write, let waiting = draft(of: conversation) {
        _ = removeDraft(of: conversation)
        taken.append(waiting)
      }
      taken.append(write)
    }
    return taken
  }

  package var hasOwnTransactions: Bool { writes.contains(where: \.hasOwnTransaction) }

  /// Puts failed writes back at the front.
  mutating func putBack(_ taken: [Write]) { writes.insert(contentsOf: taken, at: 0) }

  // MARK: Lines

  mutating func waitAnew(now: MonotonicTime) {
    for index in writes.indices {
      guard case .line(var line) = writes[index] else { continue }
      line.since = now
      writes[index] = .line(line)
    }
  }

  mutating func takeFirstLine() -> PendingLine? { takeLine { _ in true } }

  /// Removes the first line that waits only for the store, if it has waited since `latest` or
  /// longer.
  mutating func takeReadyLine(since latest: MonotonicTime) -> PendingLine? {
    let index = writes.indices.first { writes[$0].line != nil && !isHeld(at: $0) }
    guard let index, let line = writes[index].line, line.since <= latest else { return nil }
    writes.remove(at: index)
    return line
  }

  private mutating func takeLine(where isMeant: (PendingLine) -> Bool) -> PendingLine? {
    let index = writes.firstIndex { $0.line.map(isMeant) ?? false }
    return index.flatMap { writes.remove(at: $0).line }
  }

  /// Records that the files of the line with this number were copied, so that the line no longer
  /// waits for them.
  ///
  /// - Returns: false if the line no longer waits.
  mutating func filesReady(_ attachments: [Attachment], copy: Int) -> Bool {
    guard let index = writes.firstIndex(where: { $0.line?.copyNumber == copy }),
      var line = writes[index].line
    else { return false }
    (line.attachments, line.copyNumber) = (attachments + line.attachments, nil)
    writes[index] = .line(line)
    return true
  }

  /// Removes the line whose files have this number.
  mutating func takeLine(copy: Int) -> PendingLine? { takeLine { $0.copyNumber == copy } }

  // MARK: Drafts

  func draft(of conversation: ID<Conversation>) -> Write? {
    writes.first { $0.isDraft(of: conversation) }
  }

  /// The draft that the store has, or will have; nil if it has none, or if a waiting line was made
  /// from it.
  func storedDraft(
    of me: ID<Participant>, in conversation: ID<Conversation>, _ snapshot: borrowing Snapshot
  ) -> Conversations.Draft? {
    let stored: Conversations.Draft?
    if case .draft(_, let waiting)? = draft(of: conversation) {
      stored = waiting
    } else {
      stored = (try? snapshot.draft(of: me, in: conversation)) ?? nil
    }
    let isSent = lines.contains {
      $0.conversation == conversation && $0.draft != nil && $0.draft == stored?.text
    }
    return isSent ? nil : stored
  }

  /// Removes the waiting draft of a conversation. Returns false if it had none.
  mutating func removeDraft(of conversation: ID<Conversation>) -> Bool {
    let count = writes.count
    writes.removeAll { $0.isDraft(of: conversation) }
    return writes.count < count
  }

  mutating func takeReturned(to conversation: ID<Conversation>) -> [ReturnedLine] {
    var found: [ReturnedLine] = []
    writes.removeAll {
      guard case .returned(let lines, conversation) = $0 else { return false }
      found += lines
      return true
    }
    return found
  }
}
