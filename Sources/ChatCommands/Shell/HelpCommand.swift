// SPDX-License-Identifier: GPL-3.0-or-later
import ChatParts
import StyledText

/// `/help`: lists the commands, or explains one.
@MainActor
struct HelpCommand {
  let context: CommandContext
  /// The commands by subject.
  let sections: [(heading: SafeText, commands: [Command])]

  private var all: [Command] { sections.flatMap(\.commands) }

  func run(_ argument: String) throws -> Step {
    let name = argument.hasPrefix("/") ? String(argument.dropFirst()) : argument
    if !name.isEmpty {
      guard let command = all.first(where: { $0.name == name }) else {
        throw Command.unknown(name, among: all.map(\.name))
      }
      return .answer(
        [
          StyledLine(SafeText(line: command.usage), .bold), StyledLine("  " + command.help),
        ] + command.more.map { StyledLine("  " + $0) }, indent: 4)
    }
    func entry(_ usage: String, _ help: SafeText) -> [StyledLine] {
      [StyledLine(SafeText(line: usage), .bold), StyledLine(help)]
    }
    var list = sections.map { section in
      (heading: section.heading, rows: section.commands.map { entry($0.usage, $0.help) })
    }
    list.append(
      (
        say("Keys"),
        [
          entry("Return", say("send the line; M-Return begins a new one")),
          entry("TAB", say("complete a word or name, then enter the menu")),
          entry("C-c", say("empty the line; C-_ brings it back")),
          entry("C-d", say("on an empty line, quit hobnob")),
          entry("/keys", say("list all keys; man hobnob has the rest")),
        ]
      ))
    return context.list(list)
  }
}
