// SPDX-License-Identifier: GPL-3.0-or-later

/// A person's unread messages in a conversation (rule 7.7).
public struct Unread: Hashable, Sendable {
  public var conversation: Conversation
  /// How many messages of others are after the read marker.
  public var count: Int
  /// How many of them mention the person.
  public var mentions: Int
  /// The number of the first that mentions the person.
  public var firstMention: Int?
  /// The sort key of the first of them, without notices. A smaller key means a longer wait.
  public var oldest: Int64
  /// Whether it is not urgent, since the conversation or the sender is muted.
  public var isMuted = false
  /// How many of the messages are muted, with the conversation or by their senders.
  public var muted = 0

  /// Whether a message is to the person alone, or mentions them.
  public var isForMe: Bool { !isMuted && (conversation.kind == .direct || mentions > 0) }
}

/// Compares by urgency (rules 7.4 and 13.1): first those with mentions, then the oldest.
extension Unread: Comparable {
  public static func < (one: Unread, other: Unread) -> Bool {
    if one.isForMe != other.isForMe { return one.isForMe }
    return (one.oldest, one.conversation.id.rawValue)
      < (other.oldest, other.conversation.id.rawValue)
  }
}

extension Access {
  /// The conversations with unread messages, the one with the newest message first.
  ///
  /// A message may be a mention if the reader's name or identity is among its words, in upper or
  /// lower case. The search index finds such messages, so that many unread messages do not take
  /// longer.
  ///
  /// - Parameters:
  ///   - me: whose unread messages to count.
  ///   - conversations: the conversations; nil for all. The cost grows with their number.
  ///   - words: other words, besides the reader's names, that may be mentions.
  ///   - isMention: whether such a message mentions the reader, judging by its text, its mentions
  ///     and its conversation.
  public func unreadConversations(
    for me: ID<Participant>, in conversations: Set<ID<Conversation>>? = nil, words: [String] = [],
    isMention: (_ body: String, _ mentions: [Mention], _ conversation: ID<Conversation>) -> Bool = {
      _, _, _ in true
    }
  ) throws -> [Unread] {
    let person = try participant(me)
    let names = Set([person.name, person.identity] + (try roomNicknames(of: me).values) + words)
      .filter {
        !Tokenizer.tokens(of: $0).isEmpty
      }
    let called = names.sorted().map { SearchExpression.words(.init($0)) }
      .joined(separator: " OR ")
    let attention = try attention(of: me)
    return try listing(for: me, in: conversations).filter { $0.unread > 0 }.map { listing in
      let conversation = listing.conversation.id
      let marker = try readMarker(of: me, in: conversation)
      let mentions =
        try called.isEmpty
        ? []
        : unreadNumbers("(\(called))", in: conversation, behind: marker, for: me, where: isMention)
      let isMuted = attention.mutedConversations.contains(conversation)
      let muted =
        try isMuted
        ? listing.unread
        : attention.mutedPeople.isEmpty
          ? 0 : mutedCount(in: conversation, behind: marker, for: me)
      return Unread(
        conversation: listing.conversation, count: listing.unread,
        mentions: min(mentions.count, listing.unread), firstMention: mentions.min(),
        oldest: try firstUnread(
          "sort", by: me, in: conversation, behind: marker, andNotices: false
        ) { $0.int64() } ?? .max,
        isMuted: isMuted, muted: min(muted, listing.unread))
    }
  }

  /// How many messages after a read marker are by people whom the reader muted.
  fileprivate func mutedCount(
    in conversation: ID<Conversation>, behind marker: Int, for me: ID<Participant>
  ) throws -> Int {
    try database.first(
      """
      SELECT count(*) FROM message
      WHERE sender IN (SELECT person FROM person_attention
          WHERE participant = ?1 AND muted <> 0 AND ignored = 0)
        AND conversation = ?2 AND number > ?3 AND brought < 2 AND gone = 0 AND kind <> 2
      """, me, conversation, marker
    ) { $0.int() } ?? 0
  }

  /// The number of the first existing message of others after a read marker.
  public func firstUnread(
    by me: ID<Participant>, in conversation: ID<Conversation>, behind marker: Int
  ) throws -> Int? {
    try firstUnread("number", by: me, in: conversation, behind: marker) { $0.int() }
  }

  fileprivate func firstUnread<T>(
    _ column: StaticString, by me: ID<Participant>, in conversation: ID<Conversation>,
    behind marker: Int, andNotices: Bool = true, read: (Row) -> T
  ) throws -> T? {
    try database.first(
      """
      SELECT \(column) FROM message WHERE conversation = ?2 AND number > ?3 AND brought < 2
        AND gone = 0 AND (kind <> 2 OR ?4)
        AND +sender NOT IN (\(Conversation.uncounted))
      ORDER BY number LIMIT 1
      """, me, conversation, marker, andNotices, read: read)
  }

  fileprivate func unreadNumbers(
    _ words: String, in conversation: ID<Conversation>, behind marker: Int, for me: ID<Participant>,
    where isMention: (String, [Mention], ID<Conversation>) -> Bool
  ) throws -> [Int] {
    // In one conversation, ids and numbers of arrived messages grow together.
    try database.rows(
      """
      SELECT m.number, m.body, m.mentions FROM message_text CROSS JOIN message m ON m.id = message_text.rowid
      WHERE message_text MATCH ?1 AND message_text.rowid >= ifnull(
          (SELECT iif(id < \(Message.older), id, \(Int64.min)) FROM message
            WHERE conversation = ?2 AND number > ?4 AND brought < 2 ORDER BY number LIMIT 1), 0)
        AND m.number > ?4 AND m.sender <> ?3 AND m.gone = 0 AND m.brought < 2 AND m.kind <> 2
        AND NOT EXISTS (SELECT 1 FROM person_attention a
          WHERE a.participant = ?3 AND a.person = m.sender AND (a.muted <> 0 OR a.ignored <> 0))
      """, "\(words) AND \(SearchExpression.facts(["c\(conversation.rawValue)"]))", conversation,
      me,
      marker
    ) {
      let mentions = [Mention]($0.json("mentions"))
      return isMention($0.text("body"), mentions, conversation) ? $0.int("number") : nil
    }.compactMap { $0 }
  }
}
