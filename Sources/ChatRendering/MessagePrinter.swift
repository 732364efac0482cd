// SPDX-License-Identifier: GPL-3.0-or-later
import ChatPreferences
import Composer
import Conversations
import StyledText

/// Turns messages into lines to print above the line being typed (rules 7.5, 3.8).
package struct MessagePrinter {
  /// What a printed line shows in addition to the text.
  package struct Options: Equatable {
    package var timestamps = true
    var numbers = true
    /// Whether time, number, name and text each have a column, and a run of one sender shows the
    /// name once. Off in plain mode and in scripts, where each line is complete.
    var hasColumns = false
    var glyphs: Glyphs
    package var widths = Widths()
    /// Delivery marks on the person's messages, for `/history`.
    var marks = false
    /// How to draw `*bold*` and the like.
    package var styling = MessageStyling.standard
    /// Whether names have colours, and those of speakers in the open conversation.
    var colourNames = true
    package var colours: [ID<Participant>: Int] = [:]
    /// Whether the person's messages are at the right, if they fit into `columns`.
    var ownAtRight = false
    package var columns = 80
    /// Whether hobnob breaks printed lines between words, at `columns`.
    package var wraps = false
    /// The width of the name column, in columns; 0: each name has its own width; nil: as wide as
    /// the names of recent speakers.
    var nameWidth: Int?
    /// What to highlight in a text.
    var textMarks = TextMarks()
    /// People whose names look like another's.
    package var lookAlikes: Set<ID<Participant>> = []
    /// Whom the person mutes or ignores: messages of ignored people are not printed (rule 7.11).
    package var attention = Attention()
    /// Show times as ages at this moment, for `/history`.
    var agesAt: Milliseconds?
    package var folding = BodyPreview()

    package init(glyphs: Glyphs = .unicode) { self.glyphs = glyphs }
  }

  package var options: Options
  let me: ID<Participant>
  /// The widths of the columns so far.
  var columns = MessageColumns()
  /// The sender of the last printed message, unless something else was printed after it.
  var runSender: ID<Participant>?
  /// The name that the run shows: if its sender changes their name, the next message shows the new
  /// one.
  private var runName = ""
  /// The minute of the last line of the run.
  var runMinute: Milliseconds?
  private var runDay: Int?
  /// The run to which the last printed message belongs if hobnob cannot read it, as `runSender`.
  var unreadable: UnreadableRun?
  /// The message whose lines were printed last: a reaction below them needs no number.
  private(set) var newest: ID<Message>?
  /// The last formatted minute: most messages share it with their neighbours.
  var minute: (number: Int64, text: SafeText)?

  package init(options: Options, me: ID<Participant>) {
    self.options = options
    self.me = me
  }

  /// Makes the next message show its name, after other output or in another conversation.
  package mutating func endRun() { (runSender, newest, unreadable) = (nil, nil, nil) }

  /// Makes the next message also show its day.
  package mutating func startOver() {
    endRun()
    runDay = nil
  }

  /// Continues after messages that another printer printed.
  package mutating func follow(_ other: MessagePrinter) {
    endRun()
    runDay = other.runDay
  }

  /// Starts again on a day that needs no rule above its first message.
  package mutating func startOver(on day: Milliseconds) {
    endRun()
    runDay = LocalTime.dayNumber(day)
  }

  /// Makes the columns as wide as these messages need, whatever was printed before.
  package mutating func fitColumns(to messages: some Sequence<Message>) {
    columns = MessageColumns()
    for message in messages {
      fit(message)
      if let now = options.agesAt {
        let age = LocalTime.age(of: message.createdAt, at: now)
        columns.fit(time: options.widths.columns(of: age.string))
      }
    }
  }

  private mutating func fit(_ message: Message) {
    columns.fit(number: message.number)
    if message.kind.isSpeech, !hides(message) {
      columns.fit(name: name(of: message).columns(options.widths))
    }
  }

  /// Whether a message is not printed, because the person ignores its sender.
  package func hides(_ message: Message) -> Bool {
    message.sender != me && options.attention.hides(message.sender, in: message.conversation)
  }

  package mutating func lines(for message: Message) -> [StyledLine] {
    if hides(message) { return [] }
    let result = dayRule(at: message.createdAt, isMessage: true)
    if message.deletedAt != nil {
      endRun()
      return result + event([deletion(message)], at: message.createdAt)
    }
    if message.kind == .unreadable {
      let run = UnreadableRun(first: message)
      if message.encryption.obstacle != nil {
        fit(message)
        return result + lines(for: run)
      }
      // Print one sentence for a run of them (rule 14.10).
      if unreadable?.continues(with: message) == true { return result }
      unreadable = run
    } else {
      unreadable = nil
    }
    let texts = texts(of: message, message.attachments, tail: tail(message))
    let quote = message.replyTo.map { Self.quote($0, options.glyphs) }
    guard options.hasColumns else {
      // When spoken, the quote has no margin here, so that a message's further lines, which begin
      // with two blanks, cannot imitate it (rule 12.2).
      let margin = StyledLine(options.glyphs.isSpoken ? "" : "  ")
      let lines = quote.map { [margin + $0] } ?? []
      return result + lines + lay(texts, after: plainHead(of: message))
    }
    fit(message)
    let continues =
      runSender == message.sender && runName == message.senderName && message.kind.isSpeech
      && message.replyTo == nil
    let head = head(of: message, continues: continues)
    runSender = message.kind.isSpeech ? message.sender : nil
    runName = message.senderName
    runMinute = message.createdAt / 60_000
    newest = message.id
    let answered = quote.map { [cut($0, of: message, after: head)] } ?? []
    let lines = lay(answered + texts, after: head)
    return result + placed(lines, message)
  }

  /// Returns the lines for an edit or deletion of a printed message, since a printed line cannot
  /// change.
  package mutating func revision(of message: Message) -> [StyledLine] {
    if hides(message) { return [] }
    if message.isRecalled || message.deletedAt != nil {
      return event([deletion(message)], at: message.deletedAt)
    }
    // If nobody edited it, the change is that its files have arrived.
    let files = message.editedAt == nil ? message.attachments : []
    let mark = files.isEmpty ? options.glyphs.edited : options.glyphs.filesOf
    var head = StyledLine(options.glyphs.lead(mark) + "[\(message.number)] ", .dim)
    if message.kind.isSpeech { head += name(of: message) + StyledLine(": ") }
    if message.kind == .notice { head.append(lead(\.notice), .dim) }
    let texts = texts(of: message, files, tail: StyledLine())
    let margin = options.hasColumns ? 2 : head.columns(options.widths)
    return event(
      lay(texts, after: Head(line: head, margin: margin)), at: message.editedAt, of: message.id)
  }

  /// Whether a message needs no rule above it.
  func isOnDay(of message: Message) -> Bool { LocalTime.dayNumber(message.createdAt) == runDay }

  /// Returns the rule above the first line of another day; empty if the day is the same.
  mutating func dayRule(at time: Milliseconds, isMessage: Bool) -> [StyledLine] {
    let day = LocalTime.dayNumber(time)
    // The time of an edit or a deletion begins a day only if it is later than the last printed day.
    guard isMessage ? day != runDay : runDay.map({ day > $0 }) ?? false else { return [] }
    runDay = day
    endRun()
    return [rule(LocalTime.day(time))]
  }

  // MARK: Texts

  /// The text of a message and its files, one below the other.
  private func texts(
    of message: Message, _ attachments: [Attachment], tail: StyledLine
  ) -> [StyledLine] {
    var files = attachments.enumerated().map { Self.file($1, $0 + 1) }[...]
    var lines: [StyledLine]
    if message.shownBody.isEmpty, let first = files.popFirst() {
      lines = [first]
    } else {
      lines = body(message)
    }
    if !message.kind.isSpeech {
      lines[0] = name(of: message) + StyledLine(message.kind == .action ? " " : ": ") + lines[0]
    }
    lines[lines.count - 1] += tail
    return lines + files
  }

  /// A file of a message: its name, type and size (rule 8.2).
  package static func file(_ file: Attachment, _ number: Int) -> StyledLine {
    StyledLine(
      say(
        "[file %1: %2, %3]", SafeText(number), SafeText(name: file.name),
        SafeText(line: file.type + ", " + Attachment.size(file.bytes))), .underline)
  }

  /// The line above a reply: the message that it answers.
  package static func quote(_ quote: Quote, _ glyphs: Glyphs) -> StyledLine {
    let text =
      quote.isDeleted
      ? say("deleted") : SafeText(name: quote.senderName) + ": " + SafeText(line: quote.line)
    return StyledLine(glyphs.lead(glyphs.quote) + "[\(quote.number)] " + text, .dim)
  }

  /// `── text ──`
  package func rule(_ text: SafeText) -> StyledLine {
    let side = options.glyphs.rule + options.glyphs.rule
    return StyledLine(side.isEmpty ? text : side + " " + text + " " + side, .dim)
  }

  private func tail(_ message: Message) -> StyledLine {
    var line = StyledLine(message.notes, .dim)
    guard options.marks, message.sender == me else { return line }
    let mark = Self.mark(message.state, options.glyphs)
    if message.state == .failed {
      let reason = options.glyphs.lead(mark) + message.notSent
      line.append(options.glyphs.gap + reason, Style(foreground: .red))
    } else {
      line.append(options.glyphs.gap + mark, .dim)
    }
    return line
  }

  private func deletion(_ message: Message) -> StyledLine {
    let (sender, number) = (SafeText(name: message.senderName), SafeText(message.number))
    let text =
      message.isRecalled
      ? say("%1 took [%2] back", sender, number)
      : message.removal.map { Self.removalText($0, of: say("[%1] of %2", number, sender)) }
        ?? say("%1 deleted [%2]", sender, number)
    return StyledLine(lead(\.deleted) + text, .dim)
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

  private func body(_ message: Message) -> [StyledLine] {
    let folded = options.folding.fold(message.shownBody)
    let body = folded?.beginning ?? SafeText(body: message.shownBody)
    var texts =
      message.kind == .notice || message.kind == .unreadable
      ? body.lines.map { StyledLine($0, .dim) }
      : marked(options.styling.lines(of: body), of: message, body)
    if let size = folded?.size {
      let note = say(
        "(%1, folded; to read all: /info %2)", size, SafeText(message.number))
      texts.append(StyledLine(note, .dim))
    }
    return texts
  }

  /// Highlights addresses and names (rule 7.9).
  private func marked(
    _ texts: [StyledLine], of message: Message, _ body: SafeText
  ) -> [StyledLine] {
    let mine = message.sender == me ? [] : options.textMarks.mentionsOfMe(in: body, of: message)
    var rest = mine.sorted { $0.lowerBound < $1.lowerBound }[...]
    var start = 0
    return texts.map { text in
      let plain = text.plain
      let end = start + plain.string.utf8.count
      defer { start = end + 1 }
      let begun = rest.prefix { $0.lowerBound < end }
      rest = rest.dropFirst(begun.count)
      let here = begun.filter { $0.upperBound <= end }
        .map { ($0.lowerBound - start)..<($0.upperBound - start) }
      return text.overlaid(
        options.textMarks.overlays(in: plain, of: message.conversation, mine: here))
    }
  }

  /// Cuts a line to what fits into one row after a head, if hobnob breaks lines.
  private func cut(
    _ line: StyledLine, of message: Message, after head: Head
  ) -> StyledLine {
    guard options.wraps else { return line }
    return line.truncated(
      to: max(1, room(for: message) - head.margin), widths: options.widths,
      ellipsis: options.glyphs.ellipsis)
  }

  /// How many columns the rows of a message may have.
  private func room(for message: Message) -> Int {
    options.ownAtRight && message.sender == me ? options.columns * 3 / 4 : options.columns
  }

  /// Aligns the lines of a message: the person's own may be at the right, as one block.
  private func placed(_ lines: [StyledLine], _ message: Message) -> [StyledLine] {
    guard options.ownAtRight, message.sender == me else { return lines }
    let (room, widths) = (room(for: message), options.widths)
    let rows = options.wraps ? lines.flatMap { $0.wrapped(at: room, widths: widths) } : lines
    let left = options.columns - 1 - (rows.map { $0.columns(widths) }.max() ?? 0)
    guard left > 0 else { return lines }
    return rows.map { (StyledLine.blanks(left) + $0).with(margin: left + $0.margin) }
  }

  package static func mark(_ state: DeliveryState, _ glyphs: Glyphs) -> SafeText {
    switch state {
    case .sending: glyphs.sending
    case .failed: glyphs.failed
    case .sent: glyphs.sent
    case .delivered: glyphs.delivered
    case .seen: say("seen")
    }
  }

  package func name(of message: Message) -> StyledLine {
    name(
      SafeText(name: message.senderName), of: message.sender, identity: message.senderIdentity)
  }

  /// A name as shown: the person's is bold, everybody else's has a lasting colour, and one that
  /// looks like another's has a mark (rule 12.3).
  package func name(_ name: SafeText, of person: ID<Participant>, identity: String) -> StyledLine {
    var style = Style.bold
    if options.colourNames, person != me {
      let hue = options.colours[person] ?? NameColours.hue(of: identity)
      style = Style(foreground: NameColours.color(hue))
    }
    let line = StyledLine(name, style)
    guard options.lookAlikes.contains(person) else { return line }
    return StyledLine(options.glyphs.lookAlike, Style(.bold, foreground: .red)) + line
  }

  /// A mark with the blank after it.
  package func lead(_ mark: KeyPath<Glyphs, SafeText>) -> SafeText {
    options.glyphs.lead(options.glyphs[keyPath: mark])
  }
}

extension Message {
  /// What follows its text, each in parentheses after a blank.
  package var notes: SafeText {
    (editedAt == nil ? "" : " " + say("(edited)"))
      + (lacksEncryption ? " " + say("(not encrypted)") : "")
      + (encryption == .unverified ? " " + say("(device not verified)") : "")
  }
}
