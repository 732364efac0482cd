// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// Notices from the process that serves an account to its owner.
extension Writing where Self: ~Copyable {
  /// Shows an account's owner an unrequested notice, in all of their shells.
  ///
  /// - Parameter verb: its subject: `invite` if somebody invites them.
  func tell(
    _ sentence: String, _ account: Account, as verb: NetworkRequest.Verb = .abilities
  ) throws {
    let id = try nextChange()
    try database.run(
      """
      INSERT INTO request(id, account, verb, target, text, at, answer, change)
      VALUES (?1, ?2, ?5, '', '', ?3, ?4, ?1)
      """, id, account.id, clock(), sentence, verb.rawValue)
  }

  func answer(_ request: NetworkRequest, of account: Account, _ text: String) throws {
    try database.run(
      """
      UPDATE request SET answer = ?, secret = '', change = ?
      WHERE id = ? AND account = ? AND answer IS NULL
      """,
      text, try nextChange(), request.id, account.id)
  }
}
