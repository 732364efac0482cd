// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// Dates and times as XMPP writes them (XEP-0082): `2026-06-01T12:00:00.5Z`.
enum Timestamp {
  /// When there was an XMPP to write in, in milliseconds; what is outside is nobody's time.
  static let earliest: Milliseconds = 915_148_800_000
  /// How far another clock may be ahead.
  static let skew: Milliseconds = 300_000

  /// What a stamp says; nil for what is none, was before there was XMPP, or is yet to come.
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
