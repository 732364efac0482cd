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
      case "clear-screen": clearDisplay()
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

  func write(_ bytes: [UInt8]) { device.write(bytes) }

  func list(_ labels: [SafeText]) {
    if displayMode == .plain { return print(numbered(labels)) }
    print(Self.sideBySide(labels, across: display.columns, widths: display.widths))
  }

  /// The labels with numbers, one per line, for a screen reader (rule 11.5).
  private func numbered(_ labels: [SafeText]) -> [StyledLine] {
    let lines = labels.enumerated().map { StyledLine(SafeText($0 + 1) + " " + $1) }
    defer { hasExplainedList = true }
    // In vi's insert mode there is no key for a count.
    if hasExplainedList || creadline_is_vi() { return lines }
    return lines + [StyledLine(say("M-2 TAB picks candidate number 2."))]
  }

  func print(_ text: String) { print(SafeText(body: text).lines.map { StyledLine($0) }) }

  /// Labels side by side, as many as fit, filled downwards.
  static func sideBySide(_ labels: [SafeText], across columns: Int, widths: Widths) -> [StyledLine]
  {
    guard !labels.isEmpty else { return [] }
    let measured = labels.map { widths.columns(of: $0.string) }
    let cell = (measured.max() ?? 0) + 2
    let across = max(1, (columns - 1) / cell)
    let rows = (labels.count + across - 1) / across
    return (0..<rows).map { row in
      var line = StyledLine()
      for index in stride(from: row, to: labels.count, by: rows) {
        let blanks = index + rows < labels.count ? cell - measured[index] : 0
        line.append(labels[index] + SafeText(line: String(repeating: " ", count: blanks)))
      }
      return line
    }
  }
}
