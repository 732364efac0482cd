// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import StyledText

/// Lines that could not be sent and cannot come back into the line being typed: each becomes the
/// draft of its own conversation as soon as the store is free (rule 1.2).
@MainActor
final class KeptLines {
  private let shell: Shell
  /// Those that are not stored yet, in their order, with the reason why they were not sent.
  private(set) var lines: [(line: WaitingLines.Line, reason: SafeText)] = []
  /// The conversation of a line was opened before the line could be stored.
  var giveBack: (WaitingLines.Line, SafeText) -> Void = { _, _ in }
  /// A line is stored: as a draft, otherwise in the input history.
  var stored: (WaitingLines.Line, SafeText, _ isDraft: Bool) -> Void = { _, _, _ in }
  /// Whether a draft of this shell waits for the store.
  var isUnwritten: (ID<Conversation>) -> Bool = { _ in false }
  /// Nobody types any more; what is open is like any other conversation.
  var isLeaving = false

  init(shell: Shell) {
    self.shell = shell
  }

  /// Whether a line can be the draft of its conversation: there is none yet.
  func canKeep(_ line: WaitingLines.Line) -> Bool {
    guard line.asDraft != nil, !isUnwritten(line.conversation) else { return false }
    let draft = (try? shell.store.draft(of: shell.me.id, in: line.conversation)) ?? nil
    return draft == nil || draft?.text == line.draft
  }

  static let key = "kept lines"

  func keep(_ line: WaitingLines.Line, because reason: SafeText) {
    lines.append((line, reason))
    shell.postpone(Self.key) { [weak self] in try self?.write() }
  }

  private func write() throws {
    while let conversation = lines.first?.line.conversation {
      let own = lines.filter { $0.line.conversation == conversation }
      if isLeaving || conversation != shell.conversation?.id {
        // What is being typed there comes behind.
        guard shell.postponed[DraftKeeper.key(conversation)] == nil else {
          throw StoreError.locked(path: shell.store.path)
        }
        try store(own.map(\.line), in: conversation)
        for (line, reason) in own { stored(line, reason, line.asDraft != nil) }
        lines.removeAll { $0.line.conversation == conversation }
      } else {
        lines.removeAll { $0.line.conversation == conversation }
        for (line, reason) in own { giveBack(line, reason) }
      }
    }
  }

  private func store(_ lines: [WaitingLines.Line], in conversation: ID<Conversation>) throws {
    let (store, me) = (shell.store, shell.me.id)
    var draft = try store.draft(of: me, in: conversation)
    if let text = draft?.text, lines.contains(where: { $0.draft == text }) { draft = nil }
    for line in lines.reversed() {
      if let own = line.asDraft {
        draft = Conversations.Draft(own, files: line.files).before(draft)
      } else {
        try store.appendHistory(line.typed, of: me, shell: shell.shellID ?? "")
        // What only a command says is no draft, but its files wait as they did.
        if !line.files.isEmpty {
          draft = Conversations.Draft(Composer.Draft(), files: line.files).before(draft)
        }
      }
    }
    try store.setDraft(draft, of: me, in: conversation)
  }
}

extension WaitingLines.Line {
  /// The line as a draft of its conversation; nil for what only a command says.
  var asDraft: Composer.Draft? {
    guard kind == .text, replyTo == nil else { return nil }
    let text = EditMode.shown(body)
    return Composer.Draft(text, spans: spans(in: text))
  }

  /// Its mentions in a text that is the body or ends with it.
  func spans(in text: String) -> [Span] {
    let shift = text.utf8.count - body.utf8.count
    guard shift >= 0, text.utf8.suffix(body.utf8.count).elementsEqual(body.utf8) else { return [] }
    return Span.shifted(mentions, by: shift)
  }
}

extension Span {
  /// The spans of a text that now stands so many bytes further behind.
  static func shifted(_ spans: [Span], by shift: Int) -> [Span] {
    spans.map {
      Span(
        range: ($0.range.lowerBound + shift)..<($0.range.upperBound + shift),
        identity: $0.identity)
    }
  }
}

extension Conversations.Draft {
  init(_ draft: Composer.Draft, files: WaitingFiles = WaitingFiles()) {
    self.init(
      text: draft.text, caret: draft.caret, spans: Span.encoded(draft.spans),
      files: files.files.map { DraftFile(path: $0.path, name: $0.name) })
  }

  /// The draft in front of another one, on a line of its own.
  func before(_ other: Conversations.Draft?) -> Conversations.Draft {
    guard let other else { return self }
    let head = text.isEmpty || other.text.isEmpty ? text : text + "\n"
    let shift = head.utf8.count
    let behind = Span.shifted(Span.decoded(other.spans, in: other.text), by: shift)
    return Conversations.Draft(
      text: head + other.text, caret: shift + other.caret,
      spans: Span.encoded(Span.decoded(spans, in: text) + behind), files: files + other.files)
  }
}
