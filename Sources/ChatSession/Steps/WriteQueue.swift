// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// The writes of steps that are not committed yet, in their order. A line whose files are still being copied holds up the
/// lines and drafts behind it in its conversation, and nothing else.
struct WriteQueue {
  private(set) var writes: [Write] = []
  /// Somebody else has the store locked: nothing is tried before the time for it.
  var isLocked = false

  var isEmpty: Bool { writes.isEmpty }

  /// The lines that were sent and are not stored yet.
  var lines: [Line] { writes.compactMap(\.line) }

  /// Whether something waits for nothing but the store.
  var isReady: Bool { next != nil }

  /// Whether a new write has to wait behind others.
  func mustWait(_ write: Write) -> Bool { isLocked && isReady || holds(write) }

  /// Whether something that was typed waits.
  var holdsTypedText: Bool {
    writes.contains {
      switch $0 {
      case .line, .returned, .draft, .history: true
      default: false
      }
    }
  }

  /// Takes the place of what it makes pointless, or the last one.
  mutating func add(_ write: Write) {
    if let index = writes.firstIndex(where: { write.replaces($0) }) {
      writes[index] = write.merged(with: writes[index])
    } else {
      writes.append(write)
    }
  }

  private var next: Int? { writes.indices.first { !isHeld(at: $0) } }

  private func isHeld(at index: Int) -> Bool { isHeld(writes[index], behind: writes[..<index]) }

  /// Whether a new write has to wait for files to be copied.
  func holds(_ write: Write) -> Bool { isHeld(write, behind: writes[...]) }

  /// A line waits for its own files and for the lines before it, a draft for the line of its
  /// conversation, with which the draft that is stored goes.
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

  /// Takes what can be done now in one transaction, in its order.
  mutating func takeBatch() -> [Write] {
    var taken: [Write] = []
    while let next {
      if writes[next].hasOwnTransaction {
        if taken.isEmpty { taken.append(writes.remove(at: next)) }
        break
      }
      let write = writes.remove(at: next)
      // What was typed there since comes below the lines that come back.
      if case .returned(_, let conversation) = write, let waiting = draft(of: conversation) {
        _ = removeDraft(of: conversation)
        taken.append(waiting)
      }
      taken.append(write)
    }
    return taken
  }

  /// Whether something waits that has a transaction of its own.
  var hasOwnTransactions: Bool { writes.contains(where: \.hasOwnTransaction) }

  /// They could not be done, and are the next again.
  mutating func putBack(_ taken: [Write]) { writes.insert(contentsOf: taken, at: 0) }

  // MARK: Lines

  /// Lines begin to wait for the store only now.
  mutating func waitAnew(now: Int64) {
    for index in writes.indices {
      guard case .line(var line) = writes[index] else { continue }
      line.since = now
      writes[index] = .line(line)
    }
  }

  mutating func takeFirstLine() -> Line? { takeLine { _ in true } }

  /// The first line that waits for nothing but the store, and no later than since `latest`.
  mutating func takeReadyLine(since latest: Int64) -> Line? {
    let index = writes.indices.first { writes[$0].line != nil && !isHeld(at: $0) }
    guard let index, let line = writes[index].line, line.since <= latest else { return nil }
    writes.remove(at: index)
    return line
  }

  private mutating func takeLine(where isMeant: (Line) -> Bool) -> Line? {
    let index = writes.firstIndex { $0.line.map(isMeant) ?? false }
    return index.flatMap { writes.remove(at: $0).line }
  }

  /// The files of a line were copied, by this number; it waits on, without a number.
  ///
  /// - Returns: false if the line does not wait any more.
  mutating func filesKept(_ attachments: [Attachment], copy: Int) -> Bool {
    guard let index = writes.firstIndex(where: { $0.line?.copyNumber == copy }),
      var line = writes[index].line
    else { return false }
    (line.attachments, line.copyNumber) = (attachments + line.attachments, nil)
    writes[index] = .line(line)
    return true
  }

  /// The line whose files were to be copied by this number.
  mutating func takeLine(copy: Int) -> Line? { takeLine { $0.copyNumber == copy } }

  // MARK: Drafts

  func draft(of conversation: ID<Conversation>) -> Write? {
    writes.first { $0.isDraft(of: conversation) }
  }

  /// - Returns: whether there was one.
  mutating func removeDraft(of conversation: ID<Conversation>) -> Bool {
    let count = writes.count
    writes.removeAll { $0.isDraft(of: conversation) }
    return writes.count < count
  }

  /// Takes the lines that are to become part of the draft of a conversation.
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
