// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import StyledText

/// Turns messages into the lines that are printed above the line being typed (rules 7.5, 3.8).
package struct MessagePrinter {
  /// What a printed line shows beside the text.
  package struct Options: Equatable {
    var timestamps = true
    var numbers = true
    /// A run of one sender shows the name once; off in plain mode, where each line stands alone.
    var groupsRuns = true
    package var glyphs: Glyphs
    package var widths = Widths()
    /// Delivery marks on own messages, for `/history`.
    var marks = false
    /// How `*bold*` and the like are drawn.
    var styling = MessageStyling.standard
    /// A colour for each name, and which ones those who speak in the open conversation have.
    var colourNames = true
    var colours: [ID<Participant>: Int] = [:]
    var hasManyColours = false
    /// One's own messages stand at the right, where they fit into `columns`.
    var ownAtRight = false
    var columns = 80
    /// What is printed will be broken between words, to these columns.
    var wraps = false
    /// The columns of names; 0: as many as each has.
    var nameWidth = 0
    /// What stands out in a text.
    var textMarks = TextMarks()
    /// Whose names look like another's.
    var lookAlikes: Set<ID<Participant>> = []
    /// What is ignored is not printed (rule 7.11).
    var attention = Attention()
    /// Times are ages as of this moment, for `/history`.
    var agesAt: Milliseconds?
    package var folding = Folding()

    package init(glyphs: Glyphs = .unicode) { self.glyphs = glyphs }
  }

  package var options: Options
  let me: ID<Participant>
  /// The sender of the line printed last, while nothing else was printed since.
  private var runSender: ID<Participant>?
  /// As it was shown: who changes it shows the new one at once.
  private var runName = ""
  private var runDay: Int?
  /// The minute that was written last: most messages share it with their neighbours.
  private var minute: (number: Int64, text: SafeText)?

  package init(options: Options, me: ID<Participant>) {
    self.options = options
    self.me = me
  }

  /// Something else was printed, or another conversation begins: the next message shows its name
  /// again.
  mutating func endRun() { runSender = nil }

  /// Also the next message's day is shown again.
  mutating func startOver() {
    runSender = nil
    runDay = nil
  }

  /// What another printer made of messages was printed: it goes on from there.
  mutating func follow(_ other: MessagePrinter) {
    runSender = nil
    runDay = other.runDay
  }

  /// The same where the day of what follows was said.
  mutating func startOver(on day: Milliseconds) {
    runSender = nil
    runDay = LocalTime.dayNumber(day)
  }

  /// Whether nothing is printed of a message.
  func hides(_ message: Message) -> Bool {
    message.sender != me && options.attention.hides(message.sender, in: message.conversation)
  }

  /// A message that arrived.
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
    if message.kind == .action {
      head += blanks(options.nameWidth) + StyledLine("* ", .dim)
    } else {
      let column = column(of: name)
      head +=
        continues ? blanks(column.columns(options.widths) + 2) : column + StyledLine(": ")
    }
    head.margin = head.columns(options.widths)
    if message.kind == .action { head += name + StyledLine(" ") }
    var lines = message.replyTo.map { [cut(Self.quote($0), of: message)] } ?? []
    lines += said(in: message, message.attachments, behind: head, tail: tail(message))
    return result + placed(lines, message)
  }

  /// An edit or a deletion of a message that was printed before: a printed line cannot change.
  package mutating func revision(of message: Message) -> [StyledLine] {
    if hides(message) { return [] }
    runSender = nil
    if message.isRecalled {
      let text = say(
        "%1 took [%2] back", SafeText(name: message.senderName), SafeText(message.number))
      return [StyledLine(options.glyphs.edited + " " + text, .dim)]
    }
    guard message.deletedAt == nil else { return [deletion(message)] }
    // Without an edit it is its files that have come.
    let files = message.editedAt == nil ? message.attachments : []
    var head =
      StyledLine((files.isEmpty ? options.glyphs.edited : options.glyphs.came) + " ", .dim)
      + StyledLine("[\(message.number)] ", .dim) + name(of: message)
      + StyledLine(message.kind == .action ? " " : ": ")
    head.margin = head.columns(options.widths)
    return placed(said(in: message, files, behind: head, tail: StyledLine()), message)
  }

  /// The text of a message, and its files below it; behind the sender where there is no text.
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

  /// A file that came with a message: its name, type and size (rule 8.2).
  package static func file(_ file: Attachment, _ number: Int) -> StyledLine {
    StyledLine(
      say(
        "[file %1: %2, %3]", SafeText(number), SafeText(name: file.name),
        SafeText(line: file.type + ", " + Attachment.size(file.bytes))), .underline)
  }

  /// What a message answers, on a line above it.
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

  /// A body's newline never starts a line that could be taken for another message: what follows
  /// the first line stands indented (rule 12.2).
  private func body(_ message: Message, behind head: StyledLine, tail: StyledLine) -> [StyledLine] {
    let folded = options.folding.fold(message.body)
    let body = folded?.beginning ?? SafeText(body: message.body)
    var texts = marked(options.styling.lines(of: body), of: message, body)
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

  /// The margin below the text behind a head.
  private func indent(_ head: StyledLine) -> StyledLine {
    let most = options.wraps ? options.columns / 3 : 24
    return blanks(min(max(head.margin, 2), most)).with(margin: head.margin)
  }

  /// Addresses and names stand out (rule 7.9).
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

  /// A line in one row, where lines are broken.
  private func cut(_ line: StyledLine, of message: Message) -> StyledLine {
    guard options.wraps else { return line }
    return line.truncated(
      to: room(for: message), widths: options.widths, ellipsis: options.glyphs.ellipsis)
  }

  /// The columns that the rows of a message may have.
  private func room(for message: Message) -> Int {
    options.ownAtRight && message.sender == me ? options.columns * 3 / 4 : options.columns
  }

  /// Where the lines of a message stand: one's own may stand at the right, as one block.
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

  /// A name as it is shown: one's own bold, everybody else's in a colour that stays theirs.
  func name(_ name: SafeText, of person: ID<Participant>, identity: String) -> StyledLine {
    var style = Style.bold
    if options.colourNames, person != me {
      let place = options.colours[person] ?? NameColours.place(of: identity)
      style = Style(foreground: NameColours.color(place, areMany: options.hasManyColours))
    }
    let line = StyledLine(name, style)
    return options.lookAlikes.contains(person) ? lookAlikeMark + line : line
  }

  /// Before a name that looks like another's (rule 12.3).
  var lookAlikeMark: StyledLine {
    StyledLine(options.glyphs.lookAlike, Style(.bold, foreground: .red))
  }
}
