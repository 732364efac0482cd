// SPDX-License-Identifier: GPL-3.0-or-later
import ChatPreferences
import Composer
import Conversations

/// Mentions, for the terminal bell, `notify-command`, `hobnob wait --mention` and unread counts
/// (rules 2.10, 2.12, 7.9, 7.10): `@` and a name of that person, their name and `:` or `,` at the
/// start, a completion of their name, the words that they highlight, and on a network their nick in
/// the room. Any other name alone is not a mention.
extension Participant {
  func isMentioned(
    in body: String, mentions: [Mention], of conversation: Conversations.ID<Conversation>,
    _ highlights: Highlights
  ) -> Bool {
    mentions.spans(in: body).contains { $0.identity == identity }
      || TextMarks(naming: self, highlights).mentionsMe(in: body, of: conversation)
  }
}

extension Message {
  /// Whether the message mentions someone; a notice mentions nobody.
  package func names(_ person: Participant, _ highlights: Highlights = Highlights()) -> Bool {
    kind != .notice
      && person.isMentioned(in: body, mentions: mentions, of: conversation, highlights)
  }
}

extension Access {
  /// Unread messages, with mentions of the person.
  ///
  /// - Parameter conversations: the conversations; nil for all.
  package func unread(
    mentioning me: Participant, _ highlights: Highlights,
    in conversations: Set<ID<Conversation>>? = nil
  ) throws -> [Unread] {
    try unreadConversations(for: me.id, in: conversations, words: highlights.words) {
      me.isMentioned(in: $0, mentions: $1, of: $2, highlights)
    }
  }
}

/// What alerts somebody like their name: `set highlight` and `set highlight-nick` (rules 2.12 and
/// 7.10).
package struct Highlights: Sendable {
  package var words: [String] = []
  /// Whether a person's nick in a room on a network does so wherever it is in a text.
  var includesNick = true
}

extension Settings {
  package var highlights: Highlights {
    Highlights(
      words: highlight.split(whereSeparator: \.isWhitespace).map(String.init),
      includesNick: highlightNick)
  }
}

extension Access {
  /// Unread messages in other conversations, the most urgent first (rule 7.4).
  package func unreadElsewhere(
    than open: ID<Conversation>?, mentioning me: Participant, _ highlights: Highlights
  ) throws -> [Unread] {
    try unread(mentioning: me, highlights).filter { $0.conversation.id != open }.sorted()
  }
}
