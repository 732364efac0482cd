// SPDX-License-Identifier: GPL-3.0-or-later

extension Conversation {
  static let columns = """
    c.id, c.kind, CASE c.kind
        WHEN 1 THEN '@' || CASE WHEN NOT (\(personIsAlike)) THEN o.name
          WHEN \(personIsOnTwoAccounts) THEN \(withAccount("o.identity"))
          ELSE \(withServer("o.identity")) END
        ELSE CASE WHEN NOT (\(roomIsAlike)) THEN c.name
          WHEN \(roomIsOnTwoAccounts) THEN '#' || \(withAccount("c.address"))
          ELSE \(sign) || \(withServer("c.address")) END
      END AS shown_name, c.topic, c.network, c.last_number
    """

  /// An address, with the account's server after a bare name or, where there is none, with the kind
  /// of the network before it (`Account.withServer(_:)`).
  private static func withServer(_ address: String, _ network: String = "c.network") -> String {
    """
    CASE WHEN instr(\(address), '@') > 0 THEN \(address)
      WHEN instr(\(network), '@') = 0
        THEN substr(\(network), 1, instr(\(network), ':')) || \(address)
      ELSE \(address) || '@' || substr(\(network), instr(\(network), '@') + 1) END
    """
  }

  /// An address with the account before it (`Account.word(for:on:)`).
  static func withAccount(_ address: String, _ network: String = "c.network") -> String {
    "replace(substr(\(network), 1, instr(\(network), ':')), ':', '://')"
      + " || substr(\(network), instr(\(network), ':') + 1) || '/' || \(address)"
  }

  /// The `#` before a room's address, unless the address has its own sign.
  private static let sign = "iif(substr(c.address, 1, 1) = substr(c.name, 1, 1), '', '#')"

  /// Whether `?1` is in another room of the same name, or in neither, so that on a network the
  /// address must tell them apart. A room that they are not in changes no name (rule 11.2).
  static let roomIsAlike = """
    c.network <> '' AND c.address IS NOT NULL AND ?1 <> \(Participant.nobody.rawValue) AND EXISTS (
      SELECT 1 FROM conversation d
      WHERE d.kind = 0 AND d.folded = c.folded AND d.id <> c.id
        AND \(Account.isVisible(network: "d.network", to: "?1"))
        AND (\(isIn("d")) OR NOT \(isIn("c"))))
    """

  /// Whether another account of `?1` has a room with the same address.
  private static let roomIsOnTwoAccounts = """
    EXISTS (SELECT 1 FROM conversation d
      WHERE d.kind = 0 AND d.folded = c.folded AND d.address = c.address
        AND d.network <> c.network
        AND \(withServer("d.address", "d.network")) = \(withServer("c.address"))
        AND d.network IN (\(Account.networks(of: "?1"))))
    """

  /// Whether `?1` is in a conversation.
  private static func isIn(_ room: String) -> String {
    """
    EXISTS (SELECT 1 FROM membership s
      WHERE s.conversation = \(room).id AND s.participant = ?1 AND s.last IS NULL)
    """
  }

  static let personIsAlike = """
    c.network <> '' AND o.given IS NULL AND EXISTS (
      SELECT 1 FROM participant q
      WHERE q.name_key = o.name_key AND (o.name_key <> '' OR q.name = o.name) AND q.id <> o.id
        AND q.given IS NULL
        AND \(Account.isVisible(network: "q.network", to: "?1")))
    """

  /// Whether another account of `?1` knows somebody with the same address.
  private static let personIsOnTwoAccounts = """
    EXISTS (SELECT 1 FROM participant q
      WHERE q.identity_key = o.identity_key AND q.identity = o.identity AND q.network <> c.network
        AND \(withServer("q.identity", "q.network")) = \(withServer("o.identity"))
        AND q.network IN (\(Account.networks(of: "?1"))))
    """

  /// The columns of a conversation, with the other person's name as `?1` sees it. Direct chats of
  /// others are not visible to anyone.
  static let select = select()

  package static func select(and more: String = "") -> String {
    """
    SELECT \(columns)\(more)
    FROM conversation c
    LEFT JOIN participant o ON o.id = CASE c.one WHEN ?1 THEN c.other ELSE c.one END

    """
  }

  /// The kind of a room of this machine that was removed; its messages stay (rule 13.10).
  package static let removed = 2

  static let removedSuffix = ".removed"

  /// Whether `?1` may see a conversation: a room of this machine, a room of a network that is not
  /// another person's account, or a direct chat of theirs.
  static let visible =
    "(c.kind IN (0, \(removed)) OR ?1 IN (c.one, c.other)) AND "
    + Account.isVisible(network: "c.network", to: "?1")

  /// The people whose messages never count as unread: the reader, and those whom they ignore.
  static let uncounted = """
    SELECT ?1 UNION ALL SELECT person FROM person_attention WHERE participant = ?1 AND ignored <> 0
    """

  package init(_ row: Row) {
    let network = row.text("network")
    self.init(
      id: row.id("id"), kind: .init(rawValue: row.int("kind")) ?? .room,
      name: row.text("shown_name"), topic: row.text("topic"),
      network: network.isEmpty ? nil : network, lastNumber: row.int("last_number"),
      isRemoved: row.int("kind") == Self.removed)
  }

  static let month: Milliseconds = 30 * 86_400_000

  /// Whether conversation `c` is listed. A room of this machine without messages is left out if
  /// nothing has happened there since `moment`, and nobody has entered it or has it open: usually
  /// its name was a slip, and its maker never left it (rule 13.10).
  static func isListed(since moment: String) -> String {
    """
    (c.kind <> 0 OR c.network <> '' OR c.folded = '#lobby'
      OR EXISTS (SELECT 1 FROM message WHERE conversation = c.id)
      OR EXISTS (SELECT 1 FROM shell WHERE conversation = c.id)
      -- Messages were written there, but have been deleted as old.
      OR c.last_number > 0
        AND EXISTS (SELECT 1 FROM membership WHERE conversation = c.id AND last IS NULL)
      -- The age of a room that nobody has entered is unknown.
      OR ifnull((SELECT max(at) FROM (
        SELECT max(joined) AS at FROM membership WHERE conversation = c.id
        UNION ALL SELECT max(at) FROM event WHERE conversation = c.id
        UNION ALL SELECT c.entered_at)), \(moment)) >= \(moment))
    """
  }
}
