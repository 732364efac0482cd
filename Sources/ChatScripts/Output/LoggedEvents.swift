// SPDX-License-Identifier: GPL-3.0-or-later
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
  /// The first moment; nil to begin with the first printed message, if there is one.
  private var start: Milliseconds?
  /// The first moment that no longer counts; nil to end with the last message.
  private var end: Milliseconds?
  /// The store's position at the start: `follow` prints later events.
  private var position: Int64 = 0
  private var last: NumberedEvent?
  /// New events; nil while old ones are being printed.
  private var new: [NumberedEvent]?

  init(_ script: Script, of conversation: ID<Conversation>, isJSON: Bool) {
    (self.script, self.conversation, self.isJSON) = (script, conversation, isJSON)
  }

  mutating func begin(from start: Milliseconds?, until end: Milliseconds?, upTo position: Int64) {
    (self.start, self.end, self.position) = (start, end, position)
  }

  /// Makes the events between two positions the next to print.
  mutating func follow(from start: Int64, upTo end: Int64) throws {
    new = try script.store.read { try $0.events(in: conversation, after: start, upTo: end) }
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

  /// Prints the events after the last message.
  mutating func finish() throws {
    if new == nil, end == nil { return }
    try write(try take(until: end ?? .max)[...])
  }

  private mutating func take(until time: Milliseconds) throws -> [NumberedEvent] {
    if let new {
      let due = new.prefix { $0.event.at < time }
      self.new = Array(new.dropFirst(due.count))
      return Array(due)
    }
    var found: [NumberedEvent] = []
    while true {
      let page = try script.store.read {
        try $0.events(
          in: conversation, from: start ?? .min, behind: last, until: time, limit: Script.page)
      }
      last = page.last ?? last
      found += page.filter { $0.id <= position }
      if page.count < Script.page { return found }
    }
  }

  private func write(_ events: ArraySlice<NumberedEvent>) throws {
    if events.isEmpty || script.output.isClosed { return }
    if isJSON {
      for event in events {
        if let json = try script.store.read({ try $0.jsonLine(ofEvent: event.id) }) {
          script.output.write(JSONLine.safe(json))
        }
      }
      return
    }
    let events = events.map(\.event)
    let names = try script.names(
      of: events.flatMap { [$0.participant, $0.other] }.compactMap { $0?.id })
    let words = EventWords(glyphs: script.glyphs) { names.name($0.name, of: $0.id) }
    for group in EventWords.groups(of: events) {
      let text =
        try words.line(group)
        ?? words.sentence(
          for: group[0], newName: script.store.read { try $0.newName(after: group[0]) }
        )
        .map { script.glyphs.lead(script.glyphs.event) + $0 }
      if let text { script.output.write(LocalTime.stamp(group[0].at) + " " + text) }
    }
  }
}
