// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// Changes whose messages have not arrived yet. An archive is read from its end, page by page, so a
/// correction can come a page before its message.
extension IncomingBatch {
  /// The maximum number of changes that wait in one conversation; the latest ones stay.
  static let mostWaiting = 1_000

  // MARK: Keeping

  /// Keeps a change until its message arrives with an older page.
  func storeWaiting(_ event: NetworkEvent) throws {
    guard let kept = WaitingChange(event),
      let conversation = try book.known(kept.conversation)
    else { return }
    try book.database.run(
      """
      INSERT INTO waiting_change(conversation, page, kind, archive_id, origin_id, author, speaker,
        name, verified, text, reaction, at, change_archive, change_origin)
      SELECT id, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14 FROM conversation
      -- Nothing is older than the beginning of an archive.
      WHERE id = ?1 AND archive_from IS NOT '' AND NOT EXISTS (
        SELECT 1 FROM waiting_change
        WHERE conversation = ?1 AND archive_id IS ?4 AND origin_id IS ?5
          AND (kind, author, speaker, text, reaction, at, change_archive, change_origin)
            IS (?3, ?6, ?7, ?10, ?11, ?12, ?13, ?14))
      """, conversation.id,
      kept.reported == nil ? 0 : pages.current[conversation.address]?.number ?? 0,
      kept.kind.rawValue, kept.message.archive, kept.message.origin, kept.author, kept.speaker,
      kept.name, kept.isVerified, kept.text, kept.reaction?.json, book.time(kept.reported),
      kept.change.archive, kept.change.origin)
    try book.database.run(
      """
      DELETE FROM waiting_change WHERE id IN (
        SELECT id FROM waiting_change WHERE conversation = ? ORDER BY id DESC LIMIT -1 OFFSET ?)
      """, conversation.id, Self.mostWaiting)
  }

  // MARK: Applying

  /// Applies the changes that waited for a page's messages, after the older changes on the page
  /// itself. Shells do not report these changes, since they show the messages for the first time.
  func applyWaitingChanges() throws {
    let all = pages.unsettled
    pages.unsettled = [:]
    for (address, messages) in all {
      guard let conversation = try book.known(address) else { continue }
      if !messages.isEmpty {
        let list = "[" + messages.map { String($0.rawValue) }.joined(separator: ",") + "]"
        try makeWaitingChanges(of: list, in: conversation)
        try book.database.run(
          """
          UPDATE message SET revised = NULL
          WHERE revised IS NOT NULL AND id IN (SELECT value FROM json_each(?))
          """, list)
        try book.database.run(
          "UPDATE reaction SET change = 0 WHERE message IN (SELECT value FROM json_each(?))", list)
      }
      // At the beginning of the archive, no older message can arrive.
      try book.database.run(
        """
        DELETE FROM waiting_change WHERE conversation = ?1
          AND EXISTS (SELECT 1 FROM conversation WHERE id = ?1 AND archive_from = '')
        """, conversation.id)
    }
  }

  private func makeWaitingChanges(of messages: String, in conversation: BatchConversation) throws {
    // The + keeps SQLite from going through the list for each change.
    let found = try book.database.rows(
      """
      SELECT w.* FROM waiting_change w WHERE w.conversation = ?1 AND (
        EXISTS (SELECT 1 FROM message WHERE conversation = ?1 AND archive_id = w.archive_id
          AND +id IN (SELECT value FROM json_each(?2)))
        OR EXISTS (SELECT 1 FROM message WHERE conversation = ?1 AND remote_id = w.origin_id
          AND +id IN (SELECT value FROM json_each(?2))))
      ORDER BY w.page, w.id
      """, conversation.id, messages
    ) { (id: $0.int64("id"), change: WaitingChange.event($0, in: conversation.address)) }
    for (id, change) in found {
      // A change by someone other than the author keeps waiting, as if its message were missing.
      guard let change, try applyChange(change) else { continue }
      try book.database.run("DELETE FROM waiting_change WHERE id = ?", id)
    }
  }
}
