// SPDX-License-Identifier: GPL-3.0-or-later
import ChatPreferences
import Conversations
import StyledText

extension AccountStatus {
  /// How much of a status to show. The status line uses a shorter form if the whole does not fit;
  /// `/account` always shows the whole.
  package enum Detail {
    /// `offline until 12:04: the server went away`
    case whole
    /// `offline until 12:04`
    case withTime
    /// `offline`
    case word
  }

  /// The status in words, wherever it is shown.
  ///
  /// - Parameters:
  ///   - bars: the glyphs for progress bars; nil to show percentages only.
  ///   - now: what the wall clock shows.
  package func words(
    _ detail: Detail = .whole, bars: Glyphs? = nil, now: Milliseconds
  ) -> SafeText {
    switch self {
    case .notRunning: say("not running")
    case .connecting: say("connecting")
    case .connected(let activities):
      activities.isEmpty
        ? say("connected") : activities.map { $0.words(bars: bars) }.joinedAsList()
    case .storeIsFull: say("cannot write to the store; hobnob receives nothing until it can")
    case .offline(let reason, let nextTry):
      switch detail {
      case .whole:
        say(
          "%1: %2", Self.offline(until: nextTry, now: now),
          // Without its full stop.
          SafeText(line: reason.text.hasSuffix(".") ? String(reason.text.dropLast()) : reason.text))
      case .withTime: Self.offline(until: nextTry, now: now)
      case .word: say("offline")
      }
    case .ended(let reason): SafeText(line: reason)
    }
  }

  /// Shows the next try as a time of day, since counting down would wake the machine every second;
  /// with seconds if it is less than a minute away.
  private static func offline(until nextTry: Milliseconds?, now: Milliseconds) -> SafeText {
    guard let nextTry else { return say("offline") }
    return say(
      "offline until %1", LocalTime.clock(nextTry, hasSeconds: nextTry < now + 60_000))
  }
}

extension AccountStatus.Activity {
  fileprivate func words(bars: Glyphs?) -> SafeText {
    switch self {
    case .catchingUp(let messages, let percent):
      Self.line(say("catching up %1", SafeText(grouped: messages)), percent, bars)
    case .entering(let rooms):
      say("entering a room", "entering %1 rooms", count: rooms)
    case .exploring: say("listing the server's rooms")
    case .uploading(let name, let percent):
      Self.line(say("uploading %1", SafeText(line: name)), percent, bars)
    case .fetching(let name, let percent):
      Self.line(say("fetching %1", SafeText(line: name)), percent, bars)
    case .fetchingSeveral(let files): say("fetching %1 files", SafeText(files))
    case .throttled(let lines):
      say(
        "1 line held back by the flood limit", "%1 lines held back by the flood limit",
        count: lines)
    case .unanswered(let entries, let since):
      say(
        "the program has not answered a message since %2",
        "the program has not answered %1 messages since %2", count: entries,
        LocalTime.clock(since))
    }
  }

  /// `uploading a.png ████░░░░░░ 45 %`
  private static func line(_ words: SafeText, _ percent: Int?, _ bars: Glyphs?) -> SafeText {
    guard let percent else { return words }
    guard let bars else { return say("%1 %2 %%", words, SafeText(percent)) }
    let columns = 10
    let done = percent * columns / 100
    let bar = (0..<columns).map { $0 < done ? bars.done : bars.notDone }.joined()
    return say("%1 %2 %3 %%", words, bar, SafeText(percent))
  }
}
