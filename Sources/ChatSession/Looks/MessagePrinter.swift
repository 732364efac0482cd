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
    /// A colour for each name.
    var colourNames = true
    /// One's own messages stand at the right, where they fit into `columns`.
    var ownAtRight = false
    var columns = 80
    /// What stands out in a text.
    var textMarks = TextMarks()
    /// Whose names look like another's.
    var lookAlikes: Set<ID<Participant>> = []
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

  /// The same where the day of what follows was said.
  mutating func startOver(on day: Milliseconds) {
    runSender = nil
    runDay = LocalTime.dayNumber(day)
  }

  /// A message that arrived.
  mutating func lines(for message: Message) -> [StyledLine] {
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
      && runName == message.senderName && message.kind == .text
    runSender = message.kind == .text ? message.sender : nil
    runName = message.senderName
    var head = stamp(message)
    let name = name(of: message)
    if message.kind == .action {
      head += StyledLine("* ", .dim) + name + StyledLine(" ")
    } else if continues {
      let columns = name.columns(options.widths) + 2
      head.append(SafeText(line: String(repeating: " ", count: columns)))
    } else {
      head += name + StyledLine(": ")
    }
    if let quote = message.replyTo { result.append(Self.quote(quote)) }
    let files = message.attachments.enumerated().map { Self.file($1, $0 + 1) }
    if files.isEmpty || !message.body.isEmpty {
      result += body(message, behind: head, tail: tail(message))
    } else {
      result.append(head + files[0] + tail(message))
    }
    return result + files.dropFirst(message.body.isEmpty ? 1 : 0).map { StyledLine("  ") + $0 }
  }

  /// An edit or a deletion of a message that was printed before: a printed line cannot change.
  package mutating func revision(of message: Message) -> [StyledLine] {
    runSender = nil
    if message.isRecalled {
      let text = say(
        "%1 took [%2] back", SafeText(name: message.senderName), SafeText(message.number))
      return [StyledLine(options.glyphs.edited + " " + text, .dim)]
    }
    guard message.deletedAt == nil else { return [deletion(message)] }
    let head =
      StyledLine(options.glyphs.edited + " ", .dim)
      + StyledLine("[\(message.number)] ", .dim) + name(of: message)
      + StyledLine(message.kind == .action ? " " : ": ")
    return body(message, behind: head, tail: StyledLine())
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
    StyledLine(
      options.glyphs.edited + " "
        + say("%1 deleted [%2]", SafeText(name: message.senderName), SafeText(message.number)), .dim
    )
  }

  /// A body's newline never starts a line that could be taken for another message: what follows
  /// the first line stands indented (rule 12.2).
  private func body(_ message: Message, behind head: StyledLine, tail: StyledLine) -> [StyledLine] {
    if let (beginning, size) = options.folding.folded(message.body) {
      let texts = marked(options.styling.lines(of: beginning), of: message, beginning)
      let note = say(
        "(folded: it has %1; /info %2 shows all of it)", size, SafeText(message.number))
      return indented(texts, behind: head, tail: StyledLine())
        + [StyledLine("  ") + StyledLine(note, .dim) + tail]
    }
    let body = SafeText(body: message.body)
    let texts = marked(options.styling.lines(of: body), of: message, body)
    if texts.count == 1 { return [placed(head + texts[0] + tail, message)] }
    return indented(texts, behind: head, tail: tail)
  }

  private func indented(
    _ texts: [StyledLine], behind head: StyledLine, tail: StyledLine
  ) -> [StyledLine] {
    let indent = SafeText(
      line: String(repeating: " ", count: min(max(head.columns(options.widths), 2), 24)))
    return texts.enumerated().map { index, text in
      (index == 0 ? head : StyledLine(indent)) + text
        + (index == texts.count - 1 ? tail : StyledLine())
    }
  }

  /// Addresses and names stand out (rule 7.9).
  private func marked(
    _ texts: [StyledLine], of message: Message, _ body: SafeText
  ) -> [StyledLine] {
    // The ranges are those of the text as it was sent; marks for unsafe characters move it.
    let mine =
      message.mentions.isEmpty || !body.string.utf8.elementsEqual(message.body.utf8)
      ? []
      : Span.decoded(message.mentions, in: message.body)
        .filter { options.textMarks.myNames.contains(Ranking.folded($0.identity)) }.map(\.range)
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

  /// Where the line stands: one's own may stand at the right.
  private func placed(_ line: StyledLine, _ message: Message) -> StyledLine {
    guard options.ownAtRight, message.sender == me else { return line }
    let blanks = options.columns - 1 - line.columns(options.widths)
    guard blanks > 0 else { return line }
    return StyledLine(SafeText(line: String(repeating: " ", count: blanks))) + line
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

  /// Colours that stand out on dark and light grounds.
  private static let palette: [Color] = [.cyan, .green, .yellow, .magenta, .blue, .red]

  func name(of message: Message) -> StyledLine {
    let name =
      options.colourNames || message.sender == me
      ? Self.name(message, me: me) : StyledLine(SafeText(name: message.senderName), .bold)
    guard options.lookAlikes.contains(message.sender) else { return name }
    return lookAlikeMark + name
  }

  /// Before a name that looks like another's (rule 12.3).
  var lookAlikeMark: StyledLine {
    StyledLine(options.glyphs.lookAlike, Style(.bold, foreground: .red))
  }

  /// The shown name: one's own bold, everybody else in a colour that stays theirs.
  static func name(_ message: Message, me: ID<Participant>) -> StyledLine {
    name(
      SafeText(name: message.senderName), identity: message.senderIdentity,
      isMe: message.sender == me)
  }

  static func name(_ name: SafeText, identity: String, isMe: Bool) -> StyledLine {
    if isMe { return StyledLine(name, .bold) }
    // FNV-1a: Swift's own hashing differs from run to run.
    let hash = identity.utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
    return StyledLine(name, Style(foreground: palette[Int(hash % UInt32(palette.count))]))
  }
}
