// SPDX-License-Identifier: GPL-3.0-or-later
import ChatCommands
import ChatParts
import ChatPreferences
import Composer
import Conversations
import StyledText

/// How many messages a text becomes, on a network that sends a long text as several which people
/// see as several (rule 1.9).
extension OpenConversation {
  /// The number of messages that Return sends without asking.
  package static let messagesUnasked = 5
  /// The largest number to count to, since it is counted at each key.
  private static let mostMessages = 50

  /// How many messages the conversation's network makes of a typed text; 1 where it does not cut
  /// texts. At most 50.
  package func messageCount(of typed: String, _ preferences: Preferences) -> Int {
    guard abilities.longestLine != nil, !abilities.joinsLines, isMember else { return 1 }
    let text = LineRules.withoutNewlinesAtEnd(typed)
    guard LineRules.isCommand(text) else {
      let body = text.hasPrefix("//") ? String(text.dropFirst()) : text
      return abilities.messageCount(of: body, to: address, upTo: Self.mostMessages)
    }
    let line = preferences.unaliased(text)
    guard let body = Command.message(in: line) else { return 1 }
    return abilities.messageCount(
      of: body, kind: line.hasPrefix("/me ") ? .action : .text, to: address,
      upTo: Self.mostMessages)
  }

  /// A number of messages for a sentence; `50+` if there may be more.
  package static func written(messageCount count: Int) -> SafeText {
    SafeText(count) + (count < mostMessages ? "" : "+")
  }

  package var takesFiles: Bool { abilities.largestFile != 0 }
}
