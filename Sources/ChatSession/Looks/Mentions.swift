// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations

/// What a mention is, for the bell, `notify-command`, `hobnob wait --mention` and what is unread
/// (rules 2.10, 7.9, 7.10): `@` and a name of that person, or what was completed to them. A name
/// alone is none.
extension Participant {
  func isMentioned(in body: String, mentions: String) -> Bool {
    Span.decoded(mentions, in: body).contains { $0.identity == identity }
      || TextMarks(naming: self).mentionMe(in: body)
  }
}

extension Message {
  /// Whether someone is mentioned in it.
  package func names(_ person: Participant) -> Bool {
    person.isMentioned(in: body, mentions: mentions)
  }
}

extension Store {
  /// What is unread, with the mentions of me.
  ///
  /// - Parameter places: of which conversations; nil for all.
  package func unread(
    mentioning me: Participant, in places: Set<ID<Conversation>>? = nil
  ) throws -> [Unread] {
    try unread(for: me.id, in: places) { me.isMentioned(in: $0, mentions: $1) }
  }
}
