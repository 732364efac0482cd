// SPDX-License-Identifier: GPL-3.0-or-later
import ChatPreferences
import StyledText

/// A command of the program (rule 11.3): what its command line may have, and what it does.
package protocol Subcommand: Sendable {
  /// Empty for the program without a command.
  static var name: String { get }
  static var abstract: StaticString { get }
  static var parameters: [Parameter<Self>] { get }

  init()

  /// - Throws: `WrongUsage` for parameters that do not go together.
  func validate() throws

  /// The error for a word that looks like an option; nil for the usual one.
  static func refusal(of word: String) -> WrongUsage?

  /// - Returns: the exit status.
  @MainActor func run(_ launch: Launch) throws -> Int32
}

extension Subcommand {
  package func validate() throws {}

  package static func refusal(of word: String) -> WrongUsage? { nil }
}

/// A command that prints JSON if it is asked to: then its last line says why it failed.
protocol JSONSubcommand: Subcommand {
  var json: Bool { get }
}

/// A command with what the command line says to it.
struct Invocation<Command: Subcommand> {
  var options = LaunchOptions()
  var command = Command()

  static var parameters: [Parameter<Self>] {
    LaunchOptions.parameters.map { $0.of(\.options) } + Command.parameters.map { $0.of(\.command) }
  }
}

extension Subcommand {
  /// - Parameter words: the command line without the program and the command.
  /// - Throws: `WrongUsage`; ``HelpRequest`` if the command line asks for help instead.
  package static func read(_ words: [String]) throws -> (command: Self, options: LaunchOptions) {
    var reader = ArgumentReader<Self>()
    var rest = words[...]
    while let word = rest.first {
      if reader.beginsText(word) {
        try reader.takeText(rest)
        break
      }
      try reader.take(word)
      rest.removeFirst()
    }
    var invocation = Invocation<Self>()
    try reader.finish(&invocation)
    try invocation.command.validate()
    return (invocation.command, invocation.options)
  }
}

extension LaunchOptions {
  /// The options of every command.
  static var parameters: [Parameter<Self>] {
    [
      Parameter(
        "--store", \.store, value: "path", completes: .files,
        "The store to use instead of your own."),
      Parameter(
        "--shared", \.shared, "Create a shared store: the group that owns its folder can use it."),
      Parameter(
        "--as", \.as, value: "name", completes: .identities,
        "Your name, instead of your login name."),
      Parameter(
        "--rc", \.rc, value: "file", completes: .files, "The settings to read instead of hobnobrc."),
      Parameter("--no-rc", \.noRc, "Read no settings."),
      Parameter("--plain", \.plain, "Use plain mode, for dumb terminals and screen readers."),
    ]
  }
}

extension Parameter {
  /// The conversation that a command is about.
  package static func conversation<Value: ArgumentValue>(
    _ path: WritableKeyPath<Command, Value>
  ) -> Self {
    Parameter(
      "CONVERSATION", path, completes: .conversations,
      "A room's name, or @name of a person. Quote a leading #: '#lobby'.")
  }
}

extension Parameter {
  /// The message that a command is about.
  static func number(_ path: WritableKeyPath<Command, Int>) -> Self {
    Parameter(
      "N", path, isRequired: true, takesDash: true,
      "The number of the message; -1 is the newest, or the newest of yours.")
  }

  /// The position of the change after which to begin.
  static func after(_ path: WritableKeyPath<Command, Int64?>) -> Self {
    Parameter(
      "--after", path, value: "position", takesDash: true,
      "Begin after the change with this position, which an earlier line gave.")
  }
}

func validPosition(_ position: Int64?) throws {
  if let position, position < 0 {
    throw WrongUsage(say("--after takes a position, such as 1234, that an earlier line gave."))
  }
}

func validCount(_ lines: Int) throws {
  if lines < 0 { throw WrongUsage(say("--lines needs a number, 0 or more.")) }
}

/// Checks a message number: `N`, or `-N` from the newest.
func validNumber(_ number: Int, _ option: SafeText) throws {
  if number == 0 || number == .min {
    throw WrongUsage(say("%1 takes a message number: 12, or -1 for the newest.", option))
  }
}
