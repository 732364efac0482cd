// SPDX-License-Identifier: GPL-3.0-or-later
import ChatParts
import ChatPreferences
import Conversations
import Platform
import StyledText

@MainActor
struct KeepCommand {
  let context: CommandContext

  /// `/set keep` shows the setting; `/set keep 2y` and `/set keep off` change it for the open
  /// conversation. For a new age it asks first, naming what it would delete (rule 7.12).
  func keep(_ value: String?, _ snapshot: borrowing Snapshot) throws -> Step {
    guard let value else {
      let conversation = try context.open.required()
      let age = try snapshot.keep(of: conversation.id)
      var line =
        StyledLine(SafeText(line: "\(KeepSetting.name) \(KeepSetting.written(age))"), .bold)
        + StyledLine(context.glyphs.gap + KeepSetting.help, .dim)
      if let begin = try snapshot.keepBegins(in: conversation.id) {
        line += StyledLine("; " + say("from %1 on", LocalTime.stamp(begin)), .dim)
      }
      return .answer([line])
    }
    let conversation = try context.open.requiredAsMember()
    guard let wanted = KeepSetting.age(value) else { throw KeepSetting.invalidValue(value) }
    let name = SafeText(name: conversation.name)
    if try snapshot.keep(of: conversation.id) == wanted {
      return .tell(
        say(
          "In %1, the setting “keep” is already %2.", name,
          SafeText(line: KeepSetting.written(wanted))))
    }
    guard let age = wanted else { return set(nil, in: conversation.id) }
    try context.requireTerminal(say("/set keep %1", SafeText(line: value)))
    let begin = Clock.wall() + Upkeep.keepDelay
    // Messages of this millisecond also count.
    let (messages, files) = try snapshot.aged(in: conversation.id, before: begin - age + 1)
    return .ask(
      Question(
        say(
          "hobnob would delete %1 and %2 here for everyone tomorrow, and later others as they become too old. Do that?",
          say("1 message", "%1 messages", count: messages),
          say("1 file", "%1 files", count: files)),
        [("y", say("yes"), .keep(conversation.id, age))], otherwise: say("any other key: no")))
  }

  /// - Parameter age: milliseconds; nil to keep all.
  func set(_ age: Milliseconds?, in conversation: ID<Conversation>) -> Step {
    // A batch prints no events, so say it here; it can only set `off`.
    let isSaid = age == nil && !context.isInteractive
    let name = SafeText(name: context.open.conversation?.name ?? "")
    return .change(isSaid ? [.tell(say("%1 keeps all its messages.", name))] : []) {
      try $0.setKeep(conversation, age, by: context.me.id, after: Upkeep.keepDelay)
    }
  }
}
