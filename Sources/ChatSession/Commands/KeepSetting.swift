// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import StyledText

/// `/set keep`: how long a conversation keeps its messages. It is stored with the conversation, for
/// everyone in it, and so is not a setting of the table.
enum Keep {
  static let name = "keep"
  static let values = ["off", "30d", "1y"]
  static let help: SafeText = "how long this conversation keeps its messages"

  private static let day: Milliseconds = 86_400_000
  private static let mostDays = 365_000

  /// Milliseconds from `90d`, `6w`, `3mo`, `2y`; `.some(nil)` from `off`.
  ///
  /// - Returns: nil for what is neither. Minutes and hours are not: `3m` once was three months, and
  ///   would now make messages go after three minutes.
  static func age(_ text: String) -> Milliseconds?? {
    if text == "off" { return .some(nil) }
    guard let days = WrittenAge(text)?.days, (1...mostDays).contains(days) else { return nil }
    return Milliseconds(days) * day
  }

  /// As it is typed, in the largest unit that leaves nothing over.
  static func written(_ age: Milliseconds?) -> String {
    guard let age else { return "off" }
    let days = Int(max(1, age / day))
    let units: [WrittenAge.Unit] = [.years, .months, .weeks, .days]
    for unit in units {
      if let each = WrittenAge(1, unit).days, days % each == 0 {
        return "\(days / each)\(unit.rawValue)"
      }
    }
    return "\(days)d"
  }

  /// Said of a value that it cannot have.
  static func refusal(of value: String) -> Refusal {
    var shown = SafeText(line: value)
    switch WrittenAge(value)?.unit {
    case .minutes: shown = say("%1, which is minutes", shown)
    case .hours: shown = say("%1, which is hours", shown)
    default: break
    }
    return Refusal(
      say(
        "keep cannot be %1; it takes off, or days, weeks, months or years: 90d, 6w, 3mo, 2y.",
        shown))
  }

  /// Said where there is no conversation: in an rc file.
  static var belongsToAConversation: Refusal {
    Refusal(
      say("keep belongs to a conversation, not to a file; type /set keep 2y in the conversation."))
  }
}

@MainActor
struct KeepCommand: SessionPart {
  let session: Session

  /// `/set keep` shows, `/set keep 2y` and `/set keep off` change it for the open conversation.
  func keep(_ value: String?) throws {
    let conversation = try place.required()
    guard let value else {
      let age = try store.keep(of: conversation.id)
      return transcript.answer([
        StyledLine(SafeText(line: "\(Keep.name) \(Keep.written(age))"), .bold)
          + StyledLine("  " + Keep.help, .dim)
      ])
    }
    guard let age = Keep.age(value) else { throw Keep.refusal(of: value) }
    try store.setKeep(conversation.id, age)
    let name = SafeText(name: conversation.name)
    tell(
      age == nil
        ? say("%1 keeps its messages for ever.", name)
        : say(
          "%1 forgets what is older than %2, for everyone in it.", name,
          SafeText(line: Keep.written(age))))
  }
}
