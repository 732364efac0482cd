// SPDX-License-Identifier: GPL-3.0-or-later

/// Counts stanzas on both sides of a stream, to know what the server has received (XEP-0198 without
/// resumption). Counting begins with `<enabled/>`.
///
/// - `Payload`: the value that the stream reports when a stanza is acknowledged.
struct StreamManagement<Payload> {
  /// The server claims to have received stanzas that were never sent.
  struct ImpossibleCount: Error {}

  /// How many stanzas of the server are handled (modulo 2^32).
  private(set) var handled: UInt32 = 0
  /// How many of our stanzas the server has received (modulo 2^32).
  private var taken: UInt32 = 0
  /// The payloads of stanzas that were sent and are not acknowledged, the oldest first.
  private var waiting: [Payload?] = []
  /// How many stanzas had been sent when we last asked; nil if no question is open.
  private(set) var asked: UInt32?
  /// How many of the questions are answered.
  private var answers = 0

  /// How many times in a row to ask. When Prosody 0.12 is stopped, it sends its count without being
  /// asked, and counts a stanza that it drops unread. Of two answers, at least one answers our
  /// question.
  static var questions: Int { 2 }

  init() {}

  /// For the tests, which cannot send 2^32 stanzas.
  init(startingAt count: UInt32) {
    handled = count
    taken = count
  }

  /// Whether an element counts: only stanzas do, and neither SASL nor this extension has any.
  static func counts(_ element: Element) -> Bool {
    element.namespace.isEmpty && ["message", "presence", "iq"].contains(element.name)
  }

  /// Call this when a stanza is being sent.
  mutating func send(_ payload: Payload?) { waiting.append(payload) }

  /// Call this when a stanza of the server is handled: its content is in the store.
  mutating func handle() { handled &+= 1 }

  /// The payloads of the stanzas that are not acknowledged.
  var unacknowledged: [Payload] { waiting.compactMap { $0 } }

  /// Returns whether to ask the server now: stanzas are not acknowledged, and no question is open.
  /// If true, the new question counts as asked.
  mutating func ask() -> Bool {
    if waiting.isEmpty || asked != nil { return false }
    asked = taken &+ UInt32(truncatingIfNeeded: waiting.count)
    answers = 0
    return true
  }

  /// Call this when the server reports how many stanzas it has received in all (`h`). It answers
  /// each question once.
  ///
  /// - Returns: the payloads of the stanzas that this acknowledges, the oldest first.
  /// - Throws: `ImpossibleCount`, for a count beyond what was sent or below an earlier one.
  mutating func acknowledge(_ count: UInt32) throws(ImpossibleCount) -> [Payload] {
    let new = Int(count &- taken)
    guard new <= waiting.count else { throw ImpossibleCount() }
    guard let asked, new >= Int(asked &- taken) else { return [] }
    answers += 1
    return answers < Self.questions ? [] : answered()
  }

  /// Call this when the server has answered something that was sent after the question.
  ///
  /// - Returns: the payloads of the stanzas that this acknowledges, the oldest first.
  mutating func answered() -> [Payload] {
    guard let asked else { return [] }
    let new = Int(asked &- taken)
    taken = asked
    self.asked = nil
    defer { waiting.removeFirst(new) }
    return waiting.prefix(new).compactMap { $0 }
  }
}
