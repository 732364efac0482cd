// SPDX-License-Identifier: GPL-3.0-or-later
import ChatPreferences
import ChatRendering
import ChatSession
import Conversations
import Exchange
import StyledText

/// Prints events between the messages, for `log --events` (rule 13.5).
@MainActor
struct LoggedEvents {
  private let script: Script
  private let conversation: ID<Conversation>
  private let isJSON: Bool
  /// The time from which events are printed; nil to begin at that of the first printed message, if
  /// there is one.
  private var start: Milliseconds?
  /// The time before which events are printed; nil to end with the last message.
  private var end: Milliseconds?
  /// The store's newest change when the command began; only `follow` prints later events.
  private var position: Int64 = 0
  private var lastRead: NumberedEvent?
  /// The events that `follow` has read and that are not printed yet; nil before the first `follow`.
  private var followed: [NumberedEvent]?

  init(_ script: Script, of conversation: ID<Conversation>, isJSON: Bool) {
    (self.script, self.conversation, self.isJSON) = (script, conversation, isJSON)
  }

  mutating func begin(from start: Milliseconds?, until end: Milliseconds?, upTo position: Int64) {
    (self.start, self.end, self.position) = (start, end, position)
  }

  /// Loads the events after `start` up to `end`, to be printed next.
  mutating func follow(from start: Int64, upTo end: Int64) throws {
    followed = try script.store.read { try $0.events(in: conversation, after: start, upTo: end) }
  }

  /// Prints messages, with the events between them.
  mutating func print(_ page: [Message]) throws {
    guard let newest = page.map(\.createdAt).max() else { return }
    start = start ?? page.map(\.createdAt).min()
    var events = try take(until: newest + 1)[...]
    var messages: [Message] = []
    for message in page {
      let due = events.prefix { $0.event.at < message.createdAt }
      if !due.isEmpty {
        try script.print(messages, isJSON: isJSON)
        messages = []
        try write(due)
        events = events.dropFirst(due.count)
      }
      messages.append(message)
    }
    try script.print(messages, isJSON: isJSON)
    try write(events)
  }

  /// Prints the events after the last message, if they are wanted.
  mutating func finish() throws {
    // Without --until, events after the last message are not printed.
    if followed == nil, end == nil { return }
    try write(try take(until: end ?? .max)[...])
  }

  private mutating func take(until time: Milliseconds) throws -> [NumberedEvent] {
    if let followed {
      let due = followed.prefix { $0.event.at < time }
      self.followed = Array(followed.dropFirst(due.count))
      return Array(due)
    }
    var found: [NumberedEvent] = []
    while true {
      let page = try script.store.read {
        try $0.events(
          in: conversation, from: start ?? .min, behind: lastRead, until: time, limit: Script.page)
      }
      lastRead = page.last ?? lastRead
      found += page.filter { $0.id <= position }
      if page.count < Script.page { return found }
    }
  }

  private func write(_ events: ArraySlice<NumberedEvent>) throws {
    try script.print(Array(events), isJSON: isJSON)
  }
}

extension Script {
  /// Prints events of one conversation.
  ///
  /// - Parameter conversation: its name, printed with each event; nil if the reader knows it.
  func print(
    _ events: [NumberedEvent], in conversation: SafeText? = nil, isJSON: Bool
  ) throws {
    if events.isEmpty || output.isClosed { return }
    if isJSON {
      for event in events {
        if let json = try store.read({ try $0.jsonLine(ofEvent: event.id) }) {
          output.write(JSONLine.safe(json))
        }
      }
      return
    }
    let events = events.map(\.event)
    let names = try names(
      of: events.flatMap { [$0.participant, $0.other] }.compactMap { $0?.id })
    let words = EventWords(glyphs: glyphs) { names.name($0.name, of: $0.id) }
    let place = conversation.map { " " + $0 } ?? ""
    for group in EventWords.groups(of: events) {
      let text =
        try words.joinsAndLeaves(group)
        ?? words.sentence(
          for: group[0], newName: store.read { try $0.newName(after: group[0]) }
        )
        .map { glyphs.lead(glyphs.event) + $0 }
      if let text { output.write(LocalTime.stamp(group[0].at) + place + " " + text) }
    }
  }
}
