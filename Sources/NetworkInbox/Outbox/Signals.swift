// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// What network processes read from the store.
extension Access {
  /// The owner's activity for a network to pass on: typing, how far they have read, and what is
  /// open in their shells. It is read from the store, so no change is lost; a signal may be
  /// returned twice.
  ///
  /// - Parameter position: the last returned position, or the snapshot's `position` at the
  ///   beginning.
  /// - Returns: the signals, and the position to continue from.
  package func signals(
    of account: Account, since position: Int64
  ) throws -> ([NetworkSignal], position: Int64) {
    let now = try self.position
    if now <= position { return ([], now) }
    var signals = try database.rows(
      """
      SELECT \(ConversationAddress.columns), t.active
      FROM typing t JOIN conversation c ON c.id = t.conversation
      WHERE t.participant = ? AND t.change > ? AND t.change <= ? AND c.network = ?
      ORDER BY t.change
      """, account.owner, position, now, account.network
    ) { NetworkSignal.typing(ConversationAddress($0), $0.bool("active")) }
    let marks = try database.rows(
      """
      SELECT c.id, \(ConversationAddress.columns), r.delivered, r.seen
      FROM reader r JOIN conversation c ON c.id = r.conversation
      WHERE r.participant = ? AND r.change > ? AND r.change <= ? AND c.network = ?
      ORDER BY r.change
      """, account.owner, position, now, account.network
    ) {
      (
        id: $0.id("id") as ID<Conversation>, conversation: ConversationAddress($0),
        delivered: $0.int("delivered"), seen: $0.int("seen")
      )
    }
    for mark in marks {
      let seen = try newestReceived(in: mark.id, upTo: mark.seen, account)
      let delivered = try newestReceived(in: mark.id, upTo: mark.delivered, account)
      // Whoever has seen a message has also received it.
      if let delivered, delivered.number != seen?.number {
        signals.append(
          .receipt(mark.conversation, delivered.name, by: delivered.speaker, .delivered))
      }
      if let seen {
        signals.append(.receipt(mark.conversation, seen.name, by: seen.speaker, .seen))
      }
    }
    if try database.exists("SELECT 1 FROM meta WHERE people > ?", position) {
      let open = try openConversations(of: account)
      if !open.isEmpty { signals.append(.open(open)) }
    }
    return (signals, now)
  }

  private func openConversations(of account: Account) throws -> [ConversationAddress] {
    try database.rows(
      """
      SELECT DISTINCT \(ConversationAddress.columns)
      FROM shell s JOIN conversation c ON c.id = s.conversation
      WHERE s.participant = ? AND c.network = ?
      """, account.owner, account.network
    ) { ConversationAddress($0) }
  }

  /// The newest message by others up to a number; one that nobody could read counts neither as
  /// received nor as seen (rule 14.10).
  fileprivate func newestReceived(
    in conversation: ID<Conversation>, upTo number: Int, _ account: Account
  ) throws -> (number: Int, name: MessageIDs, speaker: NetworkUser)? {
    try database.first(
      """
      SELECT m.number, \(MessageIDs.columns), \(NetworkUser.Columns.sender.select(from: "p"))
      FROM message m JOIN participant p ON p.id = m.sender
      WHERE m.conversation = ? AND m.number <= ? AND m.brought < 2 AND m.gone = 0 AND m.sender <> ?
        AND m.kind <> \(Message.Kind.unreadable.rawValue)
        AND (m.remote_id IS NOT NULL OR m.archive_id IS NOT NULL)
      ORDER BY m.sort DESC LIMIT 1
      """, conversation, number, account.owner
    ) {
      (
        number: $0.int("number"),
        name: MessageIDs($0),
        speaker: NetworkUser($0, .sender, network: account.network)
      )
    }
  }

  /// The last stored id of each archive, by archive: the account's under "", those of rooms under
  /// their addresses.
  package func catchUpMarks(of account: Account) throws -> [String: String] {
    let marks = try database.rows(
      "SELECT archive, mark FROM archive_mark WHERE network = ?", account.network
    ) { ($0.text("archive"), $0.text("mark")) }
    return Dictionary(marks) { $1 }
  }

  /// The archive ids of the owner's latest messages: those of the later parts of long messages,
  /// and, where a message is in doubt, those of its neighbours.
  package func sentLately(by account: Account) throws -> Set<String> {
    Set(
      try database.rows(
        """
        SELECT archive_id FROM (
          SELECT archive_id FROM applied_change
          WHERE participant = ?1 AND archive_id IS NOT NULL ORDER BY rowid DESC LIMIT 10000)
        UNION SELECT m.archive_id FROM (
          SELECT m.conversation, min(m.created_at) AS at
          FROM outbox x JOIN message m ON m.id = x.message
          WHERE x.tried > 0 AND x.operation = 0 GROUP BY m.conversation) tried
        JOIN message m ON m.conversation = tried.conversation
        WHERE m.sender = ?1 AND m.archive_id IS NOT NULL AND m.created_at > tried.at - 600000
        """, account.owner
      ) { $0.text() })
  }

  /// The addresses of direct chats with unread messages, the newest chats first, and at most 20.
  package func unreadChats(of account: Account) throws -> [String] {
    let unread = try listing(for: account.owner).filter {
      $0.unread > 0 && $0.conversation.kind == .direct && $0.conversation.network == account.network
    }.sorted { $0.lastAt ?? 0 > $1.lastAt ?? 0 }
    return try unread.prefix(20).map { try networkAddress(of: $0.conversation.id) }
  }

  /// When the newest message by others that has an archive id was written; by archive, as above.
  package func newestArchived(of account: Account) throws -> [String: Milliseconds] {
    let newest = try database.rows(
      """
      SELECT ifnull(c.address, '') AS archive, (SELECT m.created_at FROM message m
        WHERE m.conversation = c.id AND m.brought < 2 AND m.archive_id IS NOT NULL AND m.sender <> ?1
        ORDER BY m.sort DESC LIMIT 1) AS newest
      FROM conversation c WHERE c.network = ?2 AND newest IS NOT NULL
      """, account.owner, account.network
    ) { ($0.text("archive"), $0.time("newest")) }
    return Dictionary(newest) { max($0, $1) }
  }

  /// The addresses of direct chats in which the owner has written, newest chats first. These people
  /// may see the owner's presence.
  package func writtenTo(by account: Account) throws -> [String] {
    try database.rows(
      """
      SELECT \(ConversationAddress.columns) FROM conversation c
      WHERE c.network = ?1 AND c.kind = \(Conversation.Kind.direct.rawValue) AND EXISTS (
        SELECT 1 FROM message m WHERE m.sender = ?2 AND m.conversation = c.id AND m.brought < 2
          AND m.state >= \(DeliveryState.sent.rawValue))
      ORDER BY c.id DESC
      """, account.network, account.owner
    ) { $0.text("place_person") }
  }

  /// The rooms to join, by address, and the nickname in each: those that were joined and not left.
  package func roomsJoined(of account: Account) throws -> [String: String] {
    let rooms = try database.rows(
      """
      SELECT address, nick FROM conversation
      WHERE network = ? AND address IS NOT NULL AND nick IS NOT NULL
      """, account.network
    ) { ($0.text("address"), $0.text("nick")) }
    return Dictionary(rooms) { $1 }
  }

  /// The identities that nobody else can take, as people have proved, and the last names of those
  /// people.
  package func provenNames(of account: Account) throws -> [String: String] {
    let people = try database.rows(
      "SELECT identity, name FROM participant WHERE network = ? AND proven = 1", account.network
    ) { ($0.text("identity"), $0.text("name")) }
    return Dictionary(people) { $1 }
  }
}
