// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// How the network answered the owner's messages: accepted, refused or returned.
struct OutboxResults {
  let book: AddressBook

  func accept(
    _ entry: OutboxEntry, _ archive: String?, _ device: SealingDevice?
  ) throws {
    if let archive, entry.operation == .send {
      try book.database.run(
        """
        UPDATE OR IGNORE message SET archive_id = ? WHERE id = ? AND archive_id IS NULL
        """, archive, entry.message.id)
    }
    if let device, entry.operation == .send {
      try note(.encrypted, of: entry.message.id)
      if !device.key.isEmpty { try book.store.note(device, of: entry.message.id) }
    }
    for (index, link) in entry.links.enumerated() {
      try book.database.run(
        "UPDATE attachment SET link = ? WHERE message = ? AND ordinal = ?", link,
        entry.message.id, index)
    }
    if entry.operation == .edit || entry.operation == .react {
      try book.store.noteApplied(
        MessageIDs(origin: entry.origin), to: entry.message.id, by: book.owner.id)
    }
    // A message that an earlier process handed over came back; this process knows only the newer
    // text.
    let isFormers = entry.operation == .send && entry.wasTried
    try book.store.finish(
      entry, as: .sent, isEdited: isFormers && book.store.isEditedOnItsWay(entry.message.id))
  }

  /// Notes how a message of the owner's went out.
  func note(_ encryption: Message.Encryption, of message: ID<Message>) throws {
    if encryption == .none { return }
    try book.database.run(
      "UPDATE message SET encrypted = max(encrypted, ?) WHERE id = ?", encryption.rawValue, message)
  }

  func refuse(_ entry: OutboxEntry, _ reason: Remark, _ mayHaveArrived: Bool) throws {
    let isWaiting = try book.database.exists("SELECT 1 FROM outbox WHERE id = ?", entry.id)
    if entry.operation == .send, !isWaiting, let found = try book.store.stored(entry.message.id),
      found.state >= .sent
    {
      return try book.store.noteBounced(found, reason)
    }
    try book.store.finish(entry, as: .failed(reason, mayHaveArrived: mayHaveArrived))
    try tellRefusedChange(entry, reason)
  }

  /// A shell shows a change at once, so the owner hears that others do not have it.
  private func tellRefusedChange(_ entry: OutboxEntry, _ reason: Remark) throws {
    guard entry.operation == .edit || entry.operation == .delete,
      let conversation = try book.store.conversation(entry.message.conversation, for: book.owner.id)
    else { return }
    let (number, name) = (Remark(String(entry.message.number)), Remark(conversation.name))
    try book.tell(
      entry.operation == .edit
        ? filled(
          ("The network did not take the new text of message %1 in %2: %3", [number, name, reason]))
        : filled(("The network did not delete message %1 in %2: %3", [number, name, reason])))
  }

  /// Recalls a message that the owner deleted when it was about to be sent.
  func recall(_ entry: OutboxEntry) throws {
    guard let found = try book.store.stored(entry.message.id), found.deletedAt != nil else {
      return
    }
    try book.store.fail(.send, of: found, nil, "")
  }

  func bounce(_ name: MessageIDs, in address: ConversationAddress, _ reason: Remark) throws {
    guard let conversation = try book.known(address),
      let found = try book.store.knownMessage(name, of: book.owner.id, in: conversation.id)?.message
    else { return }
    try book.store.noteBounced(found, reason)
  }
}
