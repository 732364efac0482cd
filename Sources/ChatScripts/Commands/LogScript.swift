// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import ChatSession
import Conversations
import StyledText

/// `hobnob log`: a way out for scripts (rule 11.3): messages of a conversation, oldest first. It marks
/// nothing as seen or read (rule 7.3).
package struct LogScript: Subcommand {
  package static let configuration = CommandConfiguration(
    commandName: "log", abstract: "Print messages of a conversation.")
  @OptionGroup package var common: CommonOptions
  @Argument(help: .conversation) var conversation: String
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "How many of the newest messages (20, or all if you select by time or number).",
      valueName: "n"))
  var lines: Int?
  @Option(
    help: ArgumentHelp(
      "Only messages since a time: 2026-11-21T10:30, or an age: 90m, 12h, 3d.", valueName: "time"))
  var since: String?
  @Option(help: ArgumentHelp("Only messages until a time.", valueName: "time"))
  var until: String?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Begin with message n; -5 is the fifth newest.", valueName: "n"))
  var from: Int?
  @Option(
    parsing: .unconditional, help: ArgumentHelp("End with message n.", valueName: "n"))
  var to: Int?
  @Flag(help: "Keep printing new messages.")
  var follow = false
  @Flag(help: "Also print topics, invitations, and who joins, leaves or changes their name.")
  var events = false
  @Flag(help: "Print one JSON object per line.")
  var json = false

  package init() {}

  package func validate() throws {
    if let lines { try validCount(lines) }
    if let from { try validNumber(from, "--from") }
    if let to { try validNumber(to, "--to") }
    if follow, until != nil || to != nil {
      throw ValidationError("--follow has no end; leave out --until and --to.")
    }
  }

  package func run(_ launch: Launch) throws -> Int32 {
    let span = try TimeSpan(since: since, until: until, now: Store.wallClock())
    return try launch.script { script in
      let place = try script.conversation(conversation)
      let bell =
        follow ? try BellWait(script.store, seconds: nil, watchesReader: true) : nil
      var log = PrintedLog(script, of: place, isJSON: json, hasEvents: events)
      try log.print(self, within: span)
      script.output.flush()
      while let bell, !script.output.isClosed, bell.next() == .rang {
        try log.printNew()
        script.output.flush()
      }
      return 0
    }
  }
}

/// Prints a conversation page by page: memory does not grow with it. What is asked for by numbers comes
/// by number; anything else in the order in which it is shown, what is past first, and by time what a
/// network told late.
@MainActor
private struct PrintedLog {
  let script: Script
  let conversation: Conversation
  let isJSON: Bool
  /// Up to where it was looked at, in numbers and in the store.
  private var newest: Int
  private var position: Int64 = 0
  /// Which of the messages that were there at the start were asked for.
  private var asked = (first: 1, last: 0, span: TimeSpan.always)
  /// From where on those that are past were asked for; nil for none of them, or by their numbers.
  private var askedPast: Store.PastPlace?
  /// The same of the others, where those go by time, too.
  private var askedLate: Store.PastPlace?
  private var isByNumber = false
  private var events: LoggedEvents?
  private var printer: MessagePrinter

  init(_ script: Script, of conversation: Conversation, isJSON: Bool, hasEvents: Bool) {
    self.script = script
    self.conversation = conversation
    self.isJSON = isJSON
    if hasEvents { events = LoggedEvents(script, of: conversation.id, isJSON: isJSON) }
    newest = conversation.lastNumber
    var options = MessagePrinter.Options(glyphs: script.glyphs)
    // Into a pipe all of it goes.
    options.folding = script.folding ?? Folding(mostBytes: .max, mostLines: 0)
    printer = MessagePrinter(options: options, me: script.me.id)
  }

  mutating func print(_ options: LogScript, within span: TimeSpan) throws {
    newest = try lastNumber
    // Behind it: what happens to a message from here on is printed by itself.
    position = try script.store.read { try $0.position }
    asked = (newest + 1, newest, span)
    var (from, lines) = (options.from, options.lines)
    if let back = from, back < 0, options.to == nil, span.isAlways {
      // The fifth newest and all behind it are the last five.
      lines = min(lines ?? .max, Int(clamping: back.magnitude))
      from = nil
    }
    isByNumber = from != nil || options.to != nil
    var first = try from.map(number) ?? 1
    var last = min(try options.to.map(number) ?? newest, newest)
    if !span.isAlways {
      let found = try script.store.read {
        try $0.numbers(
          in: conversation.id, since: span.start, until: span.end, past: isByNumber)
      }
      first = max(first, found?.lowerBound ?? newest + 1)
      last = min(last, found?.upperBound ?? newest)
    }
    var left = lines ?? (isByNumber || !span.isAlways ? nil : 20)
    let isByTime = try !isByNumber && script.store.read { try $0.isByTime(conversation.id) }
    let wanted = left
    if let lines = left, isByTime {
      left =
        try lines
        - script.store.read {
          try $0.count(
            in: conversation.id, since: span.start, until: span.end, upTo: lines)
        }
    } else if let lines = left {
      (first, left) = try start(ofNewest: lines, from: first, to: last, span)
    }
    asked.first = first
    // With a count, what happened before the first of them is not asked for.
    events?.begin(
      from: isByNumber || lines != nil || span.isAlways ? nil : span.start,
      until: options.to != nil || lines == 0 ? nil : span.end ?? .max, upTo: position)
    if isByNumber {
      try print(from: first, to: last, span)
    } else {
      askedPast = try printByTime(newest: left, span, isPast: true)
      if isByTime {
        askedLate = try printByTime(newest: wanted, span, isPast: false)
      } else {
        try printLive(from: first, to: last, span)
      }
    }
    try events?.finish()
  }

  private mutating func write(_ page: [Message]) throws {
    if events == nil { return try script.print(page, isJSON: isJSON) }
    try events?.print(page)
  }

  /// What has arrived since, and what became of messages that were printed (rule 3.8).
  mutating func printNew() throws {
    let (first, last) = (newest + 1, try lastNumber)
    let end = try script.store.read { try $0.position }
    try events?.follow(from: position, upTo: end)
    let news = try script.store.read {
      try $0.laterNews(
        in: conversation.id, since: position, upTo: end, ofMessagesUpTo: newest, for: script.me.id
      )
    }.filter { isPrinted($0.message) }
    position = end
    newest = max(newest, last)
    // What was imported takes numbers like these and did not arrive.
    if last >= first { try printLive(from: first, to: last, .always) { !$0.isImported } }
    try events?.finish()
    try print(news)
  }

  private func isPrinted(_ message: Message) -> Bool {
    if message.isPast, !isByNumber {
      guard let askedPast, asked.span.contains(message.createdAt) else { return false }
      return (message.createdAt, message.number) >= (askedPast.time, askedPast.number)
    }
    if let place = askedLate, message.number <= asked.last {
      return (message.createdAt, message.number) >= (place.time, place.number)
        && asked.span.contains(message.createdAt)
    }
    return message.number > asked.last
      || message.number >= asked.first && asked.span.contains(message.createdAt)
  }

  private mutating func print(_ news: [LaterNews]) throws {
    if isJSON {
      // The message is there once, as it stands now, whatever happened to it.
      var told: Set<ID<Message>> = []
      let messages = news.map(\.message).filter { told.insert($0.id).inserted }
      return try script.print(messages, isJSON: true)
    }
    for entry in news {
      switch entry {
      case .revised(let message):
        for line in printer.revision(of: message) { script.output.write(line.plain) }
      case .reacted(let news):
        let person = news.participant
        let name = try script.names(of: [person.id]).name(person.name, of: person.id)
        script.output.write(
          MessagePrinter.line(for: news, by: name, widths: printer.options.widths).plain)
      }
    }
  }

  private var lastNumber: Int {
    get throws {
      try script.store.read { try $0.conversation(conversation.id, for: script.me.id) }?.lastNumber
        ?? newest
    }
  }

  /// A number as it was typed.
  private func number(_ typed: Int) throws -> Int {
    guard typed < 0 else { return typed }
    // Further back than the first is from the first on.
    do {
      return try script.message(typed, in: conversation).number
    } catch RuleError.noSuchMessage {
      return 1
    }
  }

  /// The number at which the newest so many begin, and how many are missing.
  private func start(
    ofNewest count: Int, from first: Int, to last: Int, _ span: TimeSpan
  ) throws -> (number: Int, left: Int) {
    var (left, start) = (count, last + 1)
    var before = last + 1
    while left > 0, before > first {
      let page: [Message]
      if isByNumber {
        let low = max(first, before - Script.page)
        page = try script.store.read {
          try $0.messages(
            in: conversation.id, numbers: low...(before - 1), for: script.me.id)
        }
        before = low
      } else {
        page = try script.store.read {
          try $0.messages(
            in: conversation.id, before: before, limit: min(left, Script.page), for: script.me.id,
            receipts: false, past: false)
        }
        before = page.first?.number ?? first
      }
      for message in page.reversed()
      where left > 0 && message.number >= first && span.contains(message.createdAt) {
        left -= 1
        start = message.number
      }
    }
    return (start, left)
  }

  private mutating func print(from first: Int, to last: Int, _ span: TimeSpan) throws {
    var next = first
    while next <= last, !script.output.isClosed {
      let end = min(last, next + Script.page - 1)
      let page = try script.store.read {
        try $0.messages(
          in: conversation.id, numbers: next...end, for: script.me.id
        )
      }.filter { span.contains($0.createdAt) }
      try write(page)
      next = end + 1
    }
  }

  /// The same without what is past, however many numbers that has between the others.
  private mutating func printLive(
    from first: Int, to last: Int, _ span: TimeSpan,
    where isWanted: (Message) -> Bool = { _ in true }
  ) throws {
    var before = first - 1
    while before < last, !script.output.isClosed {
      let page = try script.store.read {
        try $0.messages(
          in: conversation.id, after: before, limit: Script.page, for: script.me.id)
      }
      try write(
        page.filter { $0.number <= last && span.contains($0.createdAt) && isWanted($0) })
      before = page.last?.number ?? last
    }
  }

  /// What is past in the span, or what is not, by time; with a count only the newest so many.
  ///
  /// - Returns: from where on; nil for none.
  private mutating func printByTime(
    newest count: Int?, _ span: TimeSpan, isPast: Bool
  ) throws -> Store.PastPlace? {
    if count == 0 { return nil }
    var place = Store.PastPlace(time: span.start, number: 0)
    if let count,
      let start = try script.store.read({
        try $0.start(
          ofNewestPast: count, in: conversation.id, until: span.end, isPast: isPast)
      }),
      start.time >= span.start
    {
      place = start
    }
    let first = place
    while !script.output.isClosed {
      let page = try script.store.read {
        try $0.past(
          in: conversation.id, from: place, until: span.end, limit: Script.page, for: script.me.id,
          isPast: isPast)
      }
      guard let last = page.last else { break }
      try write(page)
      place = Store.PastPlace(time: last.createdAt, number: last.number + 1)
    }
    return first
  }
}

extension Script {
  /// Prints messages as `log` does.
  ///
  /// - Parameter place: said of each, where it is not clear.
  func print(_ messages: [Message], in place: SafeText? = nil, isJSON: Bool) throws {
    if isJSON {
      for message in messages {
        // nil: it was forgotten a moment ago.
        if let json = try store.read({ try $0.jsonLine(of: message.id) }) {
          output.write(JSONLine.safe(json))
        }
      }
      return
    }
    let reactions = try store.read { try $0.reactions(of: messages.map(\.id)) }
    let names = try names(
      of: messages.map(\.sender) + reactions.values.joined().map(\.participant.id))
    for message in messages {
      let lines = LogLines.all(
        message, reactions: reactions[message.id] ?? [], in: place, names: names, folding: folding)
      for line in lines {
        output.write(line)
      }
    }
  }
}
