// SPDX-License-Identifier: GPL-3.0-or-later
import Platform
import Terminal

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
