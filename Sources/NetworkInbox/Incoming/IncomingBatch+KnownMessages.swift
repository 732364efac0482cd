// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// The stored messages that events are about, and new ones.
extension IncomingBatch {
  /// A reported time, limited to now, since it may be wrong.
  func time(_ reported: Milliseconds?) -> Milliseconds {
    min(max(reported ?? now, Message.times.lowerBound), now)
  }

  /// A stored message, by its ids on the network.
  ///
  /// - Parameter author: the person who must have written it. With nil, it is identified only by an
  ///   archive id, or by an origin id that nobody else used there.
  func knownMessage(
    _ name: MessageIDs, of author: ID<Participant>?, in conversation: BatchConversation
  ) throws -> KnownMessage? {
    // Query only ids first, since most messages are new.
    var found: [ID<Message>] = []
    if let archive = name.archive {
      found = try database.rows(
        "SELECT id FROM message WHERE conversation = ? AND archive_id = ?", conversation.id, archive
      ) { $0.id() }
    }
    if found.isEmpty, let origin = name.origin {
      // The + keeps SQLite from going through the conversation in order.
      found = try database.rows(
        """
        SELECT id FROM message WHERE conversation = ?1 AND remote_id = ?2
          AND (?3 IS NULL OR sender = ?3) AND (?4 IS NULL OR archive_id IS NULL)
        ORDER BY +sort DESC LIMIT 2
        """, conversation.id, origin, author, name.archive
      ) { $0.id() }
      if author == nil, found.count > 1 { return nil }
    }
    guard let id = found.first, let known = try knownMessage(id) else { return nil }
    return author == nil || known.message.sender == author ? known : nil
  }

  /// How many of the newest messages, and of those that were edited last, are searched for an id.
  private static let searchedMessages = 200

  /// The message that another one refers to: some programs name the latest correction instead of
  /// the message that it corrects, or give a message two ids.
  func referencedMessage(
    _ name: MessageIDs, of author: ID<Participant>?, in conversation: BatchConversation
  ) throws -> KnownMessage? {
    if let known = try knownMessage(name, of: author, in: conversation) { return known }
    let corrected = try database.rows(
      """
      SELECT m.id FROM (
        SELECT * FROM (
          SELECT id, conversation, sender FROM message WHERE revised IS NOT NULL
          ORDER BY revised DESC LIMIT ?5)
        UNION SELECT * FROM (
          SELECT id, conversation, sender FROM message WHERE conversation = ?1
          ORDER BY sort DESC LIMIT ?5)) m
      WHERE m.conversation = ?1 AND (?2 IS NULL OR m.sender = ?2) AND EXISTS (
        SELECT 1 FROM applied_change WHERE message = m.id AND participant = m.sender
          AND (archive_id = ?3 OR origin_id = ?4))
      LIMIT 2
      """, conversation.id, author, name.archive, name.origin, Self.searchedMessages
    ) { $0.id() as ID<Message> }
    return try corrected.count == 1 ? knownMessage(corrected[0]) : nil
  }

  func knownMessage(_ id: ID<Message>) throws -> KnownMessage? {
    try database.first(
      "SELECT \(Message.columns), m.archive_id \(Message.rows) WHERE m.id = ?", id
    ) { KnownMessage(message: Message($0), archive: $0.optionalText("archive_id")) }
  }

  struct KnownMessage {
    var message: Message
    var archive: String?
  }

  // MARK: The search index

  /// Stores a new message. `index` later adds its words to the search index, with those of other
  /// messages.
  func insertMessage(
    _ message: NewMessage<ID<Participant>>, as id: ID<Message>, sort: Int64,
    _ arrival: Message.Arrival, in conversation: BatchConversation
  ) throws {
    if progress.unindexed.isEmpty { try database.run("INSERT OR IGNORE INTO indexing VALUES (1)") }
    progress.unindexed.append(id)
    conversation.keys.note(sort)
    conversation.stored.lastNumber = try store.store(
      message, as: id, sort: sort, arrival, in: conversation.stored
    ).number
    if !message.files.isEmpty { try addFiles(message.files, to: id) }
  }

  /// Adds the words of all new messages to the search index: at the end, and before the text of any
  /// message changes.
  func index() throws {
    if progress.unindexed.isEmpty { return }
    let ids = progress.unindexed.map { String($0.rawValue) }.joined(separator: ",")
    try database.run(
      """
      INSERT INTO message_text(rowid, body, facts)
      SELECT w.id, w.body, w.facts FROM json_each(?) n CROSS JOIN message_words w
      WHERE w.id = n.value ORDER BY w.id
      """, "[\(ids)]")
    try database.run("DELETE FROM indexing")
    progress.unindexed = []
  }

  /// Records that the network has a message of the owner, whatever the attempt to send it reported.
  func noteArrived(_ message: Message) throws {
    guard message.state < .sent else { return }
    try store.noteSent(message, isEdited: try isEditedOnItsWay(message.id))
  }

  /// Whether the owner edited it after handing it over, to another text than the one received.
  func isEditedOnItsWay(_ message: ID<Message>) throws -> Bool {
    try database.exists(
      """
      SELECT 1 FROM outbox x JOIN message m ON m.id = x.message
      WHERE x.message = ? AND x.operation = 0 AND x.tried > 0 AND m.revised > x.tried
      """, message)
  }
}
