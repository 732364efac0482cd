// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// Files that others name by an address.
extension IncomingBatch {
  /// How many may wait to be fetched unasked. The others are fetched when the owner wants them.
  private static let mostUnasked = 50

  /// Asks for the files of a new message where that is of someone the owner trusts: a contact, or
  /// the owner on another device. A stranger, or someone in a room, would learn that and where the
  /// owner is; there an address waits for `/save`.
  func askForFiles(
    of message: NetworkMessage, _ id: ID<Message>, from sender: ID<Participant>, in place: Place
  ) throws {
    guard fetchesFiles, !place.isRoom, try isTrusted(sender) else { return }
    var waiting =
      try database.first(
        "SELECT count(*) FROM request WHERE account = ? AND verb = ? AND answer IS NULL",
        account.id, NetworkRequest.Verb.fetchUnasked.rawValue, read: { $0.int() }) ?? 0
    for link in message.links where link.hasPrefix("https://") && waiting < Self.mostUnasked {
      try store.insert(.fetchUnasked, target: String(id.rawValue), text: link, of: account)
      waiting += 1
    }
  }

  func isTrusted(_ sender: ID<Participant>) throws -> Bool {
    if sender == owner.id { return true }
    return try database.exists("SELECT 1 FROM participant WHERE id = ? AND contact <> 0", sender)
  }

  func fetched(_ request: NetworkRequest, _ file: Attachment) throws {
    guard let number = Int64(request.target),
      var found = try store.stored(ID(rawValue: number)), found.deletedAt == nil,
      !found.isRecalled,
      try database.exists(
        "SELECT 1 FROM conversation WHERE id = ? AND network = ?", found.conversation, network),
      // It may have been asked for twice.
      try !links(of: found).contains(request.text)
    else { return }
    try index()
    let ordinal = found.attachments.count
    do {
      try store.append([file], to: &found)
    } catch is AttachmentError {
      // Somebody took the file away; its address still stands in the text.
      return
    }
    try database.run(
      "UPDATE attachment SET link = ? WHERE message = ? AND ordinal = ?", request.text, found.id,
      ordinal)
    // What the owner typed here stays as they typed it.
    let isTyped = try database.exists(
      "SELECT 1 FROM message WHERE id = ? AND sender = ? AND remote_id = ?", found.id, owner.id,
      found.uid)
    try database.run(
      "UPDATE message SET body = ?, revised = ? WHERE id = ?",
      isTyped ? found.body : try withoutLinks(ofFilesOf: found, found.body),
      try store.nextChange(), found.id)
  }

  /// A text without the lines that are nothing but the address of a file which the message has.
  func withoutLinks(ofFilesOf message: Message, _ body: String) throws -> String {
    let links = message.attachments.isEmpty ? [] : try links(of: message)
    if links.isEmpty { return body }
    return body.split(separator: "\n", omittingEmptySubsequences: false)
      .filter { !links.contains(String($0)) }.joined(separator: "\n")
  }

  private func links(of message: Message) throws -> Set<String> {
    Set(
      try database.rows(
        "SELECT link FROM attachment WHERE message = ? AND link IS NOT NULL", message.id
      ) { $0.text() })
  }
}
