// SPDX-License-Identifier: GPL-3.0-or-later

/// A stranger's request to an account's owner, neither accepted nor declined yet (rule 14.5).
package struct Approach: Hashable, Sendable {
  /// The store holds the raw values.
  package enum Kind: Int, Hashable, Sendable {
    /// An invitation to a room.
    case invitation = 0
    /// A request to become a contact.
    case contact = 1
    /// A message to the owner.
    case message = 2
  }

  /// The store keeps at most this many invitations, and this many contact requests, per account.
  /// When this many strangers have written, it keeps only the last text of each further one,
  /// without a chat; and of these only the newest, as many again.
  package static let most = 1_000

  /// Instead of the last text of a stranger without a chat, if hobnob cannot read it. No network
  /// passes this character on.
  package static let unreadable = "\u{1}"

  /// Whether the owner ignores neither the sender of approach `a` nor the room of its invitation.
  package static let isNotIgnored = """
    NOT EXISTS (
      SELECT 1 FROM account k JOIN person_attention t ON t.participant = k.owner
      JOIN participant p ON p.id = t.person AND p.network = k.network
      WHERE k.id = a.account AND t.ignored <> 0
        AND p.identity = iif(a.kind = 0, a.sender, a.address))
    AND NOT EXISTS (
      SELECT 1 FROM account k JOIN room_attention t ON t.participant = k.owner
      JOIN conversation c ON c.id = t.conversation AND c.network = k.network
      WHERE k.id = a.account AND t.ignored <> 0 AND a.kind = 0 AND c.address = a.address)
    """

  package var kind: Kind
  /// The address of the room or of the person.
  package var address: String
  /// Who invites: an address, or a nickname in that room. What somebody calls themselves who wants
  /// to be a contact, if known. Otherwise empty.
  package var sender: String
  package var at: Milliseconds
  /// Their latest text as shown; otherwise empty.
  package var text: String
  /// Whether the sender of a message has a chat, which has all that they wrote.
  package var hasChat: Bool
}

extension Access {
  /// The requests of strangers to an account's owner, oldest first, except those that the owner
  /// ignores.
  package func approaches(to account: Account) throws -> [Approach] {
    try database.rows(
      """
      SELECT a.kind, a.address, a.sender, a.at, ifnull((
        SELECT iif(m.kind = \(Message.Kind.unreadable.rawValue), ?4, m.body) FROM participant p
        JOIN conversation c ON c.kind = 1 AND c.one = min(p.id, ?2) AND c.other = max(p.id, ?2)
        JOIN message m ON m.conversation = c.id
        WHERE a.kind = 2 AND p.network = ?3 AND p.identity = a.address
        ORDER BY m.number DESC LIMIT 1), iif(a.kind = 2, iif(a.sender = ?5, ?4, a.sender), '')) AS body
      FROM approach a WHERE a.account = ?1
        AND \(Approach.isNotIgnored)
      ORDER BY a.at, a.address
      """, account.id, account.owner, account.network, Message.unreadable(),
      Approach.unreadable
    ) { row in
      Approach.Kind(rawValue: row.int("kind")).map {
        Approach(
          kind: $0, address: row.text("address"),
          sender: $0 == .message ? "" : row.text("sender"), at: row.time("at"),
          text: row.text("body"), hasChat: row.text("sender").isEmpty)
      }
    }.compactMap { $0 }
  }
}

extension Access where Mode: MayWrite {
  /// Entering a conversation accepts the request that led there, which is removed. The text of a
  /// stranger who had no chat becomes the first message in it.
  func acceptApproach(_ conversation: ID<Conversation>, by me: ID<Participant>) throws {
    let accepted = try database.first(
      """
      DELETE FROM approach WHERE (account, kind, address) = (
        SELECT a.id, iif(c.kind = 0, 0, 2), ifnull(c.address, p.identity)
        FROM conversation c JOIN account a ON a.network = c.network AND a.owner = ?2
        LEFT JOIN participant p ON p.id = iif(c.one = ?2, c.other, c.one)
        WHERE c.id = ?1)
      RETURNING kind, sender, at
      """, conversation, me
    ) { (kind: $0.int("kind"), text: $0.text("sender"), at: $0.time("at")) }
    guard let accepted, accepted.kind == Approach.Kind.message.rawValue, !accepted.text.isEmpty
    else { return }
    let chat = try self.conversation(existing: conversation, for: me)
    let speaker = try database.first(
      "SELECT iif(one = ?2, other, one) FROM conversation WHERE id = ?1", conversation, me
    ) { $0.id() as ID<Participant> }
    guard let speaker else { return }
    let isUnreadable = accepted.text == Approach.unreadable
    _ = try store(
      NewMessage(
        speaker: speaker, body: isUnreadable ? "" : accepted.text,
        kind: isUnreadable ? .unreadable : .text, time: accepted.at),
      as: ID(rawValue: try nextChange()), sort: sortKey(ofArrivalAt: accepted.at, in: conversation),
      .arrived, in: chat)
  }
}

extension DurableTransaction {
  /// Removes requests to an account's owner. The strangers' messages stay in the store.
  ///
  /// - Parameters:
  ///   - address: of the room, the person or the sender of the invitation; nil for all.
  ///   - kind: nil for every kind.
  /// - Returns: how many there were.
  @discardableResult
  package func forgetApproaches(
    to account: Account, of address: String? = nil, _ kind: Approach.Kind? = nil
  ) throws -> Int {
    try database.run(
      """
      DELETE FROM approach WHERE account = ?1 AND (?2 IS NULL OR ?2 IN (address, sender))
        AND (?3 IS NULL OR kind = ?3)
      """, account.id, address, kind?.rawValue)
    return database.changedRows
  }
}
