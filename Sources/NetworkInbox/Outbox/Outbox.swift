// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// How network processes, one for each account, read the outbox and report the results.
extension Access {
  /// Entries waiting for a network, oldest first.
  package func outbox(of network: String) throws -> [OutboxEntry] {
    try database.rows(OutboxEntry.select + "WHERE c.network = ? ORDER BY x.id", network) {
      OutboxEntry($0, network: network)
    }
  }
}

extension Access where Mode: MayWrite {
  /// Records that entries are about to be handed to the network: after a crash, another process
  /// then knows that the network may have them.
  package func noteTried(_ entries: [OutboxEntry]) throws {
    if entries.isEmpty { return }
    // Edits after this have higher change numbers than `tried`, so they are known not to be in the
    // text that was handed over. Setting `tried` wakes no other process.
    let now = try position
    for entry in entries {
      try database.run("UPDATE outbox SET tried = max(?, 1) WHERE id = ?", now, entry.id)
    }
  }

  /// Records that a process is about to hand requests to the network, as above.
  func noteTried(_ requests: [NetworkRequest], by holder: ShellID) throws {
    for request in requests {
      let isNew = try database.exists(
        "SELECT 1 FROM request WHERE id = ? AND tried IS NULL", request.id)
      if isNew { try database.run("UPDATE request SET tried = ? WHERE id = ?", holder, request.id) }
    }
  }

  /// Records that a correction or reaction was applied, or a part of a long message accepted, so
  /// that it is recognised when it arrives again.
  func noteApplied(
    _ change: MessageIDs, to message: ID<Message>, by author: ID<Participant>
  ) throws {
    if change.archive == nil, change.origin == nil { return }
    try database.run(
      """
      INSERT INTO applied_change(message, participant, archive_id, origin_id)
      SELECT id, ?, ?, ? FROM message WHERE id = ?
      """, author, change.archive, change.origin, message)
    try database.run(
      """
      DELETE FROM applied_change WHERE rowid IN (
        SELECT rowid FROM applied_change WHERE message = ? AND participant = ?
        ORDER BY rowid DESC LIMIT -1 OFFSET ?)
      """, message, author, Store.knownChanges)
  }

  /// Records that the network has a message of the owner.
  ///
  /// - Parameter isEdited: whether the text that the network has differs from the current one.
  func noteSent(_ message: Message, isEdited: Bool) throws {
    // A retry that was posted after a time-out is now unnecessary.
    try database.run("DELETE FROM outbox WHERE message = ? AND operation = 0", message.id)
    let isGone = message.isRecalled || message.deletedAt != nil
    if message.state < .sent {
      try setState(.sent, failure: nil, of: message.id)
    } else if isGone {
      return
    }
    if isGone { return try post(.delete, message.id) }
    if isEdited { try post(.edit, message.id) }
  }

  /// Records that the network returned a message of the owner: it has failed, unless somebody has
  /// it.
  func noteBounced(_ message: Message, _ reason: Remark) throws {
    if message.isRecalled || message.deletedAt != nil || message.state == .failed { return }
    if try message.state >= .sent && othersHave(message) { return }
    try database.run("DELETE FROM outbox WHERE message = ? AND operation = 0", message.id)
    try setState(.failed, failure: reason, of: message.id)
  }

  /// Records the result of an attempt. Changes that were made during the attempt are sent next: an
  /// edited text enters the outbox as an edit, a recalled message as a deletion.
  ///
  /// - Parameters:
  ///   - entry: from `outbox(of:)`.
  ///   - isEdited: whether the network has a different text.
  func finish(
    _ entry: OutboxEntry, as outcome: OutboxEntry.Outcome, isEdited: Bool = false
  ) throws {
    guard let message = try stored(entry.message.id) else { return }
    try database.run("DELETE FROM outbox WHERE id = ?", entry.id)
    switch (outcome, entry.operation) {
    case (.sent, .send):
      try forgetDeletedText(of: message.id)
      let isOther = isEdited || !message.body.utf8.elementsEqual(entry.message.body.utf8)
      try noteSent(message, isEdited: isOther)
    case (.sent, .edit), (.sent, .delete), (.sent, .react):
      // Somebody may wait for it.
      _ = try nextChange()
    case (.failed(let reason, let mayHaveArrived), let operation):
      try fail(operation, of: message, entry.reaction, reason, mayHaveArrived: mayHaveArrived)
    }
  }
}

extension Store {
  /// How many changes by one person to one message the store remembers: as many as a page of an
  /// archive has.
  ///
  /// A change that arrives live and again from the archive is among the newest, so it is still
  /// remembered. If an archive repeats more changes than this, each is already forgotten when it
  /// arrives again: then all are applied again, in their order, and the last one remains.
  static let knownChanges = 250
}

extension MessageIDs {
  /// The columns that `init(_:)` reads of message `m`.
  static let columns = "m.remote_id, m.archive_id"

  init(_ row: Row) {
    self.init(origin: row.optionalText("remote_id"), archive: row.optionalText("archive_id"))
  }
}

extension OutboxEntry {
  fileprivate static let select = """
    SELECT \(Message.columns), x.id AS entry, x.operation, x.tried,
      \(MessageIDs.columns), \(NetworkUser.Columns.sender.select(from: "p")),
      \(ConversationAddress.columns), \(NetworkQuote.columns), \(linksColumn),
      \(OutgoingReaction.columns)
    FROM outbox x
    JOIN message m ON m.id = x.message JOIN participant p ON p.id = m.sender\(Quote.joins)
    JOIN conversation c ON c.id = m.conversation\(OutgoingReaction.joins)

    """

  /// The addresses of edited message `m`'s files, by line: an edit without them would remove the
  /// files for others.
  private static let linksColumn = """
    CASE WHEN x.operation = 1 AND m.attachments > 0 THEN (
      SELECT group_concat(link, char(10)) FROM (
        SELECT a.link FROM attachment a WHERE a.message = m.id AND a.link IS NOT NULL
        ORDER BY a.ordinal)) END AS links
    """

  fileprivate init(_ row: Row, network: String) {
    self.init(
      id: row.int64("entry"), message: Message(row),
      operation: Operation(rawValue: row.int("operation")) ?? .send,
      reaction: OutgoingReaction(row), conversation: ConversationAddress(row),
      name: MessageIDs(row),
      author: NetworkUser(row, .sender, network: network),
      answers: NetworkQuote(row, network: network), wasTried: row.int64("tried") > 0,
      links: row.optionalText("links").map { $0.split(separator: "\n").map(String.init) } ?? [])
  }
}

extension NetworkQuote {
  /// The columns that `init(_:network:)` reads of message `q`, by participant `v`; see
  /// `Quote.joins`.
  fileprivate static let columns = """
    q.id AS quoted, q.remote_id AS quoted_origin, q.archive_id AS quoted_archive,
    q.body AS quoted_text, \(NetworkUser.Columns.quoted.select(from: "v"))
    """

  fileprivate init?(_ row: Row, network: String) {
    if row.isNull("quoted") || row.int("quoted_gone") != 0 { return nil }
    self.init(
      name: MessageIDs(
        origin: row.optionalText("quoted_origin"), archive: row.optionalText("quoted_archive")),
      speaker: NetworkUser(row, .quoted, network: network), text: row.text("quoted_text"))
  }
}
