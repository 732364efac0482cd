// SPDX-License-Identifier: GPL-3.0-or-later
import ChatPreferences
import Conversations
import StyledText

/// How often an agent may send, so that two that answer each other do not fill a room (rule 11.9).
struct SendLimit {
  static let most = 20
  static let span: Milliseconds = 60_000

  /// When it sent.
  private var times: [Milliseconds]

  init(_ times: [Milliseconds] = []) { self.times = times }

  mutating func note(_ now: Milliseconds) { times.append(now) }

  /// - Throws: ``Refusal`` if it must wait.
  mutating func check(_ now: Milliseconds) throws {
    // Times in the future are from before somebody set the clock back.
    times.removeAll { !(0..<Self.span).contains(now - $0) }
    guard times.count >= Self.most, let first = times.min() else { return }
    throw Refusal(
      say(
        "You have sent %1 times in the last minute, which is the limit; wait %2 s.",
        SafeText(times.count), SafeText(Int((first + Self.span - now + 999) / 1000))))
  }
}

extension Agent {
  /// The limit after what the agent sent before it was started, as far as messages show it.
  func limit(at now: Milliseconds) throws -> SendLimit {
    let recent = SortKey.first(at: now - SendLimit.span)..<Int64.max
    let messages = try script.store.read { snapshot in
      try rooms.all().flatMap {
        try snapshot.messages(
          in: $0.id, sorts: recent, newest: Script.page, for: script.me.id, receipts: false)
      }
    }
    return SendLimit(messages.filter { $0.sender == script.me.id }.map(\.createdAt))
  }
}
