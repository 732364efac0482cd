// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import StyledText

/// The typed line and what belongs to it: what the line is at present, its draft and its files.
@MainActor
package struct Composing {
  package internal(set) var mode = LineMode.draft
  var drafts = Drafts()
  package internal(set) var files: AttachedFiles
  var reactionTarget = ReactionTarget()
  /// Unsaved changes to sent messages (rule 3.4).
  var unsavedChanges: [ID<Message>: String] = [:]

  init(files: AttachedFiles) { self.files = files }

  // MARK: The name of a conversation

  mutating func beginChoice(among choices: SwitcherCandidates) {
    mode = .choosing(choices, over: mode)
  }

  /// Brings back the line that the name replaced.
  mutating func endChoice() -> [Effect] {
    guard case .choosing(_, let below) = mode else { return [] }
    mode = below
    return [.endChoice]
  }

  /// C-g or Esc, or C-c or C-d on an empty line: ends the choice of a conversation, or edit mode.
  mutating func cancel(_ text: String) -> [Effect] {
    switch mode {
    case .draft: []
    case .editing: cancelEdit(text)
    case .choosing: endChoice()
    }
  }
}
