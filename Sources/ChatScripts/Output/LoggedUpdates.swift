// SPDX-License-Identifier: GPL-3.0-or-later
import ChatPreferences
import ChatRendering
import Conversations
import StyledText

/// Prints changes to messages as the shell does, but without a time (rule 3.8).
@MainActor
struct LoggedUpdates {
  private let script: Script
  private var printer: MessagePrinter

  init(_ script: Script) {
    self.script = script
    var options = MessagePrinter.Options(glyphs: script.glyphs)
    options.timestamps = false
    // A pipe gets whole bodies.
    options.folding = script.folding ?? BodyPreview(mostBytes: .max, mostLines: 0)
    printer = MessagePrinter(options: options, me: script.me.id)
  }

  /// - Parameter conversation: its name, printed first; nil if the reader knows it.
  mutating func print(_ update: MessageUpdate, in conversation: SafeText? = nil) throws {
    let lines: [StyledLine]
    switch update {
    case .revised(let message): lines = printer.revision(of: message)
    case .reacted(let reaction):
      let person = reaction.participant
      let name = try script.names(of: [person.id]).name(person.name, of: person.id)
      lines = [MessagePrinter.line(for: reaction, by: name, printer.options)]
    }
    for (row, line) in lines.enumerated() {
      let head = row == 0 ? conversation.map { $0 + " " } : nil
      script.output.write((head ?? "") + line.plain)
    }
  }
}
