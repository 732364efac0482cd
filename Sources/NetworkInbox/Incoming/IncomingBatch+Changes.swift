// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// Edits, retractions, removals and reactions of messages in the store.
extension IncomingBatch {
  /// Changes a message.
  ///
  /// - Returns: false if the message is missing or is someone else's.
  func applyChange(_ event: NetworkEvent) throws -> Bool {
    switch event {
    case .edited(
      let name, let speaker, let conversation, let body, let time, let change, let whole,
      let encryption):
      return try applyEdit(
        name, by: speaker, in: conversation, (body, whole, encryption), at: time, change)
    case .retracted(let name, let speaker, let conversation, let time):
      return try applyRetraction(name, by: speaker, in: conversation, at: time)
    case .removed(let archive, let room, let removal, let time):
      return try applyRemoval(archive, from: room, removal, at: time)
    case .reacted(
      let name, let author, let speaker, let conversation, let emoji, let time, let change):
      return try applyReaction(
        name, of: author, by: speaker, in: conversation, emoji, at: time, change)
    default:
      return true
    }
  }

  /// The message that its author wants to change; nil if it is missing or someone else's.
  private func changedMessage(
    _ name: MessageIDs, by speaker: NetworkUser, in address: ConversationAddress
  ) throws -> Message? {
    guard let conversation = try book.known(address),
      let author = try book.speakerID(speaker, in: conversation),
      let found = try book.store.referencedMessage(name, of: author, in: conversation.id)?.message
    else { return nil }
    if found.isGone { return found }
    if author == book.owner.id { try book.store.noteArrived(found) }
    try newMessages.index()
    return found
  }

  private func applyEdit(
    _ name: MessageIDs, by speaker: NetworkUser, in address: ConversationAddress,
    _ new: (body: String, withQuote: String?, encryption: Message.Encryption?),
    at reported: Milliseconds?, _ change: MessageIDs
  ) throws -> Bool {
    guard let found = try changedMessage(name, by: speaker, in: address) else { return false }
    guard !found.isGone,
      try isNew(change, of: found.id, by: found.sender, isLive: reported == nil)
    else { return true }
    let text = found.replyTo?.line.isEmpty == false ? new.body : new.withQuote ?? new.body
    let body = try book.store.withoutLinks(ofFilesOf: found, text)
    let waits = "FROM outbox WHERE message = ? AND operation = 1"
    if found.body.utf8.elementsEqual(body.utf8) {
      // This is the owner's own change, sent back by the network.
      if speaker.isOwner { try book.database.run("DELETE \(waits)", found.id) }
      return true
    }
    // The text that the owner wrote here is newer, and on its way.
    if speaker.isOwner, try book.database.exists("SELECT 1 \(waits)", found.id) { return true }
    let time = book.time(reported)
    let unreadable = Message.Kind.unreadable.rawValue
    try book.database.run(
      """
      INSERT INTO revision(message, ordinal, body, at)
      SELECT ?1, ifnull(max(ordinal), 0) + 1, ?2, ?3 FROM revision WHERE message = ?1
      """, found.id, found.body, time)
    try book.database.run(
      """
      UPDATE message SET body = ?, mentions = NULL, edited_at = ?, revised = ?,
        unverified = max(unverified, ?),
        encrypted = ifnull(?, iif(kind = \(unreadable), min(encrypted, 1), encrypted)),
        kind = iif(kind = \(unreadable), 0, kind)
      WHERE id = ?
      """, body, time, try book.store.nextChange(), !speaker.isVerified,
      new.encryption?.rawValue, found.id)
    return true
  }

  private func applyRetraction(
    _ name: MessageIDs, by speaker: NetworkUser, in address: ConversationAddress,
    at reported: Milliseconds?
  ) throws -> Bool {
    guard let found = try changedMessage(name, by: speaker, in: address) else { return false }
    if found.isGone { return true }
    try book.store.wipe(found.id, as: .deleted, at: book.time(reported))
    if !speaker.isVerified {
      try book.database.run("UPDATE message SET unverified = 1 WHERE id = ?", found.id)
    }
    return true
  }

  /// A moderator's removal counts for anybody's message, the owner's own included.
  private func applyRemoval(
    _ archive: String, from room: String, _ removal: Removal, at reported: Milliseconds?
  ) throws -> Bool {
    // Find it only by the room's own id: a sender can choose any other id.
    guard let conversation = try book.known(.room(room)),
      let found = try book.store.knownMessage(
        MessageIDs(archive: archive), of: nil, in: conversation.id)?.message
    else { return false }
    if found.isGone { return true }
    if found.sender == book.owner.id { try book.store.noteArrived(found) }
    try newMessages.index()
    try book.store.wipe(found.id, as: .deleted, at: book.time(reported))
    try book.database.run(
      "UPDATE message SET removed_by = ?, removal_reason = ? WHERE id = ?", removal.moderator,
      removal.reason, found.id)
    return true
  }

  /// Records someone's change to a message.
  ///
  /// - Parameter isLive: whether it arrives live. If so, only its archive id can show that it is
  ///   known, since some clients use one of their own ids twice.
  /// - Returns: false if it is known: archives and rooms repeat changes, and send the owner's own
  ///   changes back.
  private func isNew(
    _ change: MessageIDs, of message: ID<Message>, by author: ID<Participant>, isLive: Bool
  ) throws -> Bool {
    let known = try book.database.exists(
      """
      SELECT 1 FROM applied_change WHERE message = ?1 AND participant = ?2
        AND (archive_id = ?3 OR origin_id = ?4 AND (archive_id IS NULL OR ?3 IS NULL))
      """, message, author, change.archive, isLive ? nil : change.origin)
    if known { return false }
    try book.store.noteApplied(change, to: message, by: author)
    return true
  }

  private func applyReaction(
    _ name: MessageIDs, of author: NetworkUser?, by speaker: NetworkUser,
    in target: ConversationAddress,
    _ emoji: NetworkReaction, at reported: Milliseconds?, _ change: MessageIDs
  ) throws -> Bool {
    guard let conversation = try book.known(target) else { return false }
    var writer: ID<Participant>?
    if let author {
      guard let known = try book.speakerID(author, in: conversation) else { return false }
      writer = known
    }
    guard
      let found = try book.store.referencedMessage(name, of: writer, in: conversation.id)?.message
    else { return false }
    guard !found.isGone, found.state >= .sent || found.sender != book.owner.id else { return true }
    let person: ID<Participant>
    if speaker.isOwner {
      person = book.owner.id
    } else {
      if case .direct(let address) = target, speaker.identity != address { return true }
      person = try book.person(speaker, in: target).id
    }
    let asOne = try book.store.knownAbilities(of: conversation.id).reactionLimit == .one
    let former = try book.store.storedEmoji(of: person, on: found.id)
    guard let new = emoji.applied(to: former, asOne: asOne) else { return true }
    guard try isNew(change, of: found.id, by: person, isLive: reported == nil) else { return true }
    // The owner's own changes that are on their way: all, or those to this reaction.
    let waits = """
      FROM outbox WHERE message = ?1 AND operation = 3 AND participant = ?2
        AND ifnull(emoji = ?3, 1)
      """
    let one: String? =
      switch emoji {
      case .all: nil
      case .given(let one), .removed(let one): one
      }
    if Set(former.map { Array($0.utf8) }) == Set(new.map { Array($0.utf8) }) {
      if speaker.isOwner { try book.database.run("DELETE \(waits)", found.id, person, one) }
      return true
    }
    if speaker.isOwner, try book.database.exists("SELECT 1 \(waits)", found.id, person, one) {
      return true
    }
    try book.store.setReactions(
      new, of: person, on: found.id, at: book.time(reported), asOne: asOne)
    return true
  }
}
