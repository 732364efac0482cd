// SPDX-License-Identifier: GPL-3.0-or-later
import Platform
import StyledText
import Terminal

/// Updates the screen, once a turn.
extension LineEditor {
  /// Prints settled lines above the line being typed, at the end of the turn.
  package func print(_ lines: [StyledLine]) { display.print(lines) }

  package func clearDisplay() { display.clear() }

  /// Draws all changes since the last turn, in one write.
  package func draw() {
    tell(.willDraw)
    confirmSizeBeforeScroll()
    let scrolled = display.scrolledText
    display.draw()
    // Only the layout shows whether all of the text is visible, which the status line reports.
    guard display.scrolledText != scrolled else { return }
    tell(.willDraw)
    display.draw()
  }

  /// Whether the terminal has not accepted the last output yet, or never will. Until it has, hobnob
  /// draws nothing.
  package var isBehind: Bool { device.isBehind || device.isDead }

  func fellBehind() {
    loop.watch(device.writer, for: .writing) { [weak self] in
      guard let self else { return }
      device.writeMore()
      guard !device.isBehind else { return }
      loop.unwatch(device.writer, for: .writing)
      display.needsDrawing = true
      if resizeProbe.isDeferred { windowResized() }
      tell(.fellBehindOrCaughtUp)
    }
    tell(.fellBehindOrCaughtUp)
  }
}
