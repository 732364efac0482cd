// SPDX-License-Identifier: GPL-3.0-or-later
import ChatParts
import Conversations
import StyledText

/// A command of the shell: one row of the table that `/help`, completion, the dispatcher and the
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
  /// What its words complete to; nil if that is nothing, as for a text.
  package let arguments: Arguments?
  /// Whether a text with newlines may follow (rule 1.11).
  package let takesNewlines: Bool
  /// Whether it is another program's name for a command here; an alias may replace it.
  let isSecondName: Bool
  package let run: Run

  init(
    _ usage: String, _ english: StaticString, _ arguments: Arguments? = nil,
    takesNewlines: Bool = false, isSecondName: Bool = false, more: [SafeText] = [],
    run: @escaping Run
  ) {
    name = String(usage.dropFirst().prefix { $0 != " " })
    self.usage = usage
    self.english = english
    self.more = more
    self.arguments = arguments
    self.takesNewlines = takesNewlines
    self.isSecondName = isSecondName
    self.run = run
  }
}
