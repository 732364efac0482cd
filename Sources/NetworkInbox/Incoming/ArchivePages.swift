// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// The pages of archives that a batch contains. An archive is read from its end, page by page.
struct ArchivePages {
  /// A page of an archive.
  struct Page {
    /// Its number, which orders its waiting changes; lower than the numbers of pages read earlier,
    /// which are newer.
    var number: Int
    /// The sort key after it; nil if there is no message after it.
    var end: Int64?
  }

  let book: AddressBook
  /// How many past messages arrived, by conversation.
  var past: [ConversationAddress: Int] = [:]
  /// The past messages since `applyWaitingChanges`, by conversation. A conversation whose page
  /// had none has an empty list.
  var unsettled: [ConversationAddress: [ID<Message>]] = [:]
  /// The page of the archive that is being read, by conversation.
  private(set) var current: [ConversationAddress: Page] = [:]

  /// Notes that the messages that follow are a page.
  mutating func begin(_ address: ConversationAddress, from: String, until: String) throws {
    guard let conversation = try book.known(address) else { return }
    unsettled[address] = []
    current[address] = Page(
      number: try nextPageNumber(in: conversation), end: try start(ofPage: until, in: conversation))
    // A repeated page must not undo what was read later.
    try book.database.run(
      """
      UPDATE conversation SET archive_from = ?2
      WHERE id = ?1 AND (archive_from IS NULL OR archive_from = ?3)
      """, conversation.id, from, until)
  }

  /// The sort key after a page of the archive: that of the message where the previously read page
  /// began, or else of the oldest past message.
  private func start(ofPage until: String, in conversation: BatchConversation) throws -> Int64? {
    let anchor = try book.database.first(
      "SELECT sort FROM message WHERE conversation = ? AND archive_id = ?", conversation.id, until
    ) { $0.int64() }
    if let anchor { return anchor }
    // The second query finds the oldest past message near the beginning, if there is one; otherwise
    // it would read the whole conversation.
    guard
      try book.database.exists(
        "SELECT 1 FROM message WHERE conversation = ? AND brought = 2", conversation.id)
    else { return nil }
    return try book.database.first(
      "SELECT sort FROM message WHERE conversation = ? AND brought = 2 ORDER BY sort LIMIT 1",
      conversation.id
    ) { $0.int64() }
  }

  /// The sort key of a past message: by its time, and for equal times in the order of the archive.
  /// Networks give whole seconds; within a second, and for times in the future, messages of an
  /// older page come before those of pages that were read earlier.
  func sort(ofPast time: Milliseconds, in conversation: BatchConversation) throws -> Int64 {
    var key = SortKey.first(at: time)
    if let end = current[conversation.address]?.end,
      key >= (end >> SortKey.bits) << SortKey.bits
    {
      let milliseconds = end >> SortKey.bits
      if time - milliseconds < 1000 || time == book.now {
        key = SortKey.first(at: milliseconds - 1)
      }
    }
    return try conversation.keys.free(from: key, in: book.database)
  }

  /// The number of a new page. It is lower than the numbers of all pages with waiting changes,
  /// which are newer pages.
  private func nextPageNumber(in conversation: BatchConversation) throws -> Int {
    let first = try book.database.first(
      "SELECT min(page) FROM waiting_change WHERE conversation = ?", conversation.id
    ) { $0.int() }
    return min(first ?? 0, 0) - 1
  }
}
