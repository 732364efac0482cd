// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import ChatShell
import Glibc

/// The command line (rule 11).
struct Hobnob: ParsableCommand {
  static let subcommandNames = [
    "open", "send", "log", "search", "unread", "wait", "export", "import", "check", "help",
  ]

  static let configuration = CommandConfiguration(
    commandName: "hobnob",
    abstract: "Chat from a shell's line.",
    usage: """
      hobnob [OPTIONS] [CONVERSATION]
      hobnob send CONVERSATION [TEXT ...]
      hobnob log CONVERSATION
      hobnob search QUERY ...
      hobnob unread
      hobnob wait [CONVERSATION]
      hobnob export [CONVERSATION ...]
      hobnob import [FILE ...]
      hobnob check
      """,
    discussion: """
      Without CONVERSATION the last one opens, or the room lobby. A bare name is a room; \
      '#lobby' and @name work too, but # begins a comment in a shell and has to be quoted. \
      man hobnob tells the rest.

      Every command takes --as NAME (who you are), --store PATH, --shared, --rc FILE, \
      --no-rc and --plain; hobnob open --help says what they do.
      """,
    version: "hobnob 0.1.0",
    subcommands: [
      Open.self, Send.self, Log.self, Search.self, Unread.self, Wait.self, Export.self,
      Import.self, Check.self,
    ],
    defaultSubcommand: Open.self)

  // What the parser says of a wrong command line begins like every other sentence.
  static var _errorPrefix: String { "hobnob: " }

  /// Parses a command line and carries it out.
  static func end(with arguments: [String]) -> Never {
    do {
      var command = try parseAsRoot(arguments)
      try command.run()
      Glibc.exit(0)
    } catch {
      let code = exitCode(for: error)
      var text = fullMessage(for: error)
      // Without a subcommand `open` was only the parser's guess; its usage is not what helps.
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

/// Options of every command.
struct EveryCommand: ParsableArguments {
  @Option(help: ArgumentHelp("The store to use instead of your own.", valueName: "path"))
  var store: String?
  @Flag(help: "Make the store for the group of its folder.")
  var shared = false
  @Option(
    name: .customLong("as"),
    help: ArgumentHelp("Who you are, instead of your login name.", valueName: "name"))
  var name: String?
  @Option(help: ArgumentHelp("The settings to read instead of hobnobrc.", valueName: "file"))
  var rc: String?
  @Flag(name: .customLong("no-rc"), help: "Read no settings.")
  var noRc = false
  @Flag(help: "Draw nothing, for dumb terminals and screen readers.")
  var plain = false

  var launch: LaunchOptions {
    var options = LaunchOptions()
    options.store = store
    options.isShared = shared
    options.name = name
    options.rc = rc
    options.ignoresRc = noRc
    options.isPlain = plain
    return options
  }
}

/// Ends the program with the status that `body` gives or its error means.
func finish(
  _ every: EveryCommand, _ body: @MainActor (Launch) throws -> Int32
) -> Never {
  let options = every.launch
  // The parser calls commands on the main thread, without saying so in their types.
  let status = MainActor.assumeIsolated {
    let launch = Launch(options: options)
    return launch.report { try body(launch) }
  }
  exit(status)
}

/// The conversation of a command.
struct NamedConversation: ParsableArguments {
  @Argument(help: "A room's name, or @name of a person. Quote a leading #: '#lobby'.")
  var conversation: String
}

struct Open: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Open the shell in a conversation, whatever it is named.")
  @OptionGroup var every: EveryCommand
  @Argument(help: "A room's name, or @name of a person. Quote a leading #: '#lobby'.")
  var conversation: String?

  func run() {
    finish(every) { try $0.shell(conversation, isCertain: true) }
  }
}
