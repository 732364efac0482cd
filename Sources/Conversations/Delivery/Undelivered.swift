// SPDX-License-Identifier: GPL-3.0-or-later
import Sentences

extension Access {
  /// Whether the outbox has something about a message.
  package func waits(_ message: ID<Message>) throws -> Bool {
    try database.exists("SELECT 1 FROM outbox WHERE message = ?", message)
  }

  /// Why a network refused a change to a message, or to someone's reactions to it, since a position.
  package func refusal(
    about message: ID<Message>, by me: ID<Participant>, since position: Int64
  ) throws -> Remark? {
    try database.first(
      """
      SELECT failure FROM message WHERE id = ?1 AND moved > ?3 AND failure IS NOT NULL
      UNION ALL
      SELECT failure FROM reaction
      WHERE message = ?1 AND participant = ?2 AND change > ?3 AND failure IS NOT NULL
      """, message, me, position
    ) { $0.optionalRemark("failure") } ?? nil
  }
}

/// Entries that a network refused.
extension Access where Mode: MayWrite {
  /// Records that the network refused an entry, which is no longer in the outbox.
  ///
  /// - Parameters:
  ///   - reason: the reason to show to the sender.
  ///   - mayHaveArrived: whether others may have it all the same.
  package func fail(
    _ operation: OutboxEntry.Operation, of message: Message, _ reaction: OutgoingReaction?,
    _ reason: Remark, mayHaveArrived: Bool = false
  ) throws {
    switch operation {
    case .react:
      if let reaction { try refuse(reaction, on: message.id, reason) }
    case .send:
      let waits = try database.exists(
        "SELECT 1 FROM outbox WHERE message = ? AND operation = 0", message.id)
      // Another attempt is under way, or the message no longer exists: nobody waits for this one.
      if waits || message.state != .sending || message.isRecalled { return }
      if message.deletedAt != nil {
        // It was deleted while it was being sent, and it may be known now that nobody has it.
        if !mayHaveArrived { try wipe(message.id, as: .recalled, at: nil) }
        return
      }
      try setState(.failed, failure: reason, of: message.id)
      if mayHaveArrived {
        try database.run("UPDATE message SET doubtful = 1 WHERE id = ?", message.id)
      }
    case .edit, .delete:
      try setState(message.state, failure: reason, of: message.id)
    }
  }

  /// Fails everything in the outbox of a network that will never accept it.
  func failOutbox(of network: String, _ reason: Remark) throws {
    let entries = try database.rows(
      """
      SELECT x.id AS entry, x.operation, x.tried, m.id AS about, \(OutgoingReaction.columns)
      FROM outbox x JOIN message m ON m.id = x.message
      JOIN conversation c ON c.id = m.conversation\(OutgoingReaction.joins)
      WHERE c.network = ? ORDER BY x.id
      """, network
    ) {
      (
        id: $0.int64("entry"), OutboxEntry.Operation(rawValue: $0.int("operation")) ?? .send,
        message: $0.id("about") as ID<Message>, reaction: OutgoingReaction($0),
        wasTried: $0.int64("tried") > 0
      )
    }
    for (id, operation, message, reaction, wasTried) in entries {
      try database.run("DELETE FROM outbox WHERE id = ?", id)
      guard let message = try stored(message) else { continue }
      try fail(operation, of: message, reaction, reason, mayHaveArrived: wasTried)
    }
  }
}

extension DurableTransaction {
  /// Removes an account. Its owner can still read its conversations. What waited for the network
  /// fails, with a sentence that says why. The account's process notices at the next bell.
  ///
  /// - Throws: `RuleError.noSuchAccount`, `StoreError`.
  public func removeAccount(_ account: Account) throws {
    try savepoint {
      guard try self.account(network: account.network) != nil else {
        throw RuleError.noSuchAccount(account.network)
      }
      // Do this while the account's row still exists.
      try failOutbox(of: account.network, filled(("the account %1 was removed", [account.address])))
      try database.run("DELETE FROM request WHERE account = ?", account.id)
      try database.run("DELETE FROM archive_mark WHERE network = ?", account.network)
      try database.run(
        "DELETE FROM gap WHERE conversation IN (SELECT id FROM conversation WHERE network = ?)",
        account.network)
      try forgetPresence(on: account.network)
      try database.run(
        "UPDATE account SET removed = 1, status = NULL, change = ? WHERE id = ?", try nextChange(),
        account.id)
      try touchPeople()
    }
  }
}
