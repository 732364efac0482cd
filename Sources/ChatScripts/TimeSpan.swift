// SPDX-License-Identifier: GPL-3.0-or-later
import ChatPreferences
import Conversations
import StyledText

/// The time span of `--since` and `--until`.
struct TimeSpan: Equatable {
  var start = Milliseconds.min
  /// The first moment after the span; nil for no end.
  var end: Milliseconds?

  static let always = TimeSpan()

  private init() {}

  /// - Parameters:
  ///   - since: nil for no beginning.
  ///   - until: nil for no end; a year, month, day, minute or second counts as a whole.
  /// - Throws: `WrongUsage` for a text that is not a time.
  init(since: String?, until: String?, now: Milliseconds) throws {
    if let since { start = try Self.span(since, now).lowerBound }
    if let until { end = try Self.span(until, now).upperBound }
  }

  private static func span(_ text: String, _ now: Milliseconds) throws -> Range<Milliseconds> {
    guard let span = DateParser.span(text, now: now) else {
      throw WrongUsage(
        say(
          "%1 is not a time. Write 2026-11-21, 2026-11-21T10:30, 2026-11, today, yesterday, or an age like 90m, 12h, 3d, 2w, 6mo, 1y.",
          SafeText(line: text)))
    }
    return span
  }

  var isAlways: Bool { self == .always }

  func contains(_ time: Milliseconds) -> Bool {
    time >= start && end.map { time < $0 } ?? true
  }
}
