// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// Files that messages give as addresses.
extension IncomingBatch {
  /// How many files may wait for hobnob to fetch them by itself. The owner must ask for the others.
  private static let mostUnasked = 50

  /// Requests the files of a new message from someone whom the owner trusts: a contact, or the
  /// owner on another device. Fetching would tell a stranger, or someone in a room, when and from
  /// where the owner is online; their files wait for `/save`.
  func askForFiles(
    of message: NetworkMessage, _ id: ID<Message>, from sender: ID<Participant>,
    in conversation: BatchConversation
  ) throws {
    guard fetchesFiles, !conversation.isRoom, try isTrusted(sender) else { return }
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
    try sender == owner.id || isContact(sender)
  }

  /// Gives a new message the files that came with it.
  func addFiles(_ files: [Attachment], to id: ID<Message>) throws {
    guard var message = try store.stored(id) else { return }
    try index()
    // Somebody may have removed a file; the message stays.
    for file in files {
      do { try store.append([file], to: &message) } catch is AttachmentError {}
    }
  }

  func applyFetched(_ request: NetworkRequest, _ file: Attachment) throws {
    guard let number = Int64(request.target),
      var found = try store.stored(ID(rawValue: number)), found.deletedAt == nil,
      !found.isRecalled,
      try database.exists(
        "SELECT 1 FROM conversation WHERE id = ? AND network = ?", found.conversation, network),
      // There may have been two requests for the file.
      try !links(of: found).contains(request.text)
    else { return }
    try index()
    let ordinal = found.attachments.count
    do {
      try store.append([file], to: &found)
    } catch is AttachmentError {
      // Somebody removed the file; the text still has its address.
      return
    }
    try database.run(
      "UPDATE attachment SET link = ? WHERE message = ? AND ordinal = ?", request.text, found.id,
      ordinal)
    // The owner's own text stays as typed.
    let isTyped = try database.exists(
      "SELECT 1 FROM message WHERE id = ? AND sender = ? AND remote_id = ?", found.id, owner.id,
      found.uid)
    try database.run(
      "UPDATE message SET body = ?, revised = ? WHERE id = ?",
      isTyped ? found.body : try withoutLinks(ofFilesOf: found, found.body),
      try store.nextChange(), found.id)
  }

  /// The text without lines that consist of the address of a file that the message has.
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
