// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import StyledText

/// What was unread when a conversation was entered and is more than one turn of the loop prints:
/// it follows in portions, and keys are served between them (rules 7.3, 7.7).
struct Backlog {
  /// Lines about what happened since: they stand below all that is older.
  var later: [StyledLine] = []
  /// My own messages that were not sent when their turn came: they stand last (rule 7.1).
  private(set) var unsent: [Int] = []

  /// Takes what is not sent yet out of a portion.
  mutating func keepUnsent(of messages: inout [Message], by me: ID<Participant>) {
    let isUnsent = { (message: Message) in message.sender == me && message.state < .sent }
    unsent += messages.filter(isUnsent).map(\.number)
    messages.removeAll(where: isUnsent)
  }
}
