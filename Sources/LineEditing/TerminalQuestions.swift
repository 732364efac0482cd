// SPDX-License-Identifier: GPL-3.0-or-later
import Platform
import Terminal

/// Questions to the terminal at the start: whether it knows OSC 99, and whether its background is
/// light or dark. hobnob does not wait for the answers.
@MainActor
struct TerminalQuestions {
  /// When the terminal was asked; nil once it has answered.
  private(set) var askedAt: MonotonicTime?
  /// Whether the terminal reported that it knows OSC 99.
  private(set) var knowsOSC99 = false

  /// - Returns: what to write to the terminal.
  mutating func ask(of terminal: Painter.TerminalCapabilities, at now: MonotonicTime) -> [UInt8] {
    guard terminal.ignoresStrings else { return [] }
    askedAt = now
    // Answers come in order, and more terminals know the second question, so ask it last.
    return DesktopNotification.question + (terminal.colors ? BackgroundReport.question : [])
  }

  /// Handles an answer, even a late one. Returns false for any other event.
  mutating func take(_ event: KeyEvent, _ display: LineDisplay) -> Bool {
    if DesktopNotification.isReport(event) {
      knowsOSC99 = true
      if !display.capabilities.colors { askedAt = nil }
      return true
    }
    guard BackgroundReport.isReport(event) else { return false }
    askedAt = nil
    if let isLight = BackgroundReport.isLight(event) { display.reportedBackground = isLight }
    return true
  }

  /// Milliseconds that a terminal far away may take to answer; many never do.
  private static let longestAnswer: Int64 = 2000

  /// Whether the terminal was asked so lately that it may still answer.
  func mayBeAnswered(at now: MonotonicTime) -> Bool {
    askedAt.map { now - $0 <= Self.longestAnswer } ?? false
  }
}
