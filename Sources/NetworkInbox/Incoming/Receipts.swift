// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// How far people are: which messages they received and read, and whether they type.
struct Receipts {
  let book: AddressBook

  func note(
    _ name: MessageIDs, by speaker: NetworkUser, in address: ConversationAddress,
    _ state: DeliveryState, isAlone: Bool
  ) throws {
    guard state >= .delivered, !speaker.isOwner, let conversation = try book.known(address),
      !conversation.isRoom || state == .seen,
      let reader = try book.speakerID(speaker, in: conversation)
    else { return }
    // In a room people report how far they have read, whoever wrote the message. In a direct chat
    // there are only receipts for messages that were sent there.
    guard
      let found = try book.store.referencedMessage(
        name, of: conversation.isRoom ? nil : book.owner.id, in: conversation.id)?.message,
      !found.isPast, !found.isRecalled, found.sender != reader
    else { return }
    // The other side has the message, whatever the server reported.
    if found.sender == book.owner.id { try book.store.noteArrived(found) }
    guard try book.store.stored(found.id).map({ $0.state >= .sent }) == true else { return }
    if isAlone {
      return try book.store.noteReceived(by: reader, found, state, isFirst: conversation.isRoom)
    }
    try book.store.noteReached(
      by: reader, in: conversation.id, upTo: found.number, state, isFirst: conversation.isRoom)
  }

  func read(_ name: MessageIDs, in address: ConversationAddress) throws {
    guard let conversation = try book.known(address),
      let found = try book.store.referencedMessage(name, of: nil, in: conversation.id)?.message,
      !found.isPast
    else { return }
    try book.store.noteSeen(
      by: book.owner.id, in: conversation.id, upTo: found.number, sendReceipt: false)
  }

  func read(until time: Milliseconds, in address: ConversationAddress) throws {
    guard let conversation = try book.known(address) else { return }
    // Among the unread messages only, the newest first: of those that arrived late, some may be
    // older than ones with lower numbers.
    let number = try book.database.first(
      """
      SELECT number FROM message
      WHERE conversation = ? AND number > ? AND brought < 2 AND sort < ? AND created_at <= ?
      ORDER BY number DESC LIMIT 1
      """, conversation.id, try book.store.readMarker(of: book.owner.id, in: conversation.id),
      SortKey.first(at: time + 1), time
    ) { $0.int() }
    if let number {
      try book.store.noteSeen(
        by: book.owner.id, in: conversation.id, upTo: number, sendReceipt: false)
    }
  }

  func setTyping(_ speaker: NetworkUser, in address: ConversationAddress, _ isTyping: Bool) throws {
    guard !speaker.isOwner, let conversation = try book.known(address),
      let person = try book.speakerID(speaker, in: conversation)
    else { return }
    if !isTyping { return try book.store.endTyping(of: person, in: conversation.id) }
    try book.store.beginTyping(of: person, in: conversation.id, by: ShellID(rawValue: book.network))
  }
}
