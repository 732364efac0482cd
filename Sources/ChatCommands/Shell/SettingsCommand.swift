// SPDX-License-Identifier: GPL-3.0-or-later
import ChatParts
import ChatPreferences
import Composer
import Conversations
import StyledText

/// `/set`: shows all settings, or shows or changes one.
@MainActor
struct SettingsCommand {
  let context: CommandContext
  /// Names of commands.
  let reserved: Set<String>

  func run(_ argument: String, _ snapshot: borrowing Snapshot) throws -> Step {
    let parts = argument.split(maxSplits: 1, whereSeparator: \.isWhitespace).map(String.init)
    guard let name = parts.first else {
      return try listSettings(snapshot)
    }
    if name == KeepSetting.name {
      return try KeepCommand(context: context).keep(
        parts.count > 1 ? parts[1].trimmingBlanks : nil, snapshot)
    }
    if name == NotifySetting.name {
      return try AttentionCommands(context: context).setNotify(
        parts.count > 1 ? parts[1].trimmingBlanks : nil)
    }
    guard parts.count > 1 else {
      guard let entry = Settings.entry(name) else {
        throw Settings.unknown(name, commands: reserved)
      }
      return .answer([
        StyledLine(SafeText(line: "\(entry.name) \(value(of: entry))"), .bold)
          + StyledLine(context.glyphs.gap + entry.help, .dim)
      ])
    }
    var preferences = context.preferences
    try preferences.change(name, to: parts[1].trimmingBlanks, commands: reserved)
    if name == "accessible", context.isInteractive {
      throw Refusal(
        say(
          "The setting “accessible” takes effect only when hobnob starts: put it in hobnobrc, or start hobnob with --plain."
        ))
    }
    // As with `/nick`, a new name is permanent and other people see it.
    if name == "nick" {
      var step = try PersonCommands(context: context).nick(parts[1])
      step.effects.insert(.preferences(preferences), at: 0)
      return step
    }
    return Step([
      .preferences(preferences),
      .notice(
        say(
          "%1 is %2 until you quit; to keep it, put it in hobnobrc", SafeText(line: name),
          SafeText(line: Settings.entry(name)?.get(preferences.settings) ?? ""))),
    ])
  }

  /// The current value of a setting; people who set no name still have one.
  private func value(of entry: Settings.Entry) -> String {
    entry.name == "nick" ? context.me.name : entry.get(context.settings)
  }

  /// All settings with their current values; the settings of the open conversation are last.
  private func listSettings(_ snapshot: borrowing Snapshot) throws -> Step {
    func entry(_ name: String, _ value: String, _ help: SafeText) -> [StyledLine] {
      [
        StyledLine(SafeText(line: name), .bold), StyledLine(SafeText(line: value)),
        StyledLine(help, .dim),
      ]
    }
    var sections = Settings.sections.map { section in
      (
        heading: section.heading,
        rows: section.entries.map { entry($0.name, value(of: $0), $0.help) }
      )
    }
    if let conversation = context.open.conversation {
      let value = KeepSetting.written(try snapshot.keep(of: conversation.id))
      let notify = NotifySetting.value(context.attention, in: conversation).word
      sections.append(
        (
          say("This conversation"),
          [
            entry(KeepSetting.name, value, KeepSetting.help),
            entry(NotifySetting.name, notify, NotifySetting.help),
          ]
        ))
    }
    return context.list(sections)
  }
}

extension Arguments {
  static let setting = Arguments { query, _ in
    guard let name = query.before.first else {
      return Settings.table.map { Candidate($0.name, hint: $0.help.string) }
        + [
          Candidate(KeepSetting.name, hint: KeepSetting.help.string),
          Candidate(NotifySetting.name, hint: NotifySetting.help.string),
        ]
    }
    guard query.before.count == 1 else { return [] }
    let values =
      switch name {
      case KeepSetting.name: KeepSetting.values
      case NotifySetting.name: NotifySetting.values
      default: Settings.entry(name)?.values ?? []
      }
    return values.map { Candidate($0) }
  }
}
