// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import StyledText

/// Turns messages into the lines that are printed above the line being typed (rules 7.5, 3.8).
struct MessagePrinter {
  /// What a printed line shows beside the text.
  struct Options: Equatable {
    var timestamps = true
    var numbers = true
    /// A run of one sender shows the name once; off in plain mode, where each line stands alone.
    var groupsRuns = true
    var glyphs = Glyphs.unicode
    var widths = Widths()
    /// Delivery marks on own messages, for `/history`.
    var marks = false
  }

  var options: Options
  let me: ID<Participant>
  /// The sender of the line printed last, while nothing else was printed since.
  private var runSender: ID<Participant>?
  private var runDay: Int?

  init(options: Options, me: ID<Participant>) {
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
    let continues = options.groupsRuns && runSender == message.sender && message.kind == .text
    runSender = message.kind == .text ? message.sender : nil
    var head = stamp(message)
    let name = Self.name(message, me: me)
    if message.kind == .action {
      head += StyledLine("* ", .dim) + name + StyledLine(" ")
    } else if continues {
      let columns = name.columns(options.widths) + 2
      head.append(SafeText(line: String(repeating: " ", count: columns)))
    } else {
      head += name + StyledLine(": ")
    }
    result += body(message, behind: head, tail: tail(message))
    return result
  }

  /// An edit or a deletion of a message that was printed before: a printed line cannot change.
  mutating func revision(of message: Message) -> [StyledLine] {
    runSender = nil
    guard message.deletedAt == nil else { return [deletion(message)] }
    let head =
      StyledLine(options.glyphs.edited + " ", .dim)
      + StyledLine("[\(message.number)] ", .dim) + Self.name(message, me: me)
      + StyledLine(message.kind == .action ? " " : ": ")
    return body(message, behind: head, tail: StyledLine())
  }

  /// `── text ──`
  func rule(_ text: SafeText) -> StyledLine {
    let side = options.glyphs.rule + options.glyphs.rule
    return StyledLine(side + " " + text + " " + side, .dim)
  }

  private func stamp(_ message: Message) -> StyledLine {
    var line = StyledLine()
    if options.timestamps { line.append(LocalTime.clock(message.createdAt) + " ", .dim) }
    if options.numbers { line.append("[\(message.number)] ", .dim) }
    return line
  }

  private func tail(_ message: Message) -> StyledLine {
    var line = StyledLine()
    if message.editedAt != nil { line.append(" " + say("(edited)"), .dim) }
    guard options.marks, message.sender == me else { return line }
    let mark = Self.mark(message.state, options.glyphs)
    line.append("  " + mark, message.state == .failed ? Style(foreground: .red) : .dim)
    if let failure = message.failure, message.state == .failed {
      line.append(" " + say("not sent: %1", SafeText(line: failure)), Style(foreground: .red))
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
    let texts = SafeText(body: message.body).lines
    let indent = SafeText(
      line: String(repeating: " ", count: min(max(head.columns(options.widths), 2), 24)))
    return texts.enumerated().map { index, text in
      (index == 0 ? head : StyledLine(indent)) + StyledLine(text)
        + (index == texts.count - 1 ? tail : StyledLine())
    }
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
