// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import StyledText

/// Something to be written into the store.
enum Write {
  /// A line that was sent.
  case line(Line)
  /// A line that could not be sent and becomes part of the draft of its conversation, and why.
  case returned(Line, SafeText)
  /// The draft of a conversation; nil: the line that it came from was emptied.
  case draft(ID<Conversation>, Conversations.Draft?)
  case history(String)
  /// Messages up to these numbers have come here; those of `seen` are on the screen.
  case delivered([ID<Conversation>: Int], seen: ID<Conversation>?)
  /// They are on the screen. `tells`: the others may know; `isSeen`: somebody looks at it.
  case shown(ID<Conversation>, upTo: Int, tells: Bool, isSeen: Bool)
  /// What this shell shows.
  case open(ID<Conversation>?, isPaused: Bool)
  case lastConversation(ID<Conversation>)
  case typing(Bool, in: ID<Conversation>)
  /// Which colours names have from now on.
  case colours([ID<Participant>: Int], in: ID<Conversation>)
  case attach, lookAtNames, reapStaleShells

  /// Whether a write that waits need not be done any more once this one is.
  func replaces(_ other: Write) -> Bool {
    switch (self, other) {
    case (.draft(let one, _), .draft(let two, _)): one == two
    case (.shown(let one, _, _, _), .shown(let two, _, _, _)): one == two
    // What is on the screen of another conversation is said by itself.
    case (.delivered(_, let one), .delivered(_, let two)): one == two
    case (.open, .open), (.lastConversation, .lastConversation),
      (.typing, .typing), (.attach, .attach), (.lookAtNames, .lookAtNames),
      (.reapStaleShells, .reapStaleShells):
      true
    default: false
    }
  }

  /// This one, with what of the other still has to be said.
  fileprivate func merged(with other: Write) -> Write {
    guard case .delivered(let new, let seen) = self, case .delivered(let old, _) = other
    else { return self }
    return .delivered(new.merging(old) { max($0, $1) }, seen: seen)
  }

  fileprivate var line: Line? { if case .line(let line) = self { line } else { nil } }

  fileprivate func isDraft(of conversation: ID<Conversation>) -> Bool {
    if case .draft(conversation, _) = self { true } else { false }
  }
}

/// What waits to be written, in its order. A line whose files are still being copied holds up the
/// lines and drafts behind it in its conversation, and nothing else.
struct WriteQueue {
  private(set) var writes: [Write] = []

  var isEmpty: Bool { writes.isEmpty }

  /// The lines that were sent and are not stored yet.
  var lines: [Line] { writes.compactMap(\.line) }

  /// Whether something waits for nothing but the store.
  var isReady: Bool { next != nil }

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

  /// The first that can be done.
  mutating func takeNext() -> Write? { next.map { writes.remove(at: $0) } }

  /// It could not be done, and is the next again.
  mutating func putBack(_ write: Write) { writes.insert(write, at: 0) }

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

  /// The lines that are to become part of the draft of a conversation, with the reasons.
  func returned(of conversation: ID<Conversation>) -> [(Line, SafeText)] {
    writes.compactMap {
      if case .returned(let line, let reason) = $0, line.conversation == conversation {
        (line, reason)
      } else {
        nil
      }
    }
  }

  mutating func takeReturned(of conversation: ID<Conversation>) -> [(Line, SafeText)] {
    let found = returned(of: conversation)
    writes.removeAll {
      if case .returned(let line, _) = $0 { line.conversation == conversation } else { false }
    }
    return found
  }
}
