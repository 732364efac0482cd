// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// What the process that serves an account tells its owner.
extension Writing where Self: ~Copyable {
  /// Says something to an account's owner that they did not ask for, in every shell of theirs.
  ///
  /// - Parameter verb: what it is about: `invite` for somebody who invites them.
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
