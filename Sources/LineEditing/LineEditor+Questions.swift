// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc
import Platform
import Terminal

/// What the terminal is asked at the start, and never waited for: whether it knows OSC 99, and
/// whether its background is light or dark.
extension LineEditor {
  func askTerminal() {
    guard display.looks.ignoresStrings else { return }
    // Answers come in order, and more terminals know the second question.
    let questions = display.looks.colors ? BackgroundReport.question : []
    device.write(DesktopNotification.question + questions)
    terminalAskedAt = loop.now
  }

  /// Takes an answer, also a late one; false for any other event.
  func takeAnswer(_ event: KeyEvent) -> Bool {
    if DesktopNotification.isAnswer(event) {
      knowsOSC99 = true
      if !display.looks.colors { terminalAskedAt = nil }
      return true
    }
    guard BackgroundReport.isReport(event) else { return false }
    terminalAskedAt = nil
    if let isLight = BackgroundReport.isLight(event) { display.reportedBackground = isLight }
    return true
  }

  /// Milliseconds after the questions in which answers may come to a program that gets the terminal.
  private static let answerPatience: Int64 = 150

  /// Call it before another program gets the terminal: waits a moment for the answers.
  func finishQuestions() {
    guard let askedAt = terminalAskedAt else { return }
    let end = askedAt + Self.answerPatience
    while terminalAskedAt != nil, loop.now < end {
      var ready = pollfd(fd: device.input, events: Int16(POLLIN), revents: 0)
      guard poll(&ready, 1, Int32(end - loop.now)) > 0, ready.revents & Int16(POLLIN) != 0 else {
        break
      }
      readAhead { $0 }
    }
  }
}
