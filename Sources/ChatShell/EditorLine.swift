// SPDX-License-Identifier: GPL-3.0-or-later
import ChatScripts
import ChatSession
import Composer
import LineEditing

/// The line of a terminal, for a session.
@MainActor
final class EditorLine: SessionLine {
  private let editor: LineEditor
  weak var completion: LiveCompletion?

  init(_ editor: LineEditor) { self.editor = editor }

  var text: String { editor.text }
  var caret: Int { editor.caret }
  var mentions: [Span] { completion?.spans ?? [] }
  var isEmpty: Bool { editor.isEmpty }
  var isLive: Bool { editor.isLive }
  var isIdle: Bool { editor.isIdle }
  var isAsking: Bool { editor.isAsking }
  var bindings: [(function: String, keys: String)] { editor.bindings }
  var selected: String? { completion?.completion.selectedCandidate?.text }
}
