// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import StyledText

/// Turns messages into lines to print above the line being typed (rules 7.5, 3.8).
package struct MessagePrinter {
  /// What a printed line shows beside the text.
  package struct Options: Equatable {
    var timestamps = true
    var numbers = true
    /// A run of one sender shows the name once; off in plain mode, where each line is complete.
    var groupsRuns = true
    package var glyphs: Glyphs
    package var widths = Widths()
    /// Delivery marks on my messages, for `/history`.
    var marks = false
    /// How to draw `*bold*` and the like.
    var styling = MessageStyling.standard
    /// Whether names have colours, and those of speakers in the open conversation.
    var colourNames = true
    var colours: [ID<Participant>: Int] = [:]
    var hasManyColours = false
    /// My messages are at the right, if they fit into `columns`.
    var ownAtRight = false
    var columns = 80
    /// Whether hobnob will break printed lines between words, at these columns.
    var wraps = false
    /// The columns of names; 0 means the width of each.
    var nameWidth = 0
    /// What to highlight in a text.
    var textMarks = TextMarks()
    /// People whose names look like another's.
    var lookAlikes: Set<ID<Participant>> = []
    /// Messages of ignored people are not printed (rule 7.11).
    var attention = Attention()
    /// Show times as ages at this moment, for `/history`.
    var agesAt: Milliseconds?
    package var folding = Folding()

    package init(glyphs: Glyphs = .unicode) { self.glyphs = glyphs }
  }

  package var options: Options
  let me: ID<Participant>
  /// The sender of the last printed line, unless something else followed it.
  private var runSender: ID<Participant>?
  /// The name as shown: after a change, the next message shows the new one.
  private var runName = ""
  private var runDay: Int?
  /// The last formatted minute: most messages share it with their neighbours.
  private var minute: (number: Int64, text: SafeText)?

  package init(options: Options, me: ID<Participant>) {
    self.options = options
    self.me = me
  }

  /// Makes the next message show its name, after other output or in another conversation.
  mutating func endRun() { runSender = nil }

  /// Makes the next message show its day too.
  mutating func startOver() {
    runSender = nil
    runDay = nil
  }

  /// Continues after messages that another printer printed.
  mutating func follow(_ other: MessagePrinter) {
    runSender = nil
    runDay = other.runDay
  }

  /// Starts again, on the day of the next message.
  mutating func startOver(on day: Milliseconds) {
    runSender = nil
    runDay = LocalTime.dayNumber(day)
  }

  /// Whether not to print a message.
  func hides(_ message: Message) -> Bool {
    message.sender != me && options.attention.hides(message.sender, in: message.conversation)
  }

  /// The lines of a message that arrived.
  mutating func lines(for message: Message) -> [StyledLine] {
    if hides(message) { return [] }
    var result: [StyledLine] = []
    let day = LocalTime.dayNumber(message.createdAt)
    if day != runDay {
      runDay = day
      runSender = nil
      result.append(rule(LocalTime.day(message.createdAt)))
    }
    if message.deletedAt != nil {
      runSender = nil
      return result + [deletion(message)]
    }
    let continues =
      options.groupsRuns && runSender == message.sender
      && runName == message.senderName && message.kind == .text && message.replyTo == nil
    runSender = message.kind == .text ? message.sender : nil
    runName = message.senderName
    var head = stamp(message)
    let name = name(of: message)
    if message.kind != .text {
      let mark: SafeText = message.kind == .action ? "* " : "- "
      head += blanks(options.nameWidth) + StyledLine(mark, .dim)
    } else {
      let column = column(of: name)
      head +=
        continues ? blanks(column.columns(options.widths) + 2) : column + StyledLine(": ")
    }
    head.margin = head.columns(options.widths)
    if message.kind != .text {
      head += name + StyledLine(message.kind == .action ? " " : ": ")
    }
    var lines = message.replyTo.map { [cut(Self.quote($0), of: message)] } ?? []
    lines += said(in: message, message.attachments, behind: head, tail: tail(message))
    return result + placed(lines, message)
  }

  /// The lines for an edit or deletion of a printed message: a printed line cannot change.
  package mutating func revision(of message: Message) -> [StyledLine] {
    if hides(message) { return [] }
    runSender = nil
    if message.isRecalled {
      let text = say(
        "%1 took [%2] back", SafeText(name: message.senderName), SafeText(message.number))
      return [StyledLine(options.glyphs.edited + " " + text, .dim)]
    }
    guard message.deletedAt == nil else { return [deletion(message)] }
    // Without an edit, its files have arrived.
    let files = message.editedAt == nil ? message.attachments : []
    var head =
      StyledLine((files.isEmpty ? options.glyphs.edited : options.glyphs.arrival) + " ", .dim)
      + StyledLine("[\(message.number)] " + (message.kind == .notice ? "- " : ""), .dim)
      + name(of: message)
      + StyledLine(message.kind == .action ? " " : ": ")
    head.margin = head.columns(options.widths)
    return placed(said(in: message, files, behind: head, tail: StyledLine()), message)
  }

  /// The text of a message, and its files below it; without text, after the sender.
  private func said(
    in message: Message, _ attachments: [Attachment], behind head: StyledLine, tail: StyledLine
  ) -> [StyledLine] {
    var files = attachments.enumerated().map { Self.file($1, $0 + 1) }[...]
    var lines: [StyledLine]
    if message.body.isEmpty, let first = files.popFirst() {
      lines = [head + first + tail]
    } else {
      lines = body(message, behind: head, tail: tail)
    }
    lines += files.map { indent(head) + $0 }
    return lines
  }

  /// A file of a message: its name, type and size (rule 8.2).
  package static func file(_ file: Attachment, _ number: Int) -> StyledLine {
    StyledLine(
      say(
        "[file %1: %2, %3]", SafeText(number), SafeText(name: file.name),
        SafeText(line: file.type + ", " + Attachment.size(file.bytes))), .underline)
  }

  /// The message that it answers, on a line above it.
  package static func quote(_ quote: Quote) -> StyledLine {
    let text =
      quote.isDeleted
      ? say("deleted") : SafeText(name: quote.senderName) + ": " + SafeText(line: quote.line)
    return StyledLine("  > [\(quote.number)] " + text, .dim)
  }

  /// `── text ──`
  func rule(_ text: SafeText) -> StyledLine {
    let side = options.glyphs.rule + options.glyphs.rule
    return StyledLine(side + " " + text + " " + side, .dim)
  }

  /// The name in the column of names.
  private func column(of name: StyledLine) -> StyledLine {
    guard options.nameWidth > 0 else { return name }
    let cut = name.truncated(
      to: options.nameWidth, widths: options.widths, ellipsis: options.glyphs.ellipsis)
    return blanks(options.nameWidth - cut.columns(options.widths)) + cut
  }

  private func blanks(_ columns: Int) -> StyledLine {
    StyledLine(SafeText(line: String(repeating: " ", count: columns)))
  }

  private mutating func stamp(_ message: Message) -> StyledLine {
    var line = StyledLine()
    if options.timestamps, let agesAt = options.agesAt {
      line.append(LocalTime.age(of: message.createdAt, at: agesAt) + " ", .dim)
    } else if options.timestamps {
      let number = message.createdAt / 60_000
      if minute?.number != number { minute = (number, LocalTime.clock(message.createdAt) + " ") }
      if let minute { line.append(minute.text, .dim) }
    }
    if options.numbers { line.append("[\(message.number)] ", .dim) }
    return line
  }

  private func tail(_ message: Message) -> StyledLine {
    var line = StyledLine()
    if message.editedAt != nil { line.append(" " + say("(edited)"), .dim) }
    guard options.marks, message.sender == me else { return line }
    let mark = Self.mark(message.state, options.glyphs)
    line.append("  " + mark, message.state == .failed ? Style(foreground: .red) : .dim)
    if message.state == .failed {
      line.append(" " + message.notSent, Style(foreground: .red))
    }
    return line
  }

  private func deletion(_ message: Message) -> StyledLine {
    let (sender, number) = (SafeText(name: message.senderName), SafeText(message.number))
    let text =
      message.removal.map { Self.removalText($0, of: say("[%1] of %2", number, sender)) }
      ?? say("%1 deleted [%2]", sender, number)
    return StyledLine(options.glyphs.edited + " " + text, .dim)
  }

  /// `max, a moderator, removed [42] of zoe: spam`
  package static func removalText(_ removal: Removal, of message: SafeText) -> SafeText {
    let moderator = SafeText(name: removal.moderator)
    let text =
      removal.moderator.isEmpty
      ? say("a moderator removed %1", message)
      : say("%1, a moderator, removed %2", moderator, message)
    return removal.reason.isEmpty ? text : text + ": " + SafeText(line: removal.reason)
  }

  /// A body's newline never starts a line that looks like another message: all lines after the
  /// first are indented (rule 12.2).
  private func body(_ message: Message, behind head: StyledLine, tail: StyledLine) -> [StyledLine] {
    let folded = options.folding.fold(message.body)
    let body = folded?.beginning ?? SafeText(body: message.body)
    var texts =
      message.kind == .notice
      ? body.lines.map { StyledLine($0, .dim) }
      : marked(options.styling.lines(of: body), of: message, body)
    if let size = folded?.size {
      let note = say(
        "(folded: it has %1; /info %2 shows all of it)", size, SafeText(message.number))
      texts.append(StyledLine(note, .dim))
    }
    return texts.enumerated().map { index, text in
      (index == 0 ? head : indent(head)) + text
        + (index == texts.count - 1 ? tail : StyledLine())
    }
  }

  /// The margin below a head, for the rows after the first.
  private func indent(_ head: StyledLine) -> StyledLine {
    let most = options.wraps ? options.columns / 3 : 24
    return blanks(min(max(head.margin, 2), most)).with(margin: head.margin)
  }

  /// Highlights addresses and names (rule 7.9).
  private func marked(
    _ texts: [StyledLine], of message: Message, _ body: SafeText
  ) -> [StyledLine] {
    let mine = message.sender == me ? [] : options.textMarks.calls(in: body, of: message)
    var start = 0
    return texts.map { text in
      let plain = text.plain
      let end = start + plain.string.utf8.count
      defer { start = end + 1 }
      let here = mine.filter { $0.lowerBound >= start && $0.upperBound <= end }
        .map { ($0.lowerBound - start)..<($0.upperBound - start) }
      return text.overlaid(options.textMarks.overlays(in: plain, mine: here))
    }
  }

  /// Cuts a line to one row, if lines are broken.
  private func cut(_ line: StyledLine, of message: Message) -> StyledLine {
    guard options.wraps else { return line }
    return line.truncated(
      to: room(for: message), widths: options.widths, ellipsis: options.glyphs.ellipsis)
  }

  /// How many columns the rows of a message may have.
  private func room(for message: Message) -> Int {
    options.ownAtRight && message.sender == me ? options.columns * 3 / 4 : options.columns
  }

  /// Aligns the lines of a message: my own may be at the right, as one block.
  private func placed(_ lines: [StyledLine], _ message: Message) -> [StyledLine] {
    guard options.ownAtRight, message.sender == me else { return lines }
    let (room, widths) = (room(for: message), options.widths)
    let rows = options.wraps ? lines.flatMap { $0.wrapped(at: room, widths: widths) } : lines
    let left = options.columns - 1 - (rows.map { $0.columns(widths) }.max() ?? 0)
    guard left > 0 else { return lines }
    return rows.map { (blanks(left) + $0).with(margin: left + $0.margin) }
  }

  static func mark(_ state: DeliveryState, _ glyphs: Glyphs) -> SafeText {
    switch state {
    case .sending: glyphs.sending
    case .failed: glyphs.failed
    case .sent: glyphs.sent
    case .delivered: glyphs.delivered
    case .seen: glyphs.seen
    }
  }

  func name(of message: Message) -> StyledLine {
    name(
      SafeText(name: message.senderName), of: message.sender, identity: message.senderIdentity)
  }

  /// A name as shown: mine is bold, everybody else's has a lasting colour.
  func name(_ name: SafeText, of person: ID<Participant>, identity: String) -> StyledLine {
    var style = Style.bold
    if options.colourNames, person != me {
      let hue = options.colours[person] ?? NameColours.hue(of: identity)
      style = Style(foreground: NameColours.color(hue, areMany: options.hasManyColours))
    }
    let line = StyledLine(name, style)
    return options.lookAlikes.contains(person) ? lookAlikeMark + line : line
  }

  /// Precedes a name that looks like another's (rule 12.3).
  var lookAlikeMark: StyledLine {
    StyledLine(options.glyphs.lookAlike, Style(.bold, foreground: .red))
  }
}
