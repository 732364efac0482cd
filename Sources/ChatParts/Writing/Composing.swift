// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Platform

/// The typed line and what belongs to it: what the line is at present, its draft and its files.
@MainActor
package struct Composing {
  package let line: any InputLine
  /// Whether somebody types: a batch has no drafts and no history.
  package let keepsDrafts: Bool
  package var mode = LineMode.draft
  package var draft = StoredDraft()
  package var aside = LinesAside()
  package var beforeCommand = TextBeforeCommand()
  package var files: AttachedFiles
  package var reactionTarget = ReactionTarget()
  /// Unsaved changes to sent messages (rule 3.4).
  var unsavedChanges: [ID<Message>: String] = [:]
  /// Whether another shell of this person added to the history while the line was busy.
  package var isHistoryStale = false

  package init(_ line: any InputLine, files: AttachedFiles, keepsDrafts: Bool) {
    (self.line, self.files, self.keepsDrafts) = (line, files, keepsDrafts)
  }

  // MARK: The name of a conversation

  package mutating func beginChoice(
    among choices: SwitcherCandidates, at now: MonotonicTime
  ) -> [Effect] {
    noteDraft(at: now)
    mode = .choosing(choices, over: mode)
    return [.stopTyping, .beginChoice]
  }

  /// A key that opens another conversation, while a name is typed: it is meant for the line that the
  /// name replaced, so it waits for that line. Nil if no name is typed.
  package func endChoice(by move: Move) -> [Effect]? {
    guard mode.isChoosing else { return nil }
    return [.endChoice] + (move == .choose ? [] : [.whenLineBegins(.move(move))])
  }

  /// The line that the name replaced comes back. Returns false if there is none.
  package mutating func endChoice() -> Bool {
    guard case .choosing(_, let below) = mode else { return false }
    mode = below
    return true
  }

  // MARK: A question

  package mutating func beginQuestion(_ question: Question) {
    endQuestion()
    mode = .asking(question, over: mode)
  }

  package mutating func endQuestion() { if case .asking(_, let below) = mode { mode = below } }

  /// C-g or Esc, or C-c or C-d on an empty line: ends the choice of a conversation, or edit mode.
  package mutating func cancel() -> [Effect] {
    switch mode.withoutQuestion {
    case .draft, .history, .asking: []
    case .editing: cancelEdit()
    case .choosing: [.endChoice]
    }
  }
}
