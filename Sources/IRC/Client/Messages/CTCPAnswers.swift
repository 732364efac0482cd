// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Platform

/// The answers to other people's questions to this program (CTCP), and the sentences about their
/// offers: at most one in five seconds, so that nobody can make it flood the server or the owner.
struct CTCPAnswers: Sendable {
  private static let pause: Milliseconds = 5_000
  /// Whether the owner lets it answer.
  var isOn = true
  private var last: Milliseconds?
  private var lastOffer: Milliseconds?

  /// The answer to a question; nil for none.
  mutating func answer(
    to question: (name: String, rest: String), at now: Milliseconds, wall: Milliseconds
  ) -> String? {
    let answer: String?
    switch question.name {
    case "CLIENTINFO": answer = "ACTION CLIENTINFO PING TIME VERSION"
    case "VERSION": answer = "hobnob"
    case "PING": answer = String(question.rest.without(["\u{01}"]).cut(afterBytes: 64))
    // The time zone would tell where the owner is.
    case "TIME": answer = DateParser.text(wall)
    default: answer = nil
    }
    guard isOn, let answer, Self.isLate(now, after: &last) else { return nil }
    return "\u{01}\(question.name) \(answer)\u{01}"
  }

  /// Whether to tell the owner of another offer.
  mutating func tellsOffer(at now: Milliseconds) -> Bool { Self.isLate(now, after: &lastOffer) }

  private static func isLate(_ now: Milliseconds, after last: inout Milliseconds?) -> Bool {
    if let last, now - last < Self.pause { return false }
    last = now
    return true
  }
}
