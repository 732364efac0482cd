// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import StyledText

/// `/set keep`: how long a conversation keeps its messages. The store keeps it with the
/// conversation, for everyone in it, so it is not in the table of settings.
package enum KeepSetting {
  package static let name = "keep"
  package static let values = ["off", "30d", "1y"]
  package static var help: SafeText { say("how long this conversation keeps its messages") }

  private static let day: Milliseconds = 86_400_000
  private static let mostDays = 365_000

  /// Parses `90d`, `6w`, `3mo` or `2y` into milliseconds, and `off` into `.some(nil)`.
  ///
  /// - Returns: nil for anything else. Minutes and hours are invalid: `3m` once was three months,
  ///   and would now remove messages after three minutes.
  package static func age(_ text: String) -> Milliseconds?? {
    if text == "off" { return .some(nil) }
    guard let days = DurationParser(text)?.days, (1...mostDays).contains(days) else { return nil }
    return Milliseconds(days) * day
  }

  /// Writes an age as people type it, in the largest unit that divides it.
  package static func written(_ age: Milliseconds?) -> String {
    guard let age else { return "off" }
    let days = Int(max(1, age / day))
    let units: [DurationParser.Unit] = [.years, .months, .weeks, .days]
    for unit in units {
      if let each = DurationParser(1, unit).days, days % each == 0 {
        return "\(days / each)\(unit.rawValue)"
      }
    }
    return "\(days)d"
  }

  package static func invalidValue(_ value: String) -> Refusal {
    var shown = say("“%1”", SafeText(line: value))
    switch DurationParser(value)?.unit {
    case .minutes: shown = say("%1 (minutes)", shown)
    case .hours: shown = say("%1 (hours)", shown)
    default: break
    }
    return Refusal(
      say(
        "%1 is not a valid value for keep; use off, or days, weeks, months or years: 90d, 6w, 3mo, 2y.",
        shown))
  }

  /// The message for `keep` or `notify` in an rc file, where there is no conversation.
  static func belongsToAConversation(_ name: String) -> Refusal {
    let example: SafeText = name == KeepSetting.name ? "keep 2y" : "notify none"
    return Refusal(
      say(
        "%1 is a setting of a conversation and does not work in a file; type /set %2 in the conversation.",
        SafeText(line: name), example))
  }
}
