// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import StyledText

/// The typed line and what belongs to it: what the line is at present, its draft and its files.
@MainActor
package struct Composing {
  let line: any SessionLine
  /// Whether somebody types: a batch has no drafts and no history.
  let keepsDrafts: Bool
  package internal(set) var mode = LineMode.draft
  var draft = StoredDraft()
  var aside = LinesAside()
  var beforeCommand = TextBeforeCommand()
  package internal(set) var files: AttachedFiles
  var reactionTarget = ReactionTarget()
  /// Unsaved changes to sent messages (rule 3.4).
  var unsavedChanges: [ID<Message>: String] = [:]
  /// Whether another shell of mine added to the history while the line was busy.
  var isHistoryStale = false

  init(_ line: any SessionLine, files: AttachedFiles, keepsDrafts: Bool) {
    (self.line, self.files, self.keepsDrafts) = (line, files, keepsDrafts)
  }

  // MARK: The name of a conversation

  mutating func beginChoice(among choices: SwitcherCandidates) -> [Effect] {
    mode = .choosing(choices, over: mode)
    return [.beginChoice]
  }

  /// The line that the name replaced comes back. Returns false if there is none.
  mutating func endChoice() -> Bool {
    guard case .choosing(_, let below) = mode else { return false }
    mode = below
    return true
  }

  // MARK: A question

  mutating func beginQuestion(_ question: Question) {
    endQuestion()
    mode = .asking(question, over: mode)
  }

  mutating func endQuestion() { if case .asking(_, let below) = mode { mode = below } }

  /// C-g or Esc, or C-c or C-d on an empty line: ends the choice of a conversation, or edit mode.
  mutating func cancel() -> [Effect] {
    switch mode.withoutQuestion {
    case .draft, .history, .asking: []
    case .editing: cancelEdit()
    case .choosing: [.endChoice]
    }
  }
}
