// SPDX-License-Identifier: GPL-3.0-or-later
import ChatPreferences
import Conversations
import StyledText

/// Formats everything printed above the line, for this terminal and these settings.
@MainActor
package struct Renderer {
  package var printer: MessagePrinter
  private let outputMode: OutputMode
  private var rows = 24
  /// Whether output longer than a screen goes to a pager.
  private var pages = false

  package init(_ outputMode: OutputMode, _ preferences: Preferences, me: ID<Participant>) {
    self.outputMode = outputMode
    printer = MessagePrinter(
      options: MessagePrinter.Options(glyphs: preferences.glyphs), me: me)
    // In plain mode and in a pipe, each line is complete in itself.
    printer.options.hasColumns = outputMode == .tty
  }

  /// Applies settings.
  package mutating func apply(_ preferences: Preferences) {
    let settings = preferences.settings
    printer.options.timestamps = settings.timestamps != .off
    printer.options.textMarks.isStyled = settings.styling
    printer.options.textMarks.me = Style([.bold, .reverse], foreground: settings.appearance.color)
    printer.options.numbers = settings.numbers
    printer.options.folding.mostLines = settings.foldLines
    printer.options.styling = settings.styling ? .standard : .off
    printer.options.colourNames = settings.appearance.colourNames
    printer.options.ownAtRight = settings.appearance.bubble == .right
    printer.options.wraps = outputMode == .tty && settings.wrap == .word
    printer.options.nameWidth = settings.nameWidth
    printer.options.widths = settings.terminalWidths(environment: preferences.environment)
    pages = outputMode == .tty && settings.pager
    // Later output may look different.
    printer.endRun()
  }

  package mutating func setMyNames(of me: Participant, _ highlights: Highlights) {
    var marks = TextMarks(naming: me, highlights)
    marks.isStyled = printer.options.textMarks.isStyled
    marks.me = printer.options.textMarks.me
    printer.options.textMarks = marks
  }

  package mutating func setSize(rows: Int, columns: Int) {
    self.rows = rows
    printer.options.columns = columns
  }

  // MARK: Saying

  package static func error(_ sentence: SafeText) -> StyledLine {
    StyledLine(sentence, Style(foreground: .red))
  }

  /// Whether a pager shows these lines: if they are more than a screen, or, with `always`, whatever
  /// the length.
  package func needsPager(_ lines: [StyledLine], always: Bool) -> Bool {
    pages && (always || isMoreThanAScreen(lines))
  }

  /// Leaves room for the prompt and the status line.
  private func isMoreThanAScreen(_ lines: [StyledLine]) -> Bool {
    var room = rows - 2
    for line in lines {
      room -= rowCount(of: line)
      if room < 0 { return true }
    }
    return false
  }

  private func rowCount(of line: StyledLine) -> Int {
    let (columns, widths) = (max(1, printer.options.columns), printer.options.widths)
    let rows = printer.options.wraps ? line.wrapped(at: columns, widths: widths) : [line]
    return rows.reduce(0) { $0 + max(1, ($1.columns(widths) + columns - 1) / columns) }
  }

  /// How many rows of unread messages are printed when a conversation is entered: two screens,
  /// minus the heading, two rules, the prompt and the status line (rule 13.9).
  package var entranceRows: Int { max(1, 2 * rows - 5) }

  /// The newest of these messages: as many as are printed on entering a conversation, and at least
  /// one.
  package func newest(_ messages: ArraySlice<Message>) -> ArraySlice<Message> {
    var (room, start, sample) = (entranceRows, messages.endIndex, printer)
    var lines: [StyledLine] = []
    for message in messages.reversed() {
      let known = lines.count
      sample.add(message, to: &lines)
      room -= lines[known...].reduce(0) { $0 + rowCount(of: $1) }
      if room < 0, start < messages.endIndex { break }
      start -= 1
    }
    return messages[start...]
  }

  /// Whether all of these messages will fit on the screen.
  package func holds(_ messages: [Message]) -> Bool {
    // The margin takes up to a third of the columns.
    let columns = max(1, printer.options.columns * 2 / 3)
    return messages.reduce(0) {
      $0 + 1 + $1.body.utf8.count / columns + $1.body.utf8.prefix(4096).count { $0 == 0x0A }
    } < rows
  }
}
