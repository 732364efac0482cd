// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations

/// Mentions, for the terminal bell, `notify-command`, `hobnob wait --mention` and unread counts
/// (rules 2.10, 2.12, 7.9, 7.10): `@` and a name of that person, their name and `:` or `,` at the
/// start, a completion of their name, and the words that they highlight. A name alone is not a
/// mention.
extension Participant {
  func isMentioned(in body: String, mentions: String, highlight: [String]) -> Bool {
    Span.decoded(mentions, in: body).contains { $0.identity == identity }
      || TextMarks(naming: self, highlight: highlight).mentionsMe(in: body)
  }
}

extension Message {
  /// Whether the message mentions someone; a notice mentions nobody.
  package func names(_ person: Participant, highlight: [String]) -> Bool {
    kind != .notice
      && person.isMentioned(in: body, mentions: mentions, highlight: highlight)
  }
}

extension Reading where Self: ~Copyable {
  /// Unread messages, with mentions of me.
  ///
  /// - Parameter conversations: the conversations; nil for all.
  package func unread(
    mentioning me: Participant, highlight: [String], in conversations: Set<ID<Conversation>>? = nil
  ) throws -> [Unread] {
    try unreadConversations(for: me.id, in: conversations, words: highlight) {
      me.isMentioned(in: $0, mentions: $1, highlight: highlight)
    }
  }
}

extension Settings {
  /// The words of `set highlight` (rule 7.10).
  public var highlightWords: [String] {
    highlight.split(whereSeparator: \.isWhitespace).map(String.init)
  }
}

extension Reading where Self: ~Copyable {
  /// Unread messages in other conversations, the most urgent first (rule 7.4).
  func unreadElsewhere(
    than open: ID<Conversation>?, mentioning me: Participant, highlight: [String]
  ) throws -> [Unread] {
    try unread(mentioning: me, highlight: highlight).filter { $0.conversation.id != open }.sorted()
  }
}
