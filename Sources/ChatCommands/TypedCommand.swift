// SPDX-License-Identifier: GPL-3.0-or-later
import ChatParts
import ChatPreferences
import Conversations

/// A command as typed: the command that it names, and what follows the name.
@MainActor
package struct TypedCommand {
  /// The line, without an alias.
  private let text: String
  private let command: Command
  private let argument: String

  /// - Parameter typed: the line, `/` included.
  /// - Throws: why it cannot be run, such as an unknown name.
  package init(_ typed: String, _ preferences: Preferences) throws {
    text = preferences.unaliased(typed)
    let (name, rest) = String(text.dropFirst()).firstWord
    guard let command = Command.named(name) else { throw Command.unknown(name) }
    // A usage without a blank names no argument.
    guard rest.isEmpty || command.usage.contains(" ") else { throw usage(command.name) }
    self.command = command
    // Completion leaves a space after a name; only a text argument keeps it.
    argument = command.takesNewlines ? rest : rest.trimmingBlanks
  }

  /// Runs the command. At a terminal, asks if the name in it means several rooms or people (rule
  /// 11.2).
  package func step(_ context: CommandContext, _ snapshot: borrowing Snapshot) throws -> Step {
    do {
      var step = try command.run(context, argument, snapshot)
      step.effects.insert(.tutorialAction(.ran(command.name)), at: 0)
      return step
    } catch RuleError.ambiguous(let name, let candidates) where context.isInteractive {
      guard
        let question = ConversationCommands.question(
          aboutMeaningOf: name, candidates, in: text)
      else { throw RuleError.ambiguous(name, candidates: candidates) }
      return question
    }
  }
}
