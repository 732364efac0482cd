// SPDX-License-Identifier: GPL-3.0-or-later
import Platform

/// What the store keeps of the text of a message that was deleted on its way: the hashes of it and
/// of its lines. Where messages get their ids from the network, only these tell whether a line of
/// its history is that message.
enum DeletedText {
  private static let prefix = "text:"
  /// A network may cut a text at the ends of its lines.
  private static let mostLines = 200

  /// - Parameter uid: of the message, so that equal texts of two messages have two hashes.
  static func mark(_ text: some StringProtocol, uid: String) -> String {
    var hash = SHA256()
    Array((uid + " " + text).utf8).withUnsafeBytes { hash.update($0) }
    return prefix + hash.finish()
  }

  static func marks(of body: String, uid: String) -> [String] {
    let lines = body.split(separator: "\n").filter { !$0.allSatisfy(\.isWhitespace) }
    let whole = lines.count == 1 && lines[0].utf8.elementsEqual(body.utf8) ? [] : [body[...]]
    return (lines.prefix(mostLines) + whole).map { mark($0, uid: uid) }
  }
}

extension Access where Mode: MayWrite {
  /// Remembers the text of a message that a network may have, though it has not confirmed it.
  func noteDeletedText(of message: Message) throws {
    for mark in DeletedText.marks(of: message.body, uid: message.uid) {
      try database.run(
        "INSERT INTO applied_change(message, participant, origin_id) VALUES (?, ?, ?)", message.id,
        message.sender, mark)
    }
  }

  /// Whether a deleted message had a text, or a line of it that was not asked for before.
  package func takeDeletedText(
    _ text: String, of message: ID<Message>, uid: String, by sender: ID<Participant>
  ) throws -> Bool {
    try database.run(
      """
      DELETE FROM applied_change WHERE rowid = (
        SELECT rowid FROM applied_change
        WHERE message = ? AND participant = ? AND archive_id IS NULL AND origin_id = ? LIMIT 1)
      """, message, sender, DeletedText.mark(text, uid: uid))
    return database.changedRows > 0
  }

  /// Forgets the text of a deleted message, since its network has answered for it.
  package func forgetDeletedText(of message: ID<Message>) throws {
    try database.run(
      "DELETE FROM applied_change WHERE message = ? AND origin_id GLOB 'text:*'", message)
  }
}
