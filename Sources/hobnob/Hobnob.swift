// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import ChatShell
import Conversations
import Glibc

/// The command line (rule 11).
struct Hobnob: ParsableCommand {
  static let subcommandNames = ["open", "send", "log", "export", "import", "check", "help"]

  static let configuration = CommandConfiguration(
    commandName: "hobnob",
    abstract: "Chat from a shell's line.",
    usage: """
      hobnob [OPTIONS] [CONVERSATION]
      hobnob send CONVERSATION [TEXT ...]
      hobnob log CONVERSATION
      hobnob export [CONVERSATION ...]
      hobnob import [FILE ...]
      hobnob check
      """,
    discussion: """
      Without CONVERSATION the last one opens, or the room lobby. A bare name is a room; \
      '#lobby' and @name work too, but # begins a comment in a shell and has to be quoted. \
      man hobnob tells the rest.
      """,
    version: "hobnob 0.1.0",
    subcommands: [Open.self, Send.self, Log.self, Export.self, Import.self, Check.self],
    defaultSubcommand: Open.self)
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

struct Send: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Send a message: TEXT, or standard input.")
  @OptionGroup var every: EveryCommand
  @Argument(help: "A room's name, or @name of a person. Quote a leading #: '#lobby'.")
  var conversation: String
  @Argument(help: "The text; without it, standard input.")
  var text: [String] = []
  @Option(help: ArgumentHelp("Wait until it is sent, delivered or seen.", valueName: "state"))
  var wait: String?
  @Option(help: ArgumentHelp("How many seconds to wait.", valueName: "seconds"))
  var timeout = 60

  func validate() throws {
    if let wait, state == nil {
      throw ValidationError("--wait takes sent, delivered or seen, not \(wait).")
    }
    guard (0...1_000_000).contains(timeout) else {
      throw ValidationError("--timeout takes seconds from 0 to 1000000.")
    }
  }

  private var state: DeliveryState? {
    switch wait {
    case "sent": .sent
    case "delivered": .delivered
    case "seen": .seen
    default: nil
    }
  }

  func run() {
    finish(every) {
      try $0.send(
        to: conversation, text: text.isEmpty ? nil : text.joined(separator: " "), wait: state,
        seconds: timeout)
    }
  }
}

struct Log: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Print messages of a conversation.")
  @OptionGroup var every: EveryCommand
  @Argument(help: "A room's name, or @name of a person. Quote a leading #: '#lobby'.")
  var conversation: String
  @Option(help: ArgumentHelp("How many of the newest messages (20).", valueName: "n"))
  var lines: Int?
  @Option(
    help: ArgumentHelp(
      "Only messages since a time: 2026-11-21T10:30, or an age: 12h.", valueName: "time"))
  var since: String?
  @Flag(help: "Go on with what arrives.")
  var follow = false

  func validate() throws {
    if let lines, lines < 0 { throw ValidationError("--lines takes a number from 0.") }
  }

  func run() {
    finish(every) { try $0.log(conversation, lines: lines, since: since, follows: follow) }
  }
}

struct Check: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Look whether the store is whole, and what the terminal can do.")
  @OptionGroup var every: EveryCommand

  func run() { finish(every) { try $0.check() } }
}
