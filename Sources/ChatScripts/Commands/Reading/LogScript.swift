// SPDX-License-Identifier: GPL-3.0-or-later
import ChatPreferences
import ChatRendering
import Conversations
import Platform
import StyledText

/// `hobnob log`: prints the messages of a conversation for scripts, oldest first (rule 11.3). It
/// marks nothing as seen or read (rule 7.3).
struct LogScript: JSONSubcommand {
  static let name = "log"
  static let abstract: StaticString = "Print messages of a conversation."
  static var parameters: [Parameter<Self>] {
    [
      .conversation(\.conversation),
      Parameter(
        "--lines", \.lines, value: "n", takesDash: true,
        "How many of the newest messages to print (default: 20, or all if you select by time or number)."
      ),
      Parameter(
        "--since", \.since, value: "time",
        "Only messages since a time: 2026-11-21T10:30, or an age: 90m, 12h, 3d."),
      Parameter("--until", \.until, value: "time", "Only messages until a time."),
      Parameter(
        "--from", \.from, value: "n", takesDash: true,
        "Begin with message n; -5 is the fifth newest."),
      Parameter("--to", \.to, value: "n", takesDash: true, "End with message n."),
      Parameter("--follow", \.follow, "Keep printing new messages."),
      Parameter(
        "--events", \.events,
        "Also print topics, invitations, and who joins, leaves or changes their name."),
      Parameter("--json", \.json, "Print one JSON object per line."),
    ]
  }

  var conversation = ""
  var lines: Int?
  var since: String?
  var until: String?
  var from: Int?
  var to: Int?
  var follow = false
  var events = false
  var json = false

  func validate() throws {
    if let lines { try validCount(lines) }
    if let from { try validNumber(from, "--from") }
    if let to { try validNumber(to, "--to") }
    if follow, until != nil || to != nil {
      throw WrongUsage(say("--follow has no end; leave out --until and --to."))
    }
  }

  func run(_ launch: Launch) throws -> Int32 {
    let span = try TimeSpan(since: since, until: until, now: Clock.wall())
    return try launch.script { script in
      let conversation = try script.conversation(conversation)
      let bell =
        follow ? try BellWait(script.store, seconds: nil, watchesReader: true) : nil
      var log = PrintedLog(script, of: conversation, isJSON: json, hasEvents: events)
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

/// Prints a conversation page by page, in order: memory does not grow with it.
@MainActor
private struct PrintedLog {
  /// The requested messages among those that existed when the command started: a range of sort
  /// keys, of numbers and of time.
  private struct Selection {
    var sortKeys: Range<Int64> = .min..<(.min)
    var numbers = 1...Int.max
    var span = TimeSpan.always

    func contains(_ message: Message) -> Bool {
      sortKeys.contains(message.sort) && numbers.contains(message.number)
        && span.contains(message.createdAt)
    }
  }

  let script: Script
  let conversation: Conversation
  let isJSON: Bool
  /// The highest message number when the command started, and when the store was last read.
  private var (numberAtStart, newest) = (0, 0)
  /// The store's position when it was last read.
  private var position: Int64 = 0
  private var requested = Selection()
  /// The highest sort key of the printed messages.
  private var newestSort = Int64.min
  private var events: LoggedEvents?
  private var printer: LoggedUpdates

  init(_ script: Script, of conversation: Conversation, isJSON: Bool, hasEvents: Bool) {
    self.script = script
    self.conversation = conversation
    self.isJSON = isJSON
    if hasEvents { events = LoggedEvents(script, of: conversation.id, isJSON: isJSON) }
    printer = LoggedUpdates(script)
  }

  mutating func print(_ options: LogScript, within span: TimeSpan) throws {
    // Later changes to messages are printed separately.
    (position, newest) = try state()
    numberAtStart = newest
    var (from, lines) = (options.from, options.lines)
    if let back = from, back < 0, options.to == nil, span.isAlways {
      // For example, `--from -5` means the last five messages.
      lines = min(lines ?? .max, Int(clamping: back.magnitude))
      from = nil
    }
    let isByNumber = from != nil || options.to != nil
    let first = try from.map(messageNumber) ?? 1
    let last = min(try options.to.map(messageNumber) ?? newest, newest)
    requested = Selection(
      sortKeys: try sortKeys(ofNumbers: first, last, isByNumber: isByNumber, within: span),
      numbers: first...max(first, last), span: span)
    if first > last { requested.sortKeys = .min..<(.min) }
    let count = lines ?? (isByNumber || !span.isAlways ? nil : 20)
    if let count { requested.sortKeys = try rangeOfNewest(count, in: requested.sortKeys) }
    // With a count, earlier events are not wanted.
    events?.begin(
      from: isByNumber || lines != nil || span.isAlways ? nil : span.start,
      until: options.to != nil || lines == 0 ? nil : span.end ?? .max, upTo: position)
    var next = requested.sortKeys.lowerBound
    while !script.output.isClosed {
      let page = try script.store.read {
        try $0.messages(
          in: conversation.id, sorts: next..<requested.sortKeys.upperBound, oldest: Script.page,
          for: script.me.id)
      }
      guard let last = page.last else { break }
      // Messages that arrive meanwhile are printed later.
      let printed = page.filter(requested.contains)
      try write(printed)
      newestSort = printed.last?.sort ?? newestSort
      next = last.sort + 1
    }
    try events?.finish()
  }

  /// The range of sort keys that contains all messages with these numbers and times.
  private func sortKeys(
    ofNumbers first: Int, _ last: Int, isByNumber: Bool, within span: TimeSpan
  ) throws -> Range<Int64> {
    var sorts = SortKey.all
    if isByNumber, first <= last {
      let found = try script.store.read {
        try $0.sorts(ofNumbers: first...last, in: conversation.id)
      }
      guard let found else { return .min..<(.min) }
      sorts = found
    }
    // Messages from a page of an archive may have a sort key slightly below their time.
    let start = SortKey.first(at: max(span.start, .min + 1000) - 1000)
    var end = sorts.upperBound + 1
    if let time = span.end {
      end = min(
        end,
        try script.store.read { try $0.sort(behindTime: time, in: conversation.id) })
    }
    let begin = span.start == .min ? sorts.lowerBound : max(sorts.lowerBound, start)
    return begin..<max(begin, end)
  }

  /// The part of a range of sort keys that holds the newest of the requested messages.
  private func rangeOfNewest(_ count: Int, in sorts: Range<Int64>) throws -> Range<Int64> {
    var (left, begin, end) = (count, sorts.upperBound, sorts.upperBound)
    while left > 0 {
      let limit = requested.span.isAlways ? min(left, Script.page) : Script.page
      let page = try script.store.read {
        try $0.messages(
          in: conversation.id, sorts: sorts.lowerBound..<end, newest: limit, for: script.me.id,
          receipts: false)
      }
      guard let first = page.first else { break }
      for message in page.reversed() where left > 0 && requested.contains(message) {
        left -= 1
        begin = message.sort
      }
      end = first.sort
    }
    return begin..<sorts.upperBound
  }

  private mutating func write(_ page: [Message]) throws {
    if events == nil { return try script.print(page, isJSON: isJSON) }
    try events?.print(page)
  }

  /// Prints messages that arrived since the last read, and changes to printed messages (rule 3.8).
  mutating func printNew() throws {
    let (end, last) = try state()
    try events?.follow(from: position, upTo: end)
    let updates = try script.store.read {
      try $0.messageUpdates(
        in: conversation.id, since: position, upTo: end, ofMessagesUpTo: newest, for: script.me.id
      )
    }.filter { isPrinted($0.message) }
    if newestSort > .min {
      newestSort =
        try script.store.read { [newest] in
          try $0.newestSortKey(in: conversation.id, upToNumber: newest)
        } ?? newestSort
    }
    newest = last
    while position < end, !script.output.isClosed {
      let page = try script.store.read {
        try $0.arrivals(
          in: conversation.id, since: position, upTo: end, limit: Script.page, for: script.me.id)
      }
      try writeNew(page.map(\.message))
      position = page.count < Script.page ? end : page.last?.position ?? end
    }
    try events?.finish()
    try print(updates)
  }

  /// Prints messages that have arrived: those that belong above printed ones, since they were missed,
  /// below a heading (rule 14.7).
  private mutating func writeNew(_ arrivals: [Message]) throws {
    var (isMissed, run) = (false, [Message]())
    for message in arrivals {
      if (message.sort < newestSort) != isMissed {
        try write(run, isMissed: isMissed)
        (isMissed, run) = (!isMissed, [])
      }
      run.append(message)
      newestSort = max(newestSort, message.sort)
    }
    try write(run, isMissed: isMissed)
  }

  private mutating func write(_ run: [Message], isMissed: Bool) throws {
    if isMissed, !isJSON, let span = MessagePrinter.missedSpan(run) {
      script.output.write("  " + span)
    }
    try write(run)
  }

  private func isPrinted(_ message: Message) -> Bool {
    message.number > numberAtStart ? !message.isImported : requested.contains(message)
  }

  private mutating func print(_ updates: [MessageUpdate]) throws {
    if isJSON {
      // Each message appears once, in its current state, whatever happened to it.
      var printed: Set<ID<Message>> = []
      let messages = updates.map(\.message).filter { printed.insert($0.id).inserted }
      return try script.print(messages, isJSON: true)
    }
    for update in updates { try printer.print(update) }
  }

  /// The current positions of the store and the conversation.
  private func state() throws -> (position: Int64, lastNumber: Int) {
    try script.store.read {
      let known = try $0.conversation(conversation.id, for: script.me.id)
      return (try $0.position, known?.lastNumber ?? newest)
    }
  }

  /// The message number that a typed number means: -N is the Nth newest.
  private func messageNumber(_ typed: Int) throws -> Int {
    guard typed < 0 else { return typed }
    // A number before the first message means the first.
    do {
      return try script.message(typed, in: conversation).number
    } catch RuleError.noSuchMessage {
      return 1
    }
  }
}

extension Script {
  /// Prints messages as `log` does.
  ///
  /// - Parameter conversation: its name, printed with each message; nil if the reader knows it.
  func print(_ messages: [Message], in conversation: SafeText? = nil, isJSON: Bool) throws {
    if isJSON {
      for message in messages {
        // Nil if the message was removed a moment ago.
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
        message, reactions: reactions[message.id] ?? [], in: conversation, names: names,
        folding: folding)
      for line in lines {
        output.write(line)
      }
    }
  }
}
