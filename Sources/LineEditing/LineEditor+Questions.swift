// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc
import Platform
import Terminal

/// Questions to the terminal at the start: whether it knows OSC 99, and whether its background is
/// light or dark. hobnob does not wait for the answers.
extension LineEditor {
  func askTerminal() {
    guard display.capabilities.ignoresStrings else { return }
    // Answers come in order, and more terminals know the second question, so ask it last.
    let questions = display.capabilities.colors ? BackgroundReport.question : []
    device.write(DesktopNotification.question + questions)
    terminalAskedAt = loop.now
  }

  /// Handles an answer, even a late one. Returns false for any other event.
  func takeAnswer(_ event: KeyEvent) -> Bool {
    if DesktopNotification.isReport(event) {
      knowsOSC99 = true
      if !display.capabilities.colors { terminalAskedAt = nil }
      return true
    }
    guard BackgroundReport.isReport(event) else { return false }
    terminalAskedAt = nil
    if let isLight = BackgroundReport.isLight(event) { display.reportedBackground = isLight }
    return true
  }

  /// Milliseconds that a terminal far away may take to answer; many never do.
  private static let longestAnswer: Int64 = 2000

  /// Whether the terminal was asked so lately that it may still answer.
  var isTerminalAsked: Bool {
    terminalAskedAt.map { loop.now - $0 <= Self.longestAnswer } ?? false
  }

  /// For so many milliseconds after the questions, answers could reach another program that gets
  /// the terminal.
  private static let answerPatience: Int64 = 150

  /// Waits a moment for the answers. Call this before another program gets the terminal.
  func finishQuestions() {
    let placeAskedAt = resizeProbe.isForPlace ? resizeProbe.askedAt : nil
    guard let askedAt = [terminalAskedAt, placeAskedAt].compactMap(\.self).max() else { return }
    let end = askedAt + Self.answerPatience
    while terminalAskedAt != nil || resizeProbe.isForPlace, loop.now < end {
      var ready = pollfd(fd: device.input, events: Int16(POLLIN), revents: 0)
      guard poll(&ready, 1, Int32(end - loop.now)) > 0, ready.revents & Int16(POLLIN) != 0 else {
        break
      }
      readAhead { $0 }
    }
  }
}

/// Keys typed before the prompt was there (rule 5.2), or while another program had the terminal.
extension LineEditor {
  /// Whether the user has typed something that the line does not show yet (rule 5.2).
  package func hasTypedAhead() -> Bool {
    readAhead { $0 }
    return typedAhead.contains { event in
      switch event {
      case .focus, .reply: false
      default: true
      }
    }
  }

  func readAhead(_ change: (KeyEvent) -> KeyEvent) {
    let isFirst = typedAhead.isEmpty
    typedAhead += keys.undecidedKeys()
    typedAhead += (availableKeys() ?? []).filter { !takeAnswer($0) && !takePlace($0) }
      .map(change)
    guard isFirst, !typedAhead.isEmpty else { return }
    loop.after(milliseconds: 0) { [weak self] in
      self?.takeTypedAhead()
      self?.keys.startTimers()
    }
  }

  /// For how long nobody may have read the keys, in milliseconds: long enough for all the lines that
  /// a person types ahead. More lines are a paste.
  private static let longestAway: Int64 = 10_000

  func takeTypedAhead() {
    var events = typedAhead.filter { !takeReport($0) }
    typedAhead = []
    // In plain mode each line is one (rule 1.9).
    if displayMode == .tty { events = keys.withoutPastes(events, busy: Self.longestAway) }
    if !events.isEmpty { handle(events) }
  }
}
