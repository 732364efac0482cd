// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// A stored message, and its id in the archive of the network.
struct KnownMessage {
  var message: Message
  var archive: String?
}

/// The stored messages that events are about.
extension Access {
  /// A stored message, by its ids on the network.
  ///
  /// - Parameter author: the person who must have written it. With nil, it is identified only by an
  ///   archive id, or by an origin id that nobody else used there.
  func knownMessage(
    _ name: MessageIDs, of author: ID<Participant>?, in conversation: ID<Conversation>
  ) throws -> KnownMessage? {
    // Query only ids first, since most messages are new.
    var found: [ID<Message>] = []
    if let archive = name.archive {
      found = try database.rows(
        "SELECT id FROM message WHERE conversation = ? AND archive_id = ?", conversation, archive
      ) { $0.id() }
    }
    if found.isEmpty, let origin = name.origin {
      // The + keeps SQLite from going through the conversation in order.
      found = try database.rows(
        """
        SELECT id FROM message WHERE conversation = ?1 AND remote_id = ?2
          AND (?3 IS NULL OR sender = ?3) AND (?4 IS NULL OR archive_id IS NULL)
        ORDER BY +sort DESC LIMIT 2
        """, conversation, origin, author, name.archive
      ) { $0.id() }
      if author == nil, found.count > 1 { return nil }
    }
    guard let id = found.first, let known = try knownMessage(id) else { return nil }
    return author == nil || known.message.sender == author ? known : nil
  }

  /// How many of the newest messages, and of those that were edited last, are searched for an id.
  private static var searchedMessages: Int { 200 }

  /// The message that another one refers to: some programs name the latest correction instead of
  /// the message that it corrects, or give a message two ids.
  func referencedMessage(
    _ name: MessageIDs, of author: ID<Participant>?, in conversation: ID<Conversation>
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
      """, conversation, author, name.archive, name.origin, Self.searchedMessages
    ) { $0.id() as ID<Message> }
    return try corrected.count == 1 ? knownMessage(corrected[0]) : nil
  }

  func knownMessage(_ id: ID<Message>) throws -> KnownMessage? {
    try database.first(
      "SELECT \(Message.columns), m.archive_id \(Message.rows) WHERE m.id = ?", id
    ) { KnownMessage(message: Message($0), archive: $0.optionalText("archive_id")) }
  }

  /// The text without lines that consist of the address of a file that the message has.
  func withoutLinks(ofFilesOf message: Message, _ body: String) throws -> String {
    let links = message.attachments.isEmpty ? [] : try links(of: message)
    if links.isEmpty { return body }
    return body.split(separator: "\n", omittingEmptySubsequences: false)
      .filter { !links.contains(String($0)) }.joined(separator: "\n")
  }

  func links(of message: Message) throws -> Set<String> {
    Set(
      try database.rows(
        "SELECT link FROM attachment WHERE message = ? AND link IS NOT NULL", message.id
      ) { $0.text() })
  }
}

extension Message {
  var isGone: Bool { deletedAt != nil || isRecalled }
}

extension Access where Mode: MayWrite {
  /// Records that the network has a message of the owner, whatever the attempt to send it reported.
  func noteArrived(_ message: Message) throws {
    guard message.state < .sent else { return }
    try noteSent(message, isEdited: try isEditedOnItsWay(message.id))
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
