// SPDX-License-Identifier: GPL-3.0-or-later

/// Notices to the owners of accounts. Shells that are open read a notice at once, and shells that
/// start later show none; so old ones are removed when a shell starts, and with the owner's next
/// notice.
extension Access {
  /// A participant's notices that were written between two positions, oldest first.
  func accountNotices(
    after start: Int64, upTo end: Int64, for me: ID<Participant>
  ) throws -> [AccountNotice] {
    try database.rows(
      """
      SELECT id, kind, text FROM account_notice
      WHERE owner = ?3 AND id > ?1 AND id <= ?2 ORDER BY id
      """, start, end, me
    ) {
      AccountNotice(
        id: $0.int64("id"), kind: AccountNotice.Kind(rawValue: $0.text("kind")) ?? .plain,
        text: $0.remark("text"))
    }
  }
}

extension Access where Mode: MayWrite {
  /// Shows an account's owner a notice in all of their shells, and removes notices that are too old
  /// or too many.
  package func tell(
    _ sentence: Remark, _ account: Account, as kind: AccountNotice.Kind = .plain
  ) throws {
    let now = clock()
    try database.run(
      "INSERT INTO account_notice(id, owner, kind, text, at) VALUES (?, ?, ?, ?, ?)",
      try nextChange(), account.owner, kind.rawValue, sentence, now)
    try database.run(
      """
      DELETE FROM account_notice WHERE owner = ?1 AND (at < ?2 OR id <= (
        SELECT id FROM account_notice WHERE owner = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?3))
      """, account.owner, now - AccountNotice.stay, AccountNotice.most)
  }
}

extension AccountNotice {
  /// How long notices stay for slow shells, in milliseconds.
  static let stay: Milliseconds = 24 * 3_600_000
  /// How many notices of an owner stay.
  static let most = 200
}
