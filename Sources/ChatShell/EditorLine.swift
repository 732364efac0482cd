// SPDX-License-Identifier: GPL-3.0-or-later
import ChatParts
import ChatPreferences
import Composer
import Conversations
import LineEditing

/// The line of a terminal, for a session.
@MainActor
final class EditorLine: InputLine {
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

extension EditorLine: ShellLine {
  func whenBegun(_ action: @escaping @MainActor () -> Void) { editor.whenLineBegins(action) }

  func fill(_ text: String, _ mentions: [Span]) {
    editor.insert(text)
    completion?.lineChanged(byHand: false)
    if !mentions.isEmpty { completion?.begin(with: mentions) }
  }

  var isFree: Bool { editor.isEmpty && !editor.hasTypedAhead() }

  func replace(by draft: Conversations.Draft) {
    editor.setLine(draft.text, caret: draft.caret)
    // On the line, a text ends at its first NUL.
    completion?.begin(with: draft.spans.spans(in: editor.text))
  }

  func beginChoice() {
    completion?.setAside()
    editor.hidesHistory = true
    completion?.openMenu()
  }

  func endChoice() {
    editor.hidesHistory = false
    completion?.bringBack()
  }

  func beginEdit(
    _ text: String, offering offered: String?, _ mentions: [Span], isAnother: Bool
  ) {
    if !isAnother { completion?.setAside() }
    if !isAnother || offered != nil { editor.setLine(offered ?? text) }
    if isAnother || offered != nil { editor.replaceLine(text) }
    completion?.begin(with: mentions)
  }

  func endEdit(offering offered: String?) {
    completion?.bringBack()
    if let offered { editor.offerOnUndo(offered) }
  }

  func addHistory(_ line: String) { editor.addHistory(line) }
  func setHistory(_ lines: [String]) { editor.setHistory(lines) }
}
