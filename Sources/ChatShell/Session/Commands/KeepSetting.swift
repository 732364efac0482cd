// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import StyledText

/// `/set keep`: how long a conversation keeps its messages. It is stored with the conversation, for
/// everyone in it, and so is no setting of the table.
enum Keep {
  static let name = "keep"
  static let values = ["off", "30d", "1y"]
  static let help: SafeText = "how long this conversation keeps its messages"

  /// Days of a unit; a month is 30 of them and a year 365.
  private static let units: [(letter: Character, days: Int)] = [
    ("y", 365), ("m", 30), ("w", 7), ("d", 1),
  ]
  private static let day: Milliseconds = 86_400_000
  private static let mostDays = 365_000

  /// Milliseconds from `90d`, `6w`, `3m`, `2y`; `.some(nil)` from `off`.
  ///
  /// - Returns: nil for what is neither.
  static func age(_ text: String) -> Milliseconds?? {
    if text == "off" { return .some(nil) }
    guard let unit = units.first(where: { $0.letter == text.last }),
      text.dropLast().allSatisfy({ $0.isASCII && $0.isNumber }),
      let count = Int(written: text.dropLast(), in: 1...mostDays / unit.days)
    else { return nil }
    return Milliseconds(count * unit.days) * day
  }

  /// As it is typed, in the largest unit that leaves nothing over.
  static func written(_ age: Milliseconds?) -> String {
    guard let age else { return "off" }
    let days = Int(max(1, age / day))
    guard let unit = units.first(where: { days % $0.days == 0 }) else { return "off" }
    return "\(days / unit.days)\(unit.letter)"
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
    guard let age = Keep.age(value) else {
      throw Refusal(
        say(
          "keep cannot be %1; it takes off, or days, weeks, months or years: 90d, 6w, 3m, 2y.",
          SafeText(line: value)))
    }
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
