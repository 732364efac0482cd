// SPDX-License-Identifier: GPL-3.0-or-later

/// What a shell asks about an account's people and names.
extension Reading where Self: ~Copyable {
  /// What someone is called in the rooms that they are in by accounts of theirs.
  package func nicknames(of me: ID<Participant>) throws -> [String] {
    try database.rows(
      """
      SELECT DISTINCT c.nick FROM account a JOIN conversation c ON c.network = a.network
      WHERE a.owner = ? AND a.removed = 0 AND c.nick IS NOT NULL ORDER BY c.nick
      """, me
    ) { $0.text() }
  }

  /// The contacts of an account, by name: who is there, and who is away.
  package func contacts(of account: Account) throws -> [Presence] {
    try database.rows(
      """
      SELECT \(Store.participantColumns), ifnull(p.online, 0) <> 0 AS is_here, p.away
      FROM participant p WHERE p.network = ? AND p.contact <> 0 ORDER BY p.name, p.id
      """, account.network
    ) {
      Presence(
        participant: Store.participant($0), isHere: $0.bool("is_here"), isLooking: false,
        away: $0.optionalText("away"))
    }
  }
}
