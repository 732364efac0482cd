// SPDX-License-Identifier: GPL-3.0-or-later
import StyledText

/// What goes onto the screen, once a turn.
extension LineEditor {
  /// Prints settled lines above the line being typed, at the end of the turn.
  public func print(_ lines: [StyledLine]) { display.print(lines) }

  public func clearDisplay() { display.clear() }

  /// Draws what has changed since the last turn, in one write.
  public func draw() {
    delegate?.lineEditorWillDraw(self)
    doubtBeforeLines()
    display.draw()
  }
}
