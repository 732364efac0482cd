// SPDX-License-Identifier: GPL-3.0-or-later
import CReadline
import StyledText
import Terminal

// MARK: readline's questions

extension LineEditor {
  var widths: Widths { display.widths }

  func handleReadline(_ event: creadline_event, _ text: String?) -> Bool {
    switch event {
    case creadline_accept_line: return acceptLine(Readline.text)
    case creadline_line_ended: ended(text)
    case creadline_line_began: lineBegan()
    case creadline_cancel: return tell(.cancelled)
    case creadline_up_on_empty: return tell(.upOnEmptyLine)
    case creadline_undo: return tell(.undoing)
    case creadline_live_complete: return tell(.completing)
    case creadline_command:
      switch text {
      case "clear-screen": display.clear()
      case "clear-line": clearLine()
      default: return tell(.command(text ?? ""))
      }
    default: break
    }
    return false
  }

  private func acceptLine(_ text: String) -> Bool {
    isAccepting = true
    let isTaken = display.markingAnswer { tell(.accepted(text)) }
    if !isTaken { isAccepting = false }
    return isTaken
  }

  private func ended(_ text: String?) {
    guard let text else {
      isAccepting = true
      tell(.endOfInput)
      return
    }
    // A line that a readline function ended by itself is handled the same way.
    if !acceptLine(text) {
      isAccepting = true
      afterLine.append { [weak self] in self?.setLine(text) }
    }
  }

  private func lineBegan() {
    isAccepting = false
    forgetChanges()
    let bodies = afterLine
    afterLine = []
    for body in bodies { body() }
  }

  func list(_ labels: [SafeText]) {
    if displayMode == .plain { return print(candidateList.numbered(labels)) }
    print(CandidateList.sideBySide(labels, across: display.columns, widths: display.widths))
  }

  func print(_ text: String) { print(SafeText(body: text).lines.map { StyledLine($0) }) }
}
