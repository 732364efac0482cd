// SPDX-License-Identifier: GPL-3.0-or-later
import ChatParts
import ChatPreferences
import Composer
import Conversations
import StyledText

/// The kind of a command's argument, for completion and usage messages.
package enum ArgumentKind: Sendable {
  case room, person, conversation, number, command, setting, text, drafts, file, waitingFile, theme,
    function, alias, anyNumber, openable, numberWithFile, failedNumber, search, onOff, account,
    contact, roomVerb, roomOrPerson, muted, ignored, tutorial
}

/// A command of the shell: one line of the table that `/help`, completion, the dispatcher and the
/// check of the manual use (rule 10).
package struct Command: Sendable {
  package typealias Run =
    @MainActor @Sendable (CommandContext, _ argument: String, borrowing Snapshot) throws -> Step

  package let name: String
  package let usage: String
  private let english: StaticString
  package var help: SafeText { say(english) }
  /// The lines that `/help NAME` adds.
  let more: [SafeText]
  package let argument: ArgumentKind?
  /// Whether a text with newlines may follow (rule 1.11).
  package let takesNewlines: Bool
  /// Whether it is another program's name for a command here; an alias may replace it.
  let isSecondName: Bool
  package let run: Run

  init(
    _ usage: String, _ english: StaticString, _ argument: ArgumentKind? = nil,
    takesNewlines: Bool = false, isSecondName: Bool = false, more: [SafeText] = [],
    run: @escaping Run
  ) {
    name = String(usage.dropFirst().prefix { $0 != " " })
    self.usage = usage
    self.english = english
    self.more = more
    self.argument = argument
    self.takesNewlines = takesNewlines
    self.isSecondName = isSecondName
    self.run = run
  }
}

extension Settings {
  /// How to read a typed line.
  package var lineRules: LineRules {
    LineRules(
      messageLimit: messageLimit, slashGuard: slashGuard,
      takesNewlines: { Command.named($0)?.takesNewlines == true })
  }
}
