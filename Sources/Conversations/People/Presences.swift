// SPDX-License-Identifier: GPL-3.0-or-later

extension Access {
  /// The members of a conversation, and anyone else who has it open, by name.
  public func people(in conversation: ID<Conversation>) throws -> [Presence] {
    try database.rows(
      """
      SELECT \(Participant.columns(in: "?1")),
        EXISTS (SELECT 1 FROM shell h WHERE h.participant = p.id) OR ifnull(p.online, 0) <> 0
          AS is_here,
        EXISTS (SELECT 1 FROM shell h
          WHERE h.participant = p.id AND h.conversation = ?1 AND h.paused = 0) AS is_looking,
        t.began_at, t.at, p.away, p.network = '' OR p.online IS NOT NULL AS is_known,
        ifnull((SELECT s.rank FROM membership s
          WHERE s.participant = p.id AND s.conversation = ?1 AND s.last IS NULL), '') AS rank
      FROM participant p
      LEFT JOIN typing t ON t.participant = p.id AND t.conversation = ?1 AND t.active = 1
      WHERE p.id IN (
        SELECT participant FROM membership WHERE conversation = ?1 AND last IS NULL
        UNION SELECT participant FROM shell WHERE conversation = ?1)
      ORDER BY \(Participant.Columns.person.name), p.id
      """, conversation
    ) {
      Presence(
        participant: Participant($0), isHere: $0.bool("is_here"),
        isLooking: $0.bool("is_looking"),
        typingSince: $0.optionalTime("began_at"), typingAt: $0.optionalTime("at"),
        away: $0.optionalText("away"), isKnown: $0.bool("is_known"), rank: $0.text("rank"))
    }
  }

  /// The contacts of an account, by name, with their presence.
  package func contacts(of account: Account) throws -> [Presence] {
    try database.rows(
      """
      SELECT \(Participant.columns), ifnull(p.online, 0) <> 0 AS is_here, p.away
      FROM participant p WHERE p.network = ? AND p.contact <> 0 ORDER BY p.name, p.id
      """, account.network
    ) {
      Presence(
        participant: Participant($0), isHere: $0.bool("is_here"), isLooking: false,
        away: $0.optionalText("away"))
    }
  }

  /// How many others who are in a conversation, or have it open, have a running shell; on a
  /// network, how many are online.
  ///
  /// - Returns: nil if the network has not said, or never does.
  public func othersHere(
    in conversation: ID<Conversation>, than me: ID<Participant>
  ) throws -> Int? {
    let onNetwork = try database.first(
      """
      SELECT c.live, c.kind, count(p.online) AS known, count(nullif(p.online, 0)) AS others
      FROM conversation c
      LEFT JOIN membership s ON s.conversation = c.id AND s.last IS NULL
      LEFT JOIN participant p ON p.id = s.participant AND p.id <> ?2
      WHERE c.id = ?1 AND c.network <> '' GROUP BY c.id
      """, conversation, me
    ) { row in
      (
        isKnown: row.int("kind") == Conversation.Kind.room.rawValue
          ? row.bool("live") : row.int("known") > 0, count: row.int("others")
      )
    }
    if let onNetwork { return onNetwork.isKnown ? onNetwork.count : nil }
    let found = try database.rows(
      """
      SELECT h.id, h.participant FROM shell h WHERE h.participant <> ?2 AND (h.conversation = ?1
        OR EXISTS (SELECT 1 FROM membership s
          WHERE s.conversation = ?1 AND s.participant = h.participant AND s.last IS NULL))
      """, conversation, me
    ) { (shell: ShellID(rawValue: $0.text("id")), person: $0.int64("participant")) }
    // Nobody may have checked for dead shells yet.
    return Set(found.filter { files.isLocked($0.shell) }.map(\.person)).count
  }

  /// Someone's away message, maybe empty; nil if they are not away.
  public func away(of person: ID<Participant>) throws -> String? {
    try database.first("SELECT away FROM participant WHERE id = ?", person) {
      $0.optionalText()
    } ?? nil
  }

}

extension Access where Mode: MayWrite {
  /// Signals that a person is typing, or paused (rule 4.3). Each call with true is a signal; the
  /// caller limits how often. The last signal from any of their shells counts.
  public func setTyping(_ isTyping: Bool, in conversation: ID<Conversation>) throws {
    try savepoint {
      guard let shell = presence else { throw connection.notAttached }
      if !isTyping {
        let mine = "participant = ? AND conversation = ? AND shell = ? AND active = 1"
        guard
          try database.exists(
            "SELECT 1 FROM typing WHERE \(mine)", shell.participant, conversation, shell.id)
        else { return }
        try database.run(
          "UPDATE typing SET active = 0, at = ?, change = ? WHERE \(mine)", clock(),
          try nextChange(), shell.participant, conversation, shell.id)
        return
      }
      guard try knownAbilities(of: conversation).typing else { return }
      try beginTyping(of: shell.participant, in: conversation, by: shell.id)
    }
  }

  package func beginTyping(
    of person: ID<Participant>, in conversation: ID<Conversation>, by shell: ShellID
  ) throws {
    try database.run(
      """
      INSERT INTO typing(participant, conversation, shell, active, began_at, at, change)
      VALUES (?1, ?2, ?3, 1, ?4, ?4, ?5)
      ON CONFLICT DO UPDATE SET shell = excluded.shell, active = 1,
        began_at = CASE active WHEN 1 THEN began_at ELSE excluded.at END, at = excluded.at,
        change = excluded.change
      """, person, conversation, shell, clock(), try nextChange())
  }

  /// A message ends its sender's typing signal, from whatever shell (rule 4.2).
  package func endTyping(of person: ID<Participant>, in conversation: ID<Conversation>) throws {
    let active = "participant = ? AND conversation = ? AND active = 1"
    guard try database.exists("SELECT 1 FROM typing WHERE \(active)", person, conversation)
    else { return }
    try database.run(
      "UPDATE typing SET active = 0, at = ?, change = ? WHERE \(active)", clock(),
      try nextChange(), person, conversation)
  }

  // MARK: Away

  /// Marks a person as away, with a message that may be empty; nil marks them as back.
  public func setAway(_ word: String?, of me: ID<Participant>) throws {
    try savepoint {
      if try away(of: me) == word { return }
      try database.run("UPDATE participant SET away = ? WHERE id = ?", word, me)
      try touchPeople()
    }
  }
}
