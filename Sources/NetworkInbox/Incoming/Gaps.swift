// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// Where messages were missed during a break of the connection (rule 14.7).
///
/// A gap is a sort key after which messages may be missing. While the archive is read in its order,
/// the gap follows the message that was read last: missed messages get keys after it, and so
/// before everything that arrived since the break. Own lines that wait move out of the way.
struct Gaps {
  let book: AddressBook

  func noteMissing(in address: ConversationAddress) throws {
    // Everything in a conversation that does not exist yet arrives after the break.
    guard let conversation = try book.known(address) else {
      _ = book.missingInNew.insert(address)
      return
    }
    // What the owner wrote meanwhile comes after what they missed.
    let last = try book.database.first(
      """
      SELECT sort FROM message WHERE conversation = ? AND sort <= ? AND (sender <> ? OR state >= ?)
      ORDER BY sort DESC LIMIT 1
      """, conversation.id, SortKey.all.upperBound, book.owner.id, DeliveryState.sent.rawValue
    ) { $0.int64() }
    try book.openGap(after: last, in: conversation.id)
    if let last { try makeRoom(after: last, in: conversation) }
  }

  /// Moves what the owner wrote meanwhile further away, in the same order, if it leaves no place for
  /// missed messages, as after two breaks in one second.
  private func makeRoom(after last: Int64, in conversation: BatchConversation) throws {
    // From the last to the first, since no two messages may have the same key at any time.
    let waiting = try book.database.rows(
      """
      SELECT id, sort FROM message WHERE conversation = ? AND sort > ? AND sort <= ?
      ORDER BY sort DESC
      """, conversation.id, last, SortKey.all.upperBound - SortKey.room
    ) { ($0.int64("id"), $0.int64("sort")) }
    guard let first = waiting.last?.1, first - last < SortKey.room else { return }
    let distance = last + SortKey.room - first
    for (id, sort) in waiting {
      try book.database.run(
        "UPDATE OR IGNORE message SET sort = ? WHERE id = ?", sort + distance, id)
    }
    conversation.keys = SortKeys(of: conversation.id)
  }

  func noteComplete(in address: ConversationAddress?) throws {
    guard let address else {
      return try book.database.run("DELETE FROM gap WHERE \(Self.isDirect)", book.network)
    }
    guard let conversation = try book.known(address) else { return }
    try book.database.run("DELETE FROM gap WHERE conversation = ?", conversation.id)
  }

  func noteUnanswered(in address: ConversationAddress?) throws {
    guard let address else {
      return try book.database.run("UPDATE gap SET marked = 1 WHERE \(Self.isDirect)", book.network)
    }
    guard let conversation = try book.known(address) else { return }
    try book.database.run("UPDATE gap SET marked = 1 WHERE conversation = ?", conversation.id)
    guard book.database.changedRows > 0, try book.isOpen(conversation) else { return }
    try book.tell(
      filled(
        (
          "The network has not sent what you missed in %1; /history marks the place.",
          [conversation.stored.name]
        )))
  }

  private static let isDirect = """
    EXISTS (SELECT 1 FROM conversation c WHERE c.id = gap.conversation AND c.kind = 1 AND c.network = ?)
    """

  func exist(in conversation: BatchConversation) throws -> Bool {
    try book.database.exists("SELECT 1 FROM gap WHERE conversation = ?", conversation.id)
  }

  /// Notes that the archive has reached a message that the store has: what follows comes after it.
  func move(to sort: Int64, in conversation: BatchConversation) throws {
    try book.database.run(
      "UPDATE OR REPLACE gap SET sort = ?2 WHERE conversation = ?1 AND sort < ?2", conversation.id,
      sort)
  }

  /// The sort key of a missed message: by its time, if that is between the gap and the next
  /// message, and otherwise the first free one after the gap.
  ///
  /// - Returns: nil if nothing is missing in the conversation.
  func sort(ofMissed time: Milliseconds, in conversation: BatchConversation) throws -> Int64? {
    // Others may write anything into a shared store.
    let gap = try book.database.first(
      "SELECT sort FROM gap WHERE conversation = ? AND sort BETWEEN ? AND ? ORDER BY sort LIMIT 1",
      conversation.id, -SortKey.all.upperBound, SortKey.all.upperBound
    ) { $0.int64() }
    guard let gap else { return nil }
    let next =
      try book.database.first(
        "SELECT sort FROM message WHERE conversation = ? AND sort > ? ORDER BY sort LIMIT 1",
        conversation.id, gap
      ) { $0.int64() } ?? .max
    let byTime = SortKey.first(at: time)
    // Keep the last keys free: the next messages may have the same time.
    let fits = byTime > gap && byTime < next - SortKey.room / 2
    let key = try fits ? byTime : firstFree(after: gap, in: conversation)
    guard SortKey.all.contains(key) else { return nil }
    try book.database.run(
      "UPDATE OR REPLACE gap SET sort = ? WHERE conversation = ? AND sort = ?", key,
      conversation.id, gap)
    return key
  }

  /// What the owner sent meanwhile may be directly after the gap, though the archive has the
  /// missed message in between.
  private func firstFree(after gap: Int64, in conversation: BatchConversation) throws -> Int64 {
    let isTaken = try book.database.exists(
      "SELECT 1 FROM message WHERE conversation = ? AND sort = ?", conversation.id, gap + 1)
    guard isTaken else { return gap + 1 }
    return try book.database.first(
      """
      SELECT sort + 1 FROM message m WHERE conversation = ? AND sort > ? AND NOT EXISTS (
        SELECT 1 FROM message n WHERE n.conversation = m.conversation AND n.sort = m.sort + 1)
      ORDER BY sort LIMIT 1
      """, conversation.id, gap
    ) { $0.int64() } ?? gap + 1
  }
}
