// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// Dates and times as XMPP writes them (XEP-0082): `2026-06-01T12:00:00.5Z`.
enum Timestamp {
  /// In milliseconds; XMPP did not exist before this time, so an earlier one is wrong.
  static let earliest: Milliseconds = 915_148_800_000
  /// How many milliseconds another clock may be ahead.
  static let skew: Milliseconds = 300_000

  /// The time that a stamp names; nil if it is malformed, before `earliest` or in the future.
  static func time(_ stamp: String, now: Milliseconds) -> Milliseconds? {
    guard stamp.utf8.count <= 64, let time = DateParser(stamp)?.exact, time >= earliest,
      time <= now + skew
    else { return nil }
    return min(time, now)
  }

  /// A stamp of whole seconds, in UTC.
  static func text(_ time: Milliseconds) -> String {
    DateParser.text(max(earliest, time))
  }
}
