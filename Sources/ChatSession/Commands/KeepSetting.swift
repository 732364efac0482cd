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
    guard let days = DurationParser(text)?.days, (1...mostDays).contains(days) else { return nil }
    return Milliseconds(days) * day
  }

  /// As it is typed, in the largest unit that leaves nothing over.
  static func written(_ age: Milliseconds?) -> String {
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

  /// Said of a value that it cannot have.
  static func refusal(of value: String) -> Refusal {
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

  /// Said of this and of `notify` where there is no conversation: in an rc file.
  static func belongsToAConversation(_ name: String) -> Refusal {
    let example: SafeText = name == Keep.name ? "keep 2y" : "notify none"
    return Refusal(
      say(
        "%1 belongs to a conversation, not to a file; type /set %2 in the conversation.",
        SafeText(line: name), example))
  }
}

@MainActor
struct KeepCommand: SessionPart {
  let session: Session

  /// `/set keep` shows, `/set keep 2y` and `/set keep off` change it for the open conversation. A
  /// new age first asks, naming what would be deleted (rule 7.12).
  func keep(_ value: String?) throws {
    guard let value else {
      let conversation = try place.required()
      let age = try store.read { try $0.keep(of: conversation.id) }
      var line =
        StyledLine(SafeText(line: "\(Keep.name) \(Keep.written(age))"), .bold)
        + StyledLine("  " + Keep.help, .dim)
      if let begin = try store.read({ try $0.keepBegins(in: conversation.id) }) {
        line += StyledLine("; " + say("from %1 on", LocalTime.stamp(begin)), .dim)
      }
      return transcript.answer([line])
    }
    let conversation = try place.requiredAsMember()
    guard let wanted = Keep.age(value) else { throw Keep.refusal(of: value) }
    let name = SafeText(name: conversation.name)
    if try store.read({ try $0.keep(of: conversation.id) }) == wanted {
      return tell(say("%1 already has keep %2.", name, SafeText(line: Keep.written(wanted))))
    }
    guard let age = wanted else { return try set(nil, in: conversation.id) }
    try requireSomebodyToAsk(say("/set keep %1", SafeText(line: value)))
    let begin = Store.wallClock() + Store.keepDelay
    // Messages of this millisecond count, too.
    let (messages, files) = try store.read {
      try $0.aged(in: conversation.id, before: begin - age + 1)
    }
    emit(
      .ask(
        say(
          "Delete %1 and %2 for all from tomorrow? y: yes, any other key: no",
          messages == 1 ? say("1 message") : say("%1 messages", SafeText(messages)),
          files == 1 ? say("1 file") : say("%1 files", SafeText(files))),
        ["y": .keep(conversation.id, age)]))
  }

  /// - Parameter age: milliseconds; nil: keep all.
  func set(_ age: Milliseconds?, in conversation: ID<Conversation>) throws {
    try store.writeDurablyIfNeeded {
      try $0.setKeep(conversation, age, by: me.id, after: Store.keepDelay)
    }
    news.catchUp()
    // A batch shows no events, and `off` is all that it can set.
    guard age == nil, !session.isInteractive else { return }
    tell(say("%1 keeps all its messages.", SafeText(name: try place.required().name)))
  }
}
