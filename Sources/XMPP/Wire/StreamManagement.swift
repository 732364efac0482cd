// SPDX-License-Identifier: GPL-3.0-or-later

/// Counts stanzas on both sides of a stream, so that one knows what the server has taken
/// (XEP-0198 without resumption). It begins where `<enabled/>` came.
///
/// - `Payload`: what the user of the stream wants to be told when a stanza is acknowledged.
package struct StreamManagement<Payload> {
  /// The server says that it took stanzas that were never sent.
  package struct FalseCount: Error {}

  /// How many stanzas of the server's have been dealt with (modulo 2^32).
  package private(set) var handled: UInt32 = 0
  /// How many of ours the server has taken (modulo 2^32).
  private var taken: UInt32 = 0
  /// What has gone out and is not acknowledged, the oldest first.
  private var waiting: [Payload?] = []
  /// How many had gone out when we last asked; nil: there is no open question.
  package private(set) var asked: UInt32?
  /// How many of the questions are answered.
  private var answers = 0

  /// How often a question is put, one behind the other: when Prosody 0.12 is ended it tells unasked
  /// what it has counted, the stanza included that it has not looked at and drops. Of two answers one
  /// is a real one.
  package static var questions: Int { 2 }

  package init() {}

  /// For the tests, which cannot send 2^32 stanzas.
  package init(startingAt count: UInt32) {
    handled = count
    taken = count
  }

  /// Whether it counts: only stanzas do, and neither SASL nor this extension is one.
  package static func counts(_ element: Element) -> Bool {
    element.namespace.isEmpty && ["message", "presence", "iq"].contains(element.name)
  }

  /// A stanza is going out.
  package mutating func send(_ payload: Payload?) { waiting.append(payload) }

  /// A stanza of the server's has been dealt with: what it says is in the store.
  package mutating func handle() { handled &+= 1 }

  /// What goes out and is not known to be taken, without those that nobody wants to hear of.
  package var unacknowledged: [Payload] { waiting.compactMap { $0 } }

  /// How many stanzas are not known to be taken.
  package var count: Int { waiting.count }

  /// Whether the server has been asked and has not answered.
  package var isAsking: Bool { asked != nil }

  /// Whether it is time to ask the server: something went out since the last question, and that was
  /// answered. Then the question counts as put.
  package mutating func ask() -> Bool {
    if waiting.isEmpty || asked != nil { return false }
    asked = taken &+ UInt32(truncatingIfNeeded: waiting.count)
    answers = 0
    return true
  }

  /// The server has taken so many in all (`h`), and says so once for each question.
  ///
  /// - Returns: what is known to be taken by that, the oldest first.
  /// - Throws: `FalseCount`, for a count beyond what was sent or behind what it said before.
  package mutating func acknowledge(_ count: UInt32) throws(FalseCount) -> [Payload] {
    let new = Int(count &- taken)
    guard new <= waiting.count else { throw FalseCount() }
    guard let asked, new >= Int(asked &- taken) else { return [] }
    answers += 1
    return answers < Self.questions ? [] : answered()
  }

  /// The server has answered something behind all that it was asked about.
  ///
  /// - Returns: what it has taken, the oldest first.
  package mutating func answered() -> [Payload] {
    guard let asked else { return [] }
    let new = Int(asked &- taken)
    taken = asked
    self.asked = nil
    defer { waiting.removeFirst(new) }
    return waiting.prefix(new).compactMap { $0 }
  }
}
