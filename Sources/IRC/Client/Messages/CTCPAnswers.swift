// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Platform

/// Answers the questions that other people ask this program (CTCP), and tells the owner about their
/// offers: at most one of each in five seconds, so that nobody can use it to flood the server or
/// the owner.
struct CTCPAnswers: Sendable {
  private static let pause: Milliseconds = 5_000
  /// Whether the owner allows answers.
  var isOn = true
  private var last: Milliseconds?
  private var lastOffer: Milliseconds?

  /// The answer to a question; nil if there is none.
  mutating func answer(
    to question: (name: String, rest: String), at now: Milliseconds, wall: Milliseconds
  ) -> String? {
    let answer: String?
    switch question.name {
    case "CLIENTINFO": answer = "ACTION CLIENTINFO PING TIME VERSION"
    case "VERSION": answer = "hobnob"
    case "PING": answer = String(question.rest.without(["\u{01}"]).cut(afterBytes: 64))
    // The time zone would reveal where the owner is.
    case "TIME": answer = DateParser.text(wall)
    default: answer = nil
    }
    guard isOn, let answer, Self.isLate(now, after: &last) else { return nil }
    return "\u{01}\(question.name) \(answer)\u{01}"
  }

  /// Whether to tell the owner about another offer now.
  mutating func tellsOffer(at now: Milliseconds) -> Bool { Self.isLate(now, after: &lastOffer) }

  private static func isLate(_ now: Milliseconds, after last: inout Milliseconds?) -> Bool {
    if let last, now - last < Self.pause { return false }
    last = now
    return true
  }
}
