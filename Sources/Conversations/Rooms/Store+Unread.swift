// SPDX-License-Identifier: GPL-3.0-or-later

/// What I have not read in a conversation (rule 7.7).
public struct Unread: Hashable, Sendable {
  public var conversation: Conversation
  /// Messages of others behind my read marker.
  public var count: Int
  /// Those of them that name me.
  public var mentions: Int

  public init(conversation: Conversation, count: Int, mentions: Int) {
    self.conversation = conversation
    self.count = count
    self.mentions = mentions
  }
}

extension Store {
  /// The conversations I am in that hold something unread, the one with the newest message first.
  ///
  /// What may be a mention is a message with my shown name or identity among its words, whatever the
  /// case; found in the search index, so that it does not cost more with more unread messages.
  ///
  /// - Parameters:
  ///   - words: what may be a mention beside those.
  ///   - isMention: whether such a message is one, by its text and its mentions.
  public func unread(
    for me: ID<Participant>, words: [String] = [],
    isMention: (_ body: String, _ mentions: String) -> Bool = { _, _ in true }
  ) throws -> [Unread] {
    try read {
      let person = try participant(me)
      let names = Set([person.name, person.identity] + words).filter {
        !Tokenizer.tokens(of: $0).isEmpty
      }
      let called = names.sorted().map { SearchExpression.words(.init($0)) }
        .joined(separator: " OR ")
      return try listing(for: me).filter { $0.unread > 0 }.map { listing in
        let place = listing.conversation.id
        let mentions =
          try called.isEmpty ? 0 : count("(\(called))", in: place, for: me, where: isMention)
        return Unread(
          conversation: listing.conversation, count: listing.unread,
          mentions: min(mentions, listing.unread))
      }
    }
  }

  /// The number of the first message of others behind a read marker that is still there.
  public func firstUnread(
    by me: ID<Participant>, in conversation: ID<Conversation>, behind marker: Int
  ) throws -> Int? {
    try database.first(
      """
      SELECT number FROM message WHERE conversation = ? AND number > ? AND past = 0 AND gone = 0
        AND +sender <> ?
      ORDER BY number LIMIT 1
      """, conversation, marker, me
    ) { $0.int() }
  }

  private func count(
    _ words: String, in place: ID<Conversation>, for me: ID<Participant>,
    where isMention: (String, String) -> Bool
  ) throws -> Int {
    // Ids and numbers of one conversation grow together, but for what is past.
    try database.rows(
      """
      SELECT m.body, m.mentions FROM message_text CROSS JOIN message m ON m.id = message_text.rowid
      WHERE message_text MATCH ?1 AND message_text.rowid >= ifnull(
          (SELECT id FROM message WHERE conversation = ?2 AND number > ?4 AND past = 0
            ORDER BY number LIMIT 1), 0)
        AND m.number > ?4 AND m.sender <> ?3 AND m.gone = 0 AND m.past = 0
      """, "\(words) AND \(SearchExpression.facts(["c\(place.rawValue)"]))", place, me,
      try readMarker(of: me, in: place)
    ) { isMention($0.text("body"), $0.text("mentions")) }.count { $0 }
  }
}
