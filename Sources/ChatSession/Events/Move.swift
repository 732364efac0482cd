// SPDX-License-Identifier: GPL-3.0-or-later

/// A key that goes to another conversation (rule 13.1).
package enum Move: Hashable, Sendable {
  /// To what is for me first, then to what has waited longest.
  case nextUnread
  /// In the order of `/list`, from its end to its start.
  case next, previous
  /// To the one that was open before.
  case last
  /// To the one of this place in `/list`, from 1.
  case number(Int)
  /// To one whose name is typed.
  case choose

  /// By the name of readline's function; nil for any other.
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
