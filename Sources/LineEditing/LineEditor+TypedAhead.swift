// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc
import Platform
import Terminal

/// Keys typed before the prompt was there (rule 5.2), or while another program had the terminal.
extension LineEditor {
  /// Whether the user has typed something that the line does not show yet (rule 5.2).
  package func hasTypedAhead() -> Bool {
    readAhead { $0 }
    return keys.typedAhead.contains { event in
      switch event {
      case .focus, .reply: false
      default: true
      }
    }
  }

  func readAhead(_ change: (KeyEvent) -> KeyEvent) {
    keepAhead(
      keys.undecidedKeys()
        + (availableKeys() ?? []).filter { !takeAnswer($0) }.map(change))
  }

  /// Keeps keys for the next turn of the loop.
  func keepAhead(_ events: [KeyEvent]) {
    let isFirst = keys.typedAhead.isEmpty
    keys.typedAhead += events
    guard isFirst, !keys.typedAhead.isEmpty else { return }
    loop.after(milliseconds: 0) { [weak self] in
      self?.takeTypedAhead()
      self?.keys.startTimers()
    }
  }

  /// For how long nobody may have read the keys, in milliseconds: long enough for all the lines that
  /// a person types ahead. More lines are a paste.
  private static let longestAway: Int64 = 10_000

  func takeTypedAhead() {
    var events = keys.typedAhead.filter { !takeReport($0) }
    keys.typedAhead = []
    // In plain mode each line is one (rule 1.9).
    if displayMode == .tty { events = keys.withoutPastes(events, busy: Self.longestAway) }
    if !events.isEmpty { handle(events) }
  }

  /// For so many milliseconds after the questions, answers could reach another program that gets
  /// the terminal.
  private static let answerPatience: Int64 = 150

  /// Waits a moment for the answers. Call this before another program gets the terminal.
  func finishQuestions() {
    let times = [questions.askedAt, resizeProbe.placeAskedAt].compactMap(\.self)
    guard let askedAt = times.max() else { return }
    let end = askedAt + Self.answerPatience
    while questions.askedAt != nil || resizeProbe.placeAskedAt != nil, loop.now < end {
      var ready = pollfd(fd: device.input, events: Int16(POLLIN), revents: 0)
      guard poll(&ready, 1, Int32(end - loop.now)) > 0, ready.revents & Int16(POLLIN) != 0 else {
        break
      }
      readAhead { $0 }
    }
  }
}
