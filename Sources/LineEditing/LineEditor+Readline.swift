// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import StyledText
import Terminal

// MARK: What readline asks

extension LineEditor: ReadlineClient {
  func accept(_ text: String) -> Bool {
    isAccepting = true
    let taken = delegate?.lineEditor(self, accepts: text) ?? true
    if !taken { isAccepting = false }
    return taken
  }

  func ended(_ text: String?) {
    guard let text else {
      isAccepting = true
      delegate?.lineEditorEnded(self)
      return
    }
    // A line that a readline function ended on its own way goes through the same door.
    if !accept(text) {
      isAccepting = true
      afterLine.append { [weak self] in self?.setLine(text) }
    }
  }

  func lineBegan() {
    isAccepting = false
    forgetChanges()
    let bodies = afterLine
    afterLine = []
    for body in bodies { body() }
  }

  func cancel() -> Bool { delegate?.lineEditorCancels(self) ?? false }
  func upOnEmptyLine() -> Bool { delegate?.lineEditorGoesUpFromEmptyLine(self) ?? false }
  func undo() -> Bool { delegate?.lineEditorUndoes(self) ?? false }
  func clearScreen() { clearDisplay() }
  func run(_ command: LineCommand) { delegate?.lineEditor(self, runs: command) }
  func liveComplete() -> Bool { delegate?.lineEditorCompletes(self) ?? false }
  func mentionWord(before offset: Int) -> Int? {
    delegate?.lineEditor(self, mentionWordBefore: offset)
  }

  func completions(text: String, caret: Int) -> Completions? {
    delegate?.lineEditor(self, completionsIn: text, caret: caret)
  }

  func write(_ bytes: [UInt8]) { device.write(bytes) }

  func list(_ labels: [SafeText]) {
    print(Self.columns(labels, across: display.columns, widths: widths))
  }

  func print(_ text: String) { print(SafeText(body: text).lines.map { StyledLine($0) }) }

  /// Labels side by side, as many as fit, filled downwards.
  static func columns(_ labels: [SafeText], across columns: Int, widths: Widths) -> [StyledLine] {
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
