// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// Stores new messages, and adds their words to the search index together.
struct NewMessages {
  let book: AddressBook
  /// Those that are not in the search index yet.
  private(set) var unindexed: [ID<Message>] = []

  /// Stores a new message. `index` later adds its words to the search index, with those of other
  /// messages.
  mutating func insert(
    _ message: NewMessage<ID<Participant>>, as id: ID<Message>, sort: Int64,
    _ arrival: Message.Arrival, in conversation: BatchConversation
  ) throws {
    if unindexed.isEmpty { try book.database.run("INSERT OR IGNORE INTO indexing VALUES (1)") }
    unindexed.append(id)
    conversation.keys.note(sort)
    conversation.stored.lastNumber = try book.store.store(
      message, as: id, sort: sort, arrival, in: conversation.stored
    ).number
    if !message.files.isEmpty { try addFiles(message.files, to: id) }
  }

  /// Gives a new message the files that came with it.
  private mutating func addFiles(_ files: [Attachment], to id: ID<Message>) throws {
    guard var message = try book.store.stored(id) else { return }
    try index()
    // Somebody may have removed a file; the message stays.
    for file in files {
      do { try book.store.append([file], to: &message) } catch is AttachmentError {}
    }
  }

  /// Adds the words of all new messages to the search index: at the end, and before the text of any
  /// message changes.
  mutating func index() throws {
    if unindexed.isEmpty { return }
    let ids = unindexed.map { String($0.rawValue) }.joined(separator: ",")
    try book.database.run(
      """
      INSERT INTO message_text(rowid, body, facts)
      SELECT w.id, w.body, w.facts FROM json_each(?) n CROSS JOIN message_words w
      WHERE w.id = n.value ORDER BY w.id
      """, "[\(ids)]")
    try book.database.run("DELETE FROM indexing")
    unindexed = []
  }
}
