// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import StyledText

/// What `hobnob log` is told (rule 11.3).
public struct LogOptions: Sendable {
  /// At most so many, the newest of those that are asked for; nil is 20, or all of them where a
  /// time or a number is given.
  public var lines: Int?
  /// A date or an age; the first moment that counts.
  public var since: String?
  /// A date or an age; with a day, the end of it.
  public var until: String?
  /// The first number; negative counts from the newest.
  public var from: Int?
  /// The last number; negative counts from the newest.
  public var to: Int?
  /// Goes on with what arrives.
  public var follows = false
  /// One JSON object a line instead of text.
  public var isJSON = false

  public init() {}
}

/// `hobnob log`: a way out for scripts (rule 11.3). It marks nothing as seen or read (rule 7.3).
extension Launch {
  /// Prints messages of a conversation, oldest first.
  public func log(_ name: String, _ options: LogOptions) throws -> Int32 {
    let span = try TimeSpan(since: options.since, until: options.until, now: Store.wallClock())
    return try script { script in
      let conversation = try script.conversation(name)
      let wait =
        options.follows ? try BellWait(script.store, seconds: nil, watchesReader: true) : nil
      var log = Log(script: script, conversation: conversation, isJSON: options.isJSON)
      try log.print(options, within: span)
      script.output.flush()
      while let wait, !script.output.isClosed, wait.next() == .rang {
        try log.printNew()
        script.output.flush()
      }
      return 0
    }
  }
}

/// Prints a conversation page by page: memory does not grow with it.
@MainActor
private struct Log {
  let script: Script
  let conversation: Conversation
  let isJSON: Bool
  /// Up to where it was looked at.
  private var newest: Int

  init(script: Script, conversation: Conversation, isJSON: Bool) {
    self.script = script
    self.conversation = conversation
    self.isJSON = isJSON
    newest = conversation.lastNumber
  }

  mutating func print(_ options: LogOptions, within span: TimeSpan) throws {
    newest = try lastNumber
    var first = try options.from.map(number) ?? 1
    var last = min(try options.to.map(number) ?? newest, newest)
    if !span.isAlways {
      guard
        let found = try script.store.numbers(
          in: conversation.id, since: span.start, until: span.end)
      else { return }
      first = max(first, found.lowerBound)
      last = min(last, found.upperBound)
    }
    let isNarrowed = !span.isAlways || options.from != nil || options.to != nil
    if let lines = options.lines ?? (isNarrowed ? nil : 20) {
      first = try start(ofNewest: lines, from: first, to: last, span)
    }
    try print(from: first, to: last, span)
  }

  /// What has arrived since.
  mutating func printNew() throws {
    let (first, last) = (newest + 1, try lastNumber)
    // Reads one row when it rang for something else.
    guard last >= first else { return }
    newest = last
    // What was imported takes numbers like these and did not arrive.
    try print(from: first, to: last, .always) { !$0.isImported }
  }

  private var lastNumber: Int {
    get throws {
      try script.store.conversation(conversation.id, for: script.me.id)?.lastNumber ?? newest
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

  /// The number at which the newest so many begin.
  private func start(
    ofNewest count: Int, from first: Int, to last: Int, _ span: TimeSpan
  ) throws -> Int {
    var (left, start) = (count, last + 1)
    var before = last + 1
    while left > 0, before > first {
      let page = try script.store.messages(
        in: conversation.id, before: before, limit: min(left, Script.page), for: script.me.id,
        receipts: false)
      for message in page.reversed()
      where left > 0 && message.number >= first && span.contains(message.createdAt) {
        left -= 1
        start = message.number
      }
      guard let oldest = page.first else { break }
      before = oldest.number
    }
    return start
  }

  private func print(
    from first: Int, to last: Int, _ span: TimeSpan,
    where isWanted: (Message) -> Bool = { _ in true }
  ) throws {
    var next = first
    while next <= last, !script.output.isClosed {
      let end = min(last, next + Script.page - 1)
      let page = try script.store.messages(
        in: conversation.id, numbers: next...end, for: script.me.id
      ).filter { span.contains($0.createdAt) && isWanted($0) }
      try script.print(page, isJSON: isJSON)
      next = end + 1
    }
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
        if let json = try store.jsonLine(of: message.id) { output.write(JSONLine.safe(json)) }
      }
      return
    }
    let reactions = try store.reactions(of: messages.map(\.id))
    let names = try names(
      of: messages.map(\.sender) + reactions.values.joined().map(\.participant.id))
    for message in messages {
      let lines = LogLines.all(
        message, reactions: reactions[message.id] ?? [], in: place, names: names)
      for line in lines {
        output.write(line)
      }
    }
  }
}
