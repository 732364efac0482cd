// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// Changes whose messages have not arrived yet. An archive is read from its end, page by page, so a
/// correction can come a page before its message.
extension IncomingBatch {
  /// The maximum number of changes that wait in one conversation; the latest ones stay.
  static let mostWaiting = 1_000

  /// The store holds the raw values.
  private enum ChangeKind: Int {
    case correction = 0
    case retraction = 1
    case removal = 2
    case reaction = 3
  }

  /// A change in the store. `speaker` and `author` are empty for the owner.
  private struct Waiting {
    var kind: ChangeKind
    var message: MessageIDs
    var conversation: ConversationAddress
    var author: String?
    var speaker = ""
    /// The name of the speaker, or of the moderator who removed the message.
    var name: String
    var isVerified = true
    /// The new text or the reason.
    var text = ""
    var reaction: NetworkReaction?
    var reported: Milliseconds?
    /// The network's ids of the change itself.
    var change = MessageIDs()
  }

  // MARK: Keeping

  /// Keeps a change until its message arrives with an older page.
  func storeWaiting(_ event: NetworkEvent) throws {
    guard let waiting = waiting(event), let conversation = try known(waiting.conversation) else {
      return
    }
    try database.run(
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
      waiting.reported == nil ? 0 : progress.pages[conversation.address]?.number ?? 0,
      waiting.kind.rawValue,
      waiting.message.archive, waiting.message.origin, waiting.author, waiting.speaker,
      waiting.name, waiting.isVerified, waiting.text, waiting.reaction?.json,
      time(waiting.reported),
      waiting.change.archive,
      waiting.change.origin)
    try database.run(
      """
      DELETE FROM waiting_change WHERE id IN (
        SELECT id FROM waiting_change WHERE conversation = ? ORDER BY id DESC LIMIT -1 OFFSET ?)
      """, conversation.id, Self.mostWaiting)
  }

  /// - Returns: nil for a change that could not apply to any message.
  private func waiting(_ event: NetworkEvent) -> Waiting? {
    switch event {
    case .edited(
      let message, let speaker, let conversation, let body, let reported, let change, let whole):
      var found = waiting(.correction, of: message, by: speaker, in: conversation, reported, change)
      found?.text = whole ?? body
      return found
    case .retracted(let message, let speaker, let conversation, let reported):
      return waiting(.retraction, of: message, by: speaker, in: conversation, reported)
    case .removed(let archive, let room, let removal, let reported):
      return Waiting(
        kind: .removal, message: MessageIDs(archive: archive), conversation: .room(room),
        name: removal.moderator, text: removal.reason, reported: reported)
    case .reacted(
      let message, let author, let speaker, let conversation, let emoji, let reported, let change):
      guard let known = emoji.known else { return nil }
      var found = waiting(.reaction, of: message, by: speaker, in: conversation, reported, change)
      found?.reaction = known
      found?.author = author.map { Self.storedIdentity($0) }
      return found
    default:
      return nil
    }
  }

  private func waiting(
    _ kind: ChangeKind, of message: MessageIDs, by speaker: NetworkUser,
    in conversation: ConversationAddress,
    _ reported: Milliseconds?, _ change: MessageIDs = MessageIDs()
  ) -> Waiting? {
    if case .direct(let address) = conversation, !speaker.isOwner, speaker.identity != address {
      return nil
    }
    guard speaker.isOwner || !speaker.identity.isEmpty,
      message.archive != nil || message.origin != nil
    else { return nil }
    return Waiting(
      kind: kind, message: message, conversation: conversation,
      speaker: Self.storedIdentity(speaker),
      name: speaker.name, isVerified: speaker.isVerified, reported: reported, change: change)
  }

  private static func storedIdentity(_ speaker: NetworkUser) -> String {
    speaker.isOwner ? "" : speaker.identity
  }

  /// The number of a new page. It is lower than the numbers of all pages with waiting changes,
  /// which are newer pages.
  func nextPageNumber(in conversation: BatchConversation) throws -> Int {
    let first = try database.first(
      "SELECT min(page) FROM waiting_change WHERE conversation = ?", conversation.id
    ) { $0.int() }
    return min(first ?? 0, 0) - 1
  }

  // MARK: Applying

  /// Applies the changes that waited for a page's messages, after the older changes on the page
  /// itself. Shells do not report these changes, since they show the messages for the first time.
  func applyWaitingChanges() throws {
    let all = progress.unsettled
    progress.unsettled = [:]
    for (network, messages) in all {
      guard let conversation = try known(network) else { continue }
      if !messages.isEmpty {
        let list = "[" + messages.map { String($0.rawValue) }.joined(separator: ",") + "]"
        try makeWaitingChanges(of: list, in: conversation)
        try database.run(
          """
          UPDATE message SET revised = NULL
          WHERE revised IS NOT NULL AND id IN (SELECT value FROM json_each(?))
          """, list)
        try database.run(
          "UPDATE reaction SET change = 0 WHERE message IN (SELECT value FROM json_each(?))", list)
      }
      // At the beginning of the archive, no older message can arrive.
      try database.run(
        """
        DELETE FROM waiting_change WHERE conversation = ?1
          AND EXISTS (SELECT 1 FROM conversation WHERE id = ?1 AND archive_from = '')
        """, conversation.id)
    }
  }

  private func makeWaitingChanges(of messages: String, in conversation: BatchConversation) throws {
    // The + keeps SQLite from going through the list for each change.
    let found = try database.rows(
      """
      SELECT w.* FROM waiting_change w WHERE w.conversation = ?1 AND (
        EXISTS (SELECT 1 FROM message WHERE conversation = ?1 AND archive_id = w.archive_id
          AND +id IN (SELECT value FROM json_each(?2)))
        OR EXISTS (SELECT 1 FROM message WHERE conversation = ?1 AND remote_id = w.origin_id
          AND +id IN (SELECT value FROM json_each(?2))))
      ORDER BY w.page, w.id
      """, conversation.id, messages
    ) { (id: $0.int64("id"), change: Self.event($0, in: conversation.address)) }
    for (id, change) in found {
      // A change by someone other than the author keeps waiting, as if its message were missing.
      guard let change, try applyChange(change) else { continue }
      try database.run("DELETE FROM waiting_change WHERE id = ?", id)
    }
  }

  /// A change as the network sent it; nil for a row that only another program could have stored.
  private static func event(_ row: Row, in conversation: ConversationAddress) -> NetworkEvent? {
    let message = MessageIDs(
      origin: row.optionalText("origin_id"), archive: row.optionalText("archive_id"))
    let change = MessageIDs(
      origin: row.optionalText("change_origin"), archive: row.optionalText("change_archive"))
    let (name, text, time) = (row.text("name"), row.text("text"), row.time("at"))
    var speaker = someone(row.text("speaker"))
    (speaker.name, speaker.isVerified) = (name, row.bool("verified"))
    switch (ChangeKind(rawValue: row.int("kind")), conversation) {
    case (.correction?, _):
      return .edited(message, by: speaker, in: conversation, body: text, at: time, change: change)
    case (.retraction?, _):
      return .retracted(message, by: speaker, in: conversation, at: time)
    case (.removal?, .room(let room)):
      guard let archive = message.archive else { return nil }
      return .removed(
        archive: archive, room: room, Removal(moderator: name, reason: text), at: time)
    case (.reaction?, _):
      guard let emoji = NetworkReaction(row.json("reaction")) else { return nil }
      return .reacted(
        message, author: row.optionalText("author").map { someone($0) }, by: speaker,
        in: conversation,
        emoji: emoji, at: time, change: change)
    case (.removal?, .direct), (nil, _):
      return nil
    }
  }

  private static func someone(_ stored: String) -> NetworkUser {
    NetworkUser(identity: stored, isOwner: stored.isEmpty)
  }
}

extension NetworkReaction {
  /// The same with the emoji that this program knows; nil if it has none of them.
  fileprivate var known: NetworkReaction? {
    switch self {
    case .all: applied(to: [], asOne: false).map { .all($0) }
    case .given(let emoji), .removed(let emoji): Reaction.isEmoji(emoji) ? self : nil
    }
  }

  fileprivate var json: JSON {
    switch self {
    case .all(let all): .object(["all": .array(all.map { .text($0) })])
    case .given(let emoji): .object(["given": .text(emoji)])
    case .removed(let emoji): .object(["removed": .text(emoji)])
    }
  }

  /// Nil for anything else.
  fileprivate init?(_ json: JSON) {
    if let emoji = json["given"].text {
      self = .given(emoji)
    } else if let emoji = json["removed"].text {
      self = .removed(emoji)
    } else if case .array(let all) = json["all"] {
      self = .all(all.compactMap(\.text))
    } else {
      return nil
    }
  }
}
