// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Platform

/// The answers to other people's questions to this program (CTCP): at most one in five seconds, so
/// that nobody can make it flood the server.
struct CTCPAnswers: Sendable {
  private static let pause: Milliseconds = 5_000
  private let isOn: Bool
  private var last: Milliseconds?

  init(isOn: Bool) { self.isOn = isOn }

  /// The answer to a question; nil for none.
  mutating func answer(
    to question: (name: String, rest: String), at now: Milliseconds, wall: Milliseconds
  ) -> String? {
    let answer: String?
    switch question.name {
    case "CLIENTINFO": answer = "ACTION CLIENTINFO PING TIME VERSION"
    case "VERSION": answer = "hobnob"
    case "PING": answer = String(question.rest.prefix(64))
    // The time zone would tell where the owner is.
    case "TIME": answer = DateParser.text(wall)
    default: answer = nil
    }
    guard isOn, let answer, last.map({ now - $0 >= Self.pause }) ?? true else { return nil }
    last = now
    return "\u{01}\(question.name) \(answer)\u{01}"
  }
}
