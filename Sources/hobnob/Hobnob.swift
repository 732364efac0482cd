// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import ChatScripts
import ChatShell
import Glibc
import Sentences

/// The command line (rule 11).
struct Hobnob: ParsableCommand {
  private static let subcommands: [any Subcommand.Type] = [
    OpenShell.self, SendScript.self, LogScript.self, SearchScript.self, UnreadScript.self,
    WaitScript.self, ExportScript.self, ImportScript.self, CheckScript.self,
    ConnectScript.self, AccountScript.self, DemoShell.self,
  ]

  /// The names of the commands, and of the parser's own.
  static let subcommandNames =
    subcommands.compactMap { $0.configuration.commandName } + ["help"]

  static let configuration = CommandConfiguration(
    commandName: "hobnob",
    abstract: translated("A chat shell with a readline prompt."),
    usage: """
      hobnob [OPTIONS] [--create] [CONVERSATION]
      hobnob send CONVERSATION [TEXT ...]
      hobnob log CONVERSATION
      hobnob search QUERY ...
      hobnob unread
      hobnob wait [CONVERSATION]
      hobnob export [CONVERSATION ...]
      hobnob import [FILE ...]
      hobnob check
      hobnob connect [ADDRESS]
      hobnob account register ADDRESS
      hobnob demo
      """,
    discussion: translated(
      """
      Without CONVERSATION, hobnob opens your last one, or else the room #lobby. A bare name is a \
      room; '#lobby' and @name work too, but quote the #, because it begins a comment in a shell. \
      --create creates a room that does not exist. man hobnob explains the rest.

      Every command takes --as NAME (who you are), --store PATH, --shared, --rc FILE, \
      --no-rc and --plain; hobnob open --help explains them.
      """),
    version: "hobnob 0.1.0",
    subcommands: subcommands,
    defaultSubcommand: OpenShell.self)

  // The parser's errors begin like every other sentence.
  static var _errorPrefix: String { "hobnob: " }

  /// Answers a shell that completes a word, as the parser's completion scripts ask: with a name a
  /// line, or nothing.
  static func complete(_ arguments: [String]) -> Never {
    do {
      _ = try parseAsRoot(arguments)
    } catch {
      let names = fullMessage(for: error)
      if exitCode(for: error).isSuccess {
        Glibc.exit(names.isEmpty ? 0 : Launch.answer(names, status: 0))
      }
    }
    Glibc.exit(1)
  }

  /// Parses a command line and carries it out.
  static func end(with arguments: [String]) -> Never {
    // The parser would show the overview.
    if arguments.first == "help", let name = arguments.dropFirst().first, !name.hasPrefix("-"),
      !subcommandNames.contains(name)
    {
      Glibc.exit(Launch.refuse(commandToExplain: name))
    }
    do {
      var command = try parseAsRoot(arguments)
      try command.run()
      Glibc.exit(0)
    } catch {
      let code = exitCode(for: error)
      var text = Launch.withoutFarGuess(fullMessage(for: error))
      if code.isSuccess {
        text =
          arguments.first == CompletionScript.option
          ? CompletionScript.completed(text, commands: subcommandNames)
          : HelpText.inUsersLanguage(text)
      }
      // Without a subcommand `open` was only the parser's guess, so its usage would not help.
      if !code.isSuccess, !subcommandNames.contains(arguments.first ?? "") {
        let first = text.split(separator: "\n").first.map(String.init) ?? ""
        text = "\(first)\nUsage: \(usageLines)\n  See 'hobnob --help' for more information."
      }
      Glibc.exit(Launch.answer(text, to: arguments, status: code.rawValue))
    }
  }

  private static var usageLines: String {
    (configuration.usage ?? "").split(separator: "\n").joined(separator: "\n       ")
  }
}
