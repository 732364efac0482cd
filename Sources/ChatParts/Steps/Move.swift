// SPDX-License-Identifier: GPL-3.0-or-later

/// A key that opens another conversation (rule 13.1).
package enum Move: Hashable, Sendable {
  /// The most urgent unread conversation: first those with messages for the person, then the one
  /// that has waited longest.
  case nextUnread
  /// The next or previous conversation in the order of `/list`, which wraps around.
  case next, previous
  /// The conversation that was open before.
  case last
  /// The conversation at this position in `/list`, from 1.
  case number(Int)
  /// A conversation whose name the person will type.
  case choose

  /// Makes the move of a readline function; nil for a function that does not open a conversation.
  package init?(function name: String) {
    switch name {
    case "next-unread": self = .nextUnread
    case "next-conversation": self = .next
    case "previous-conversation": self = .previous
    case "last-conversation": self = .last
    case "switch-conversation": self = .choose
    default:
      guard name.hasPrefix("conversation-"), let number = name.last?.wholeNumberValue else {
        return nil
      }
      self = .number(number)
    }
  }
}
