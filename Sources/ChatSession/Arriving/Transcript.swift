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
  }

  /// What follows settings.
  func apply(_ preferences: Preferences) {
    let settings = preferences.settings
    printer.options.timestamps = settings.timestamps != .off
    printer.options.textMarks.isStyled = settings.styling
    printer.options.textMarks.me = Style([.bold, .reverse], foreground: settings.looks.color)
    printer.options.numbers = settings.numbers
    printer.options.folding.mostLines = settings.foldLines
    printer.options.styling = settings.styling ? .standard : .off
    printer.options.colourNames = settings.looks.colourNames
    printer.options.ownAtRight = settings.looks.bubble == .right
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

  func marks(lookAlikes: Set<ID<Participant>>) { printer.options.lookAlikes = lookAlikes }

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

  /// What follows is of a day that was said.
  func startOver(on day: Milliseconds) { printer.startOver(on: day) }

  // MARK: Saying

  package static func error(_ sentence: SafeText) -> StyledLine {
    StyledLine(sentence, Style(foreground: .red))
  }

  /// Prints what a command answers, broken between words.
  ///
  /// - Parameter indent: where the second row of each line begins, in columns; nil for what people
  ///   wrote, which the terminal wraps, so that it can be copied whole.
  func answer(_ lines: [StyledLine], indent: Int? = 4) {
    printer.endRun()
    emit(.print(indent.map { indent in lines.flatMap { broken($0, indent: indent) } } ?? lines))
  }

  func tell(_ sentence: SafeText) { answer([StyledLine(sentence, .dim)], indent: 0) }

  /// Prints what went wrong.
  func complain(_ sentences: [SafeText]) {
    guard !sentences.isEmpty else { return }
    answer(sentences.map { Self.error($0) }, indent: 0)
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

  private func isMoreThanAScreen(_ lines: [StyledLine]) -> Bool {
    let columns = max(1, printer.options.columns)
    var count = 0
    for line in lines {
      count += max(1, (line.columns(printer.options.widths) + columns - 1) / columns)
      // The prompt and the status line stay below.
      if count > rows - 2 { return true }
    }
    return false
  }

  /// Whether so many lines are no more than a screen.
  func holds(_ lines: Int) -> Bool { lines < rows }

  /// A line broken between words to the screen's width, where there is a screen.
  func broken(_ line: StyledLine, indent: Int = 0) -> [StyledLine] {
    guard session.face == .tty else { return [line] }
    let columns = printer.options.columns
    return line.wrapped(
      at: columns, indent: indent + 20 > columns ? min(indent, 2) : indent,
      widths: printer.options.widths)
  }
}
