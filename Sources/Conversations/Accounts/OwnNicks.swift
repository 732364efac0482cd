// SPDX-License-Identifier: GPL-3.0-or-later

/// The names that an account's owner has on the network (rule 14.9). Everyone else has one name.
extension Participant {
  /// An SQL expression: the name of a participant in a conversation. For the owner of the
  /// conversation's network it is the nick there: the room's, else that of its part of the network,
  /// else the network's, where known.
  ///
  /// - Parameters:
  ///   - row: the row of `participant`.
  ///   - conversation: an expression for the conversation's id.
  package static func name(of row: String, in conversation: String) -> String {
    """
    ifnull((SELECT ifnull(k.nick, (
        SELECT n.nick FROM own_nick n WHERE n.network = k.network AND n.scope IN ('', substr(
          ifnull(k.address, (SELECT w.identity FROM participant w
            WHERE w.id = iif(k.one = b.owner, k.other, k.one))), -length(n.scope)))
        ORDER BY n.scope DESC LIMIT 1))
      FROM account b CROSS JOIN conversation k ON k.id = \(conversation) AND k.network = b.network
      WHERE b.owner = \(row).id), \(row).name)
    """
  }

  /// The columns of participant `p`, with their name in a conversation.
  package static func columns(in conversation: String) -> String {
    Columns.person.select(from: "p", name: name(of: "p", in: conversation))
  }
}

extension Access {
  /// What the people in a conversation call someone.
  package func name(of person: ID<Participant>, in conversation: ID<Conversation>) throws -> String
  {
    try database.first(
      "SELECT \(Participant.name(of: "p", in: "?2")) AS name FROM participant p WHERE p.id = ?1",
      person, conversation
    ) { $0.text("name") } ?? ""
  }

  /// A person's names on the networks of their accounts.
  private func ownNicks(of me: ID<Participant>) throws -> [(network: String, nick: String)] {
    try database.rows(
      """
      SELECT n.network, n.nick FROM account a JOIN own_nick n ON n.network = a.network
      WHERE a.owner = ?1
      UNION SELECT c.network, c.nick FROM account a JOIN conversation c
        ON c.network = a.network AND c.address IS NOT NULL AND c.nick IS NOT NULL
      WHERE a.owner = ?1
      """, me
    ) { ($0.text("network"), $0.text("nick")) }
  }

  /// Whether a person has a name on one of their networks.
  func isOwnNick(_ name: String, of me: ID<Participant>) throws -> Bool {
    try ownNicks(of: me).contains { Naming.same($0.nick, name) }
  }

  /// The people whose name looks like the viewer's on their network, or is the same.
  func peopleLikeMe(_ me: ID<Participant>) throws -> Set<ID<Participant>> {
    let mine = try ownNicks(of: me).map {
      (network: $0.network, shape: NameShape.skeleton($0.nick))
    }
    return Set(
      try mine.filter { !$0.shape.isEmpty }.flatMap {
        try database.rows(
          "SELECT id FROM participant WHERE skeleton = ? AND network = ?", $0.shape, $0.network
        ) { $0.id() }
      })
  }
}

extension Access where Mode: MayWrite {
  /// Records what the people on an account's network, or on the part of it that a scope names, call
  /// the owner. Does nothing if they did so before.
  package func setOwnNick(_ nick: String, scope: String, of account: Account) throws {
    try database.run(
      """
      INSERT INTO own_nick(network, scope, nick) VALUES (?, ?, ?)
      ON CONFLICT DO UPDATE SET nick = excluded.nick WHERE nick <> excluded.nick
      """, account.network, scope, nick)
    if database.changedRows > 0 { try touchPeople() }
  }
}
