// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import StyledText

/// Messages of one sender, one after the other, that hobnob cannot read for the same reason (rule
/// 14.10).
struct UnreadableRun {
  let first: Message
  var count = 1
  /// Their line; nil if the reason is unknown.
  var line: StyledLine?

  func continues(with message: Message) -> Bool {
    message.kind == .unreadable && message.sender == first.sender
      && message.encryption == first.encryption
  }
}

extension MessagePrinter {
  /// Prints a message below these lines, which are not on the screen yet. If it continues a run of
  /// messages that hobnob cannot read, the line of the run counts it instead.
  package mutating func add(_ message: Message, to lines: inout [StyledLine]) {
    guard var run = unreadable, let line = run.line, lines.last == line,
      run.continues(with: message), isOnDay(of: message)
    else {
      lines += self.lines(for: message)
      return
    }
    run.count += 1
    lines.removeLast()
    lines += self.lines(for: run)
  }

  /// `· anna wrote 3 messages that this device cannot read: sent before it was added`, with the time
  /// and the number of the first.
  mutating func lines(for run: UnreadableRun) -> [StyledLine] {
    var run = run
    let text = say(
      "%2 wrote a message that this device cannot read: %3",
      "%2 wrote %1 messages that this device cannot read: %3", count: run.count,
      name(of: run.first).plain, SafeText(line: run.first.encryption.obstacle ?? ""))
    let lines = event(
      [StyledLine(lead(\.event) + text, .dim)], at: run.first.createdAt, number: run.first.number)
    run.line = lines.last
    unreadable = run
    return lines
  }
}
