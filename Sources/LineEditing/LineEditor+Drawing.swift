// SPDX-License-Identifier: GPL-3.0-or-later
import Platform
import StyledText
import Terminal

/// Updates the screen, once a turn.
extension LineEditor {
  /// Prints settled lines above the line being typed, at the end of the turn.
  package func print(_ lines: [StyledLine]) { display.print(lines) }

  /// Draws all changes since the last turn, in one write.
  package func draw() {
    tell(.willDraw)
    resizeProbe.confirmSizeBeforeScroll()
    let scrolled = display.scrolledText
    display.draw()
    // Only the layout shows whether all of the text is visible, which the status line reports.
    guard display.scrolledText != scrolled else { return }
    tell(.willDraw)
    display.draw()
  }

  func fellBehind() {
    loop.watch(device.writer, for: .writing) { [weak self] in
      guard let self else { return }
      device.writeMore()
      guard !device.isBehind else { return }
      loop.unwatch(device.writer, for: .writing)
      display.needsDrawing = true
      resizeProbe.caughtUp()
      tell(.fellBehindOrCaughtUp)
    }
    tell(.fellBehindOrCaughtUp)
  }
}
