// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations

/// Lines that were sent while somebody else had the store locked (rule 1.2), in their order.
struct WaitingLines {
  struct Line {
    /// As it was typed.
    let typed: String
    let body: String
    let kind: Message.Kind
    let conversation: ID<Conversation>
    /// The name of the conversation.
    let place: String
    /// Monotonic milliseconds.
    let since: Int64
    /// The files that go with it.
    var files = WaitingFiles()
    /// The people it mentions.
    var mentions: [Span] = []
    /// The message it answers.
    var replyTo: ID<Message>?
    /// The text of the draft it came from.
    var draft: String?
  }

  /// How long a line waits before it comes back, in milliseconds.
  static let patience: Int64 = 10_000

  private(set) var lines: [Line] = []

  var isEmpty: Bool { lines.isEmpty }
  var first: Line? { lines.first }

  mutating func append(_ line: Line) { lines.append(line) }
  mutating func removeFirst() { lines.removeFirst() }

  /// The line that has waited too long, taken out.
  mutating func givenUp(at now: Int64) -> Line? {
    guard let first, now - first.since >= Self.patience else { return nil }
    return lines.removeFirst()
  }

  /// The line that waits longest, taken out: C-g.
  mutating func takeBack() -> Line? { lines.isEmpty ? nil : lines.removeFirst() }
}
