// SPDX-License-Identifier: GPL-3.0-or-later
import ChatPreferences
import Conversations
import Sentences
import StyledText

/// The program with its commands.
@MainActor
package struct Program {
  private let version: String
  /// What the program does without a command.
  let bare: any Subcommand.Type
  private let discussion: () -> String
  let commands: [any Subcommand.Type]

  package init(
    version: String, bare: any Subcommand.Type,
    discussion: @escaping @autoclosure () -> String,
    commands: [any Subcommand.Type]
  ) {
    (self.version, self.bare, self.discussion) = (version, bare, discussion)
    self.commands = commands
  }

  package var commandNames: [String] { commands.map { $0.name } + ["help"] }

  /// Carries out a command line.
  ///
  /// - Parameter words: the words after the program's name.
  /// - Returns: the exit status.
  package func run(_ words: [String]) -> Int32 {
    Launch.report {
      switch words.first {
      case CompletingShell.option: return try printScript(for: words.dropFirst().first)
      case CompletingShell.question: return try complete(words.dropFirst())
      default:
        let index = commandIndex(in: words)
        if index < words.count, words[index] == "help" {
          return try explain(commandNamed: words.dropFirst(index + 1).first)
        }
        let (command, rest) = command(in: words)
        return try run(command ?? bare, rest)
      }
    }
  }

  /// The command that a line names, and the line without its name. Options of every command may
  /// come before the name.
  func command(in words: [String]) -> (command: (any Subcommand.Type)?, rest: [String]) {
    let index = commandIndex(in: words)
    guard index < words.count, let command = commands.first(where: { $0.name == words[index] })
    else { return (nil, words) }
    return (command, Array(words[..<index] + words[(index + 1)...]))
  }

  /// The first word after the options of every command.
  private func commandIndex(in words: [String]) -> Int {
    let valued = LaunchOptions.parameters.filter { $0.value != nil }.map(\.name)
    var index = 0
    while index < words.count, words[index].hasPrefix("-") {
      index += valued.contains(words[index]) ? 2 : 1
    }
    return index
  }

  private func run(_ command: any Subcommand.Type, _ words: [String]) throws -> Int32 {
    let (called, options): (any Subcommand, LaunchOptions)
    do {
      (called, options) = try command.read(words)
    } catch HelpRequest.help {
      return try explain(command)
    } catch HelpRequest.version {
      return try Self.print([SafeText(line: version)])
    } catch let error as WrongUsage {
      if command is any JSONSubcommand.Type, words.contains("--json") { Self.print(error) }
      StandardError.say(sentence(for: error))
      for line in refusedUsage(of: command) { StandardError.write(line) }
      return 64
    }
    do {
      return try called.run(Launch(options: options, version: version))
    } catch {
      if (called as? any JSONSubcommand)?.json == true { Self.print(error) }
      throw error
    }
  }

  /// Prints why a command failed, for programs that read JSON.
  private static func print(_ error: any Error) {
    let line = JSONTable.error.line([.text: .text(sentence(for: error).string)])
    let output = StandardOutput()
    output.write(JSONLine.safe(line))
    output.flush()
  }

  // MARK: Help

  private func explain(commandNamed name: String?) throws -> Int32 {
    guard let name, !name.hasPrefix("-"), name != "help" else { return try explain(bare) }
    guard let command = commands.first(where: { $0.name == name }) else {
      throw WrongUsage(
        say("There is no command %1; hobnob --help lists the commands.", SafeText(line: name)))
    }
    return try explain(command)
  }

  private func explain(_ command: any Subcommand.Type) throws -> Int32 {
    var page = HelpPage()
    if command.name.isEmpty {
      describe(on: &page)
    } else {
      command.describe(on: &page)
    }
    return try Self.print(page.rows)
  }

  private func describe(on page: inout HelpPage) {
    page.addText(say("OVERVIEW: ") + SafeText(body: translated(bare.abstract)))
    page.addText("")
    page.addText(SafeText(body: discussion()))
    page.addUsage(usages)
    page.addTable(say("OPTIONS:"), HelpRequest.options)
    page.addTable(
      say("SUBCOMMANDS:"),
      commands.enumerated().map { number, command in
        let label = SafeText(line: command.name)
        let help = SafeText(body: translated(command.abstract))
        return (number == 0 ? label + " " + say("(default)") : label, help)
      })
    page.addText("")
    page.addText("  " + say("See 'hobnob help <subcommand>' for detailed help."))
  }

  /// The usage of the program without a command, and of all commands but the one that does the same.
  private var usages: [SafeText] {
    [bare.usage()] + commands.dropFirst().map { $0.usage(isShort: true) }
  }

  /// What standard error says below the reason that a command line is wrong.
  private func refusedUsage(of command: any Subcommand.Type) -> [SafeText] {
    let heading = "Usage: "
    let isBare = command.name.isEmpty
    let lines = (isBare ? usages : [command.usage()]).enumerated().map { number, line in
      SafeText(line: number == 0 ? heading : String(repeating: " ", count: heading.count)) + line
    }
    let help = isBare ? "hobnob --help" : "hobnob \(command.name) --help"
    return lines + ["  " + say("See '%1' for more information.", SafeText(line: help))]
  }

  /// - Returns: the exit status.
  private static func print(_ rows: [SafeText]) throws -> Int32 {
    let output = StandardOutput()
    for row in rows { output.write(row) }
    try output.finish()
    return 0
  }

  // MARK: Completion in other shells

  private func printScript(for shell: String?) throws -> Int32 {
    guard let shell = shell.flatMap(CompletingShell.init) else {
      throw WrongUsage(say("%1 takes bash, zsh or fish.", SafeText(line: CompletingShell.option)))
    }
    return try Self.print(SafeText(body: shell.script).lines)
  }

  /// Answers a completion script.
  ///
  /// - Parameter words: the shell and the line, as its script passes them.
  /// - Returns: the exit status.
  private func complete(_ words: ArraySlice<String>) throws -> Int32 {
    guard let shell = words.first.flatMap(CompletingShell.init) else { return 1 }
    let line = shell.line(Array(words.dropFirst()))
    switch candidates(for: line.words) {
    case .files: return CompletingShell.statusForFiles
    case .names(let names):
      return try Self.print(names.compactMap { shell.written($0, for: line) })
    }
  }
}
