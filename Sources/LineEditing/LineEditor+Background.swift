// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc
import Platform
import Terminal

/// Whether the terminal's background is light or dark: asked at the start, and never waited for.
extension LineEditor {
  func askForBackground() {
    guard display.looks.knowsBackground, display.looks.colors else { return }
    device.write(BackgroundReport.question)
    backgroundAskedAt = loop.now
  }

  /// Takes the answer, also a late one; false for any other event.
  func takeBackground(_ event: KeyEvent) -> Bool {
    guard BackgroundReport.isReport(event) else { return false }
    backgroundAskedAt = nil
    if let isLight = BackgroundReport.isLight(event) { display.reportedBackground = isLight }
    return true
  }

  /// Milliseconds after the question in which an answer may come to a program that gets the
  /// terminal.
  private static let backgroundPatience: Int64 = 150

  /// Call it before another program gets the terminal: waits a moment for the answer.
  func finishBackgroundQuestion() {
    guard let askedAt = backgroundAskedAt else { return }
    let end = askedAt + Self.backgroundPatience
    while backgroundAskedAt != nil, loop.now < end {
      var ready = pollfd(fd: device.input, events: Int16(POLLIN), revents: 0)
      guard poll(&ready, 1, Int32(end - loop.now)) > 0, ready.revents & Int16(POLLIN) != 0 else {
        break
      }
      readAhead { $0 }
    }
  }
}
