// SPDX-License-Identifier: GPL-3.0-or-later
import ChatPreferences
import Conversations
import StyledText

/// What precedes a text, and the column in which the text begins (rules 7.5, 13.7).
extension MessagePrinter {
  /// What precedes the text of a message.
  struct Head {
    var line: StyledLine
    /// The column where each row of the text after the first begins.
    var margin: Int
    /// Whether the text begins on the next row.
    var hasOwnRow = false
  }

  /// `10:03 [42] anna: `. It does not depend on the lines above it.
  mutating func plainHead(of message: Message) -> Head {
    var line = StyledLine()
    if options.timestamps { line.append(time(message.createdAt), .dim) }
    var marks = options.numbers ? [SafeText(message.number)] : []
    // Inside the brackets, no name can imitate the mention mark.
    if options.glyphs.isSpoken, mentionsMe(message) { marks.append(options.glyphs.mention) }
    if !marks.isEmpty { line.append("[" + marks.joined(separator: ", ") + "] ", .dim) }
    switch message.kind {
    case .text, .unreadable: line += name(of: message) + StyledLine(": ")
    case .action: line.append(lead(\.action), .dim)
    case .notice: line.append(lead(\.notice), .dim)
    }
    return Head(line: line, margin: line.columns(options.widths))
  }

  /// ` 10:03  42   anna: `. A name that is wider than its column has a row of its own.
  mutating func head(of message: Message, continues: Bool) -> Head {
    let isSameMinute = continues && message.createdAt / 60_000 == runMinute
    var line = gutter(
      time: isSameMinute ? nil : message.createdAt, number: message.number,
      isMarked: mentionsMe(message))
    let name = name(of: message)
    let width = name.columns(options.widths)
    let hasOwnWidth = options.nameWidth == 0 || options.ownAtRight && message.sender == me
    let margin = textColumn(
      name: hasOwnWidth ? message.kind.isSpeech ? width : 0 : nameColumn)
    let room = max(0, margin - line.columns(options.widths) - 2)
    if !message.kind.isSpeech {
      line +=
        StyledLine.blanks(room)
        + StyledLine(message.kind == .action ? lead(\.action) : lead(\.notice), .dim)
    } else if continues {
      line += StyledLine.blanks(room + 2)
    } else if width <= room || room < Self.minimumNameColumns {
      line += StyledLine.blanks(room - width) + name + StyledLine(": ")
    } else {
      return Head(line: line + name + StyledLine(":"), margin: margin, hasOwnRow: true)
    }
    return Head(line: line, margin: margin)
  }

  private func mentionsMe(_ message: Message) -> Bool {
    message.sender != me && options.textMarks.mentionsMe(message)
  }

  /// If fewer columns than this are left for the name, it has no column: the text follows it
  /// directly.
  private static let minimumNameColumns = 4

  private var nameColumn: Int { options.nameWidth ?? columns.name }

  /// The column where text begins: after the mark, time, number and name, but no further right than
  /// a third of the width.
  private func textColumn(name: Int) -> Int {
    let gutter =
      1 + (options.timestamps ? columns.time + 1 : 0)
      + (options.numbers ? columns.digits + 1 : 0)
    return max(2, min(gutter + name + 2, options.columns / 3))
  }

  /// The column where lines about something other than a message begin.
  private var eventColumn: Int { textColumn(name: options.nameWidth == 0 ? -2 : nameColumn) }

  /// The columns for the text of such a line in one row.
  var eventRoom: Int {
    options.columns
      - (options.hasColumns ? eventColumn : options.timestamps ? columns.time + 1 : 0)
  }

  /// What precedes the name: the mark of a mention, the time and the number, each in its column.
  private mutating func gutter(
    time: Milliseconds?, number: Int?, isMarked: Bool
  ) -> StyledLine {
    let accent = options.textMarks.me.foreground
    var line =
      isMarked
      ? StyledLine(options.glyphs.mention, Style(.bold, foreground: accent)) : StyledLine.blanks(1)
    if options.timestamps {
      let text = time.map { StyledLine(self.time($0), .dim) } ?? StyledLine()
      line += StyledLine.blanks(columns.time + 1 - text.columns(options.widths)) + text
    }
    if options.numbers {
      let text = number.map { SafeText($0) } ?? ""
      line +=
        StyledLine.blanks(columns.digits - text.string.utf8.count) + StyledLine(text + " ", .dim)
    }
    return line
  }

  /// `10:03 `, or the age.
  private mutating func time(_ time: Milliseconds) -> SafeText {
    if let agesAt = options.agesAt { return LocalTime.age(of: time, at: agesAt) + " " }
    let number = time / 60_000
    if let minute, minute.number == number { return minute.text }
    let text = LocalTime.clock(time) + " "
    minute = (number, text)
    return text
  }

  /// Returns the lines of a message: its head with the first text, or alone if the text begins on the
  /// next row, and each other text at the head's margin, where no message begins (rule 12.2).
  func lay(_ texts: [StyledLine], after head: Head) -> [StyledLine] {
    let most = options.glyphs.isSpoken ? 2 : 24
    let indent = StyledLine.blanks(
      options.hasColumns ? head.margin : min(max(head.margin, 2), most))
    var lines = head.hasOwnRow ? [head.line] : []
    for text in texts {
      // Elsewhere, a tab may be meant for another program.
      let text = options.hasColumns ? text.withoutTabs(options.widths) : text
      lines.append((lines.isEmpty ? head.line : indent) + text)
    }
    return lines.map { $0.with(margin: head.margin) }
  }

  // MARK: Between messages

  /// Formats lines about something other than a message, such as an edit or who joined: in the text
  /// column, after the time (rules 3.8, 13.5).
  ///
  /// - Parameters:
  ///   - time: when it happened, on the wall clock; nil if that is unknown.
  ///   - message: the message that the lines belong to, if any.
  ///   - number: the number of the message that the lines replace, if any.
  ///   - repeatsTime: whether to print the time even if the line above shows the same one.
  package mutating func event(
    _ texts: [StyledLine], at time: Milliseconds?, of message: ID<Message>? = nil,
    number: Int? = nil, repeatsTime: Bool = true
  ) -> [StyledLine] {
    let day = time.map { dayRule(at: $0, isMessage: false) } ?? []
    let isBelow = message != nil && message == newest
    if isBelow { runSender = nil } else { endRun() }
    let isSameMinute = isBelow && time.map { $0 / 60_000 } == runMinute
    if let time { runMinute = time / 60_000 }
    let shown = isSameMinute && options.hasColumns && !repeatsTime ? nil : time
    guard options.hasColumns else {
      var head = StyledLine()
      if options.timestamps, let shown { head.append(self.time(shown), .dim) }
      if options.numbers, let number { head.append("[\(number)] ", .dim) }
      return day + texts.enumerated().map { $0 == 0 ? head + $1 : $1 }
    }
    var line = gutter(time: shown, number: number, isMarked: false)
    let margin = eventColumn
    line += StyledLine.blanks(margin - line.columns(options.widths))
    return day + lay(texts, after: Head(line: line, margin: margin))
  }

  /// A line that belongs to the message above it, in the text column.
  func below(_ text: StyledLine) -> StyledLine {
    let margin = options.hasColumns ? eventColumn : 4
    return (StyledLine.blanks(margin) + text).with(margin: margin)
  }
}
