// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import StyledText

/// What is printed above the line, in whose words and how wide.
@MainActor
package final class Transcript: SessionPart {
  unowned let session: Session
  package private(set) var printer: MessagePrinter
  private var rows = 24

  init(_ session: Session) {
    self.session = session
    printer = MessagePrinter(
      options: MessagePrinter.Options(glyphs: session.preferences.glyphs), me: session.me.id)
    // In plain mode and in a pipe each line stands alone.
    printer.options.groupsRuns = session.face == .tty
    printer.options.hasManyColours = NameColours.areMany(
      environment: session.preferences.environment)
  }

  /// What follows settings.
  func apply(_ preferences: Preferences) {
    let settings = preferences.settings
    printer.options.timestamps = settings.timestamps != .off
    printer.options.textMarks.isStyled = settings.styling
    printer.options.textMarks.me = Style([.bold, .reverse], foreground: settings.looks.color)
    printer.options.textMarks.highlight = settings.highlightWords.map { SearchQuery.Term($0) }
    printer.options.numbers = settings.numbers
    printer.options.folding.mostLines = settings.foldLines
    printer.options.styling = settings.styling ? .standard : .off
    printer.options.colourNames = settings.looks.colourNames
    printer.options.ownAtRight = settings.looks.bubble == .right
    printer.options.wraps = session.face == .tty && settings.wrap == .word
    printer.options.nameWidth = session.face == .tty ? settings.nameWidth : 0
    printer.options.widths = settings.widths(environment: preferences.environment)
    // What is printed from now on may look otherwise.
    printer.endRun()
  }

  /// What I am called, for mentions to be found.
  func name(_ me: Participant) {
    printer.options.textMarks.myNames = TextMarks(naming: me).myNames
  }

  func resized(rows: Int, columns: Int) {
    self.rows = rows
    printer.options.columns = columns
  }

  /// Nothing is printed of what I ignore.
  func hides(_ attention: Attention) { printer.options.attention = attention }

  func marks(lookAlikes: Set<ID<Participant>>) { printer.options.lookAlikes = lookAlikes }

  func takes(colours: [ID<Participant>: Int]) { printer.options.colours = colours }

  // MARK: Messages

  func lines(for message: Message) -> [StyledLine] { printer.lines(for: message) }

  /// In the order in which messages stand.
  func lines(for messages: [Message]) -> [StyledLine] {
    Store.ordered(messages).flatMap { printer.lines(for: $0) }
  }

  func revision(of message: Message) -> [StyledLine] { printer.revision(of: message) }

  /// Something else is printed: the next message shows its sender again.
  func endRun() { printer.endRun() }

  /// Also its day.
  func startOver() { printer.startOver() }

  /// What another printer made was printed: only a new day is shown again.
  func follow(_ other: MessagePrinter) { printer.follow(other) }

  /// What follows is of a day that was said.
  func startOver(on day: Milliseconds) { printer.startOver(on: day) }

  // MARK: Saying

  package static func error(_ sentence: SafeText) -> StyledLine {
    StyledLine(sentence, Style(foreground: .red))
  }

  /// Prints what a command answers.
  ///
  /// - Parameter indent: where the second row of each line begins, in columns.
  func answer(_ lines: [StyledLine], indent: Int = 4) {
    printer.endRun()
    emit(.print(lines.map { $0.with(margin: indent) }))
  }

  func tell(_ sentence: SafeText) { answer([StyledLine(sentence, .dim)], indent: 2) }

  /// Prints what went wrong.
  func complain(_ sentences: [SafeText]) {
    guard !sentences.isEmpty else { return }
    answer(sentences.map { Self.error($0) }, indent: 2)
  }

  /// Prints what a command answers, in a pager where it is more than a screen. True: it is.
  ///
  /// - Parameter atEnd: the last line is what is wanted first.
  @discardableResult
  func page(_ lines: [StyledLine], atEnd: Bool) -> Bool {
    guard session.face == .tty, settings.pager, isMoreThanAScreen(lines) else {
      emit(.print(lines))
      return false
    }
    emit(.page(lines, atEnd: atEnd))
    return true
  }

  /// The prompt and the status line stay below.
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

  /// The rows of unread messages that an entrance prints: two screens, less its heading, two rules,
  /// the prompt and the status line (rule 13.9).
  var entranceRows: Int { max(1, 2 * rows - 5) }

  /// The newest of these messages, as many as an entrance prints and at least one.
  func newest(_ messages: ArraySlice<Message>) -> ArraySlice<Message> {
    var (room, start, sample) = (entranceRows, messages.endIndex, printer)
    for message in messages.reversed() {
      room -= sample.lines(for: message).reduce(0) { $0 + rowCount(of: $1) }
      if room < 0, start < messages.endIndex { break }
      start -= 1
    }
    return messages[start...]
  }

  /// Whether all of these messages are before one's eyes once they are printed.
  func holds(_ messages: [Message]) -> Bool {
    let columns = max(1, printer.options.columns)
    return messages.reduce(0) {
      $0 + 1 + $1.body.utf8.count / columns + $1.body.utf8.prefix(4096).count { $0 == 0x0A }
    } < rows
  }
}
