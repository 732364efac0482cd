// SPDX-License-Identifier: GPL-3.0-or-later
import Platform

extension Access {
  /// The files of a message, in the order they were attached.
  public func files(of message: ID<Message>) throws -> [Attachment] {
    try database.rows(
      "SELECT hash, name, type, bytes FROM attachment WHERE message = ? ORDER BY ordinal", message
    ) {
      Attachment(
        checkedHash: $0.hex("hash"), name: $0.text("name"), type: $0.text("type"),
        bytes: $0.int("bytes"))
    }
  }
}

extension Access where Mode: MayWrite {
  /// Pruning has either removed a file before this transaction, which then fails, or sees that a
  /// message needs it.
  package func append(_ attachments: [Attachment], to message: inout Message) throws {
    guard !attachments.isEmpty else { return }
    for attachment in attachments {
      let safe = Attachment(
        hash: attachment.hash, name: FileName.safe(attachment.name),
        type: FileType.checked(attachment.type) ?? FileType.unknown, bytes: attachment.bytes)
      guard let hash = bytes(ofHexadecimal: safe.hash),
        attachmentFolder.size(of: safe.hash) == safe.bytes
      else { throw AttachmentError.gone(name: safe.name) }
      try database.run(
        """
        INSERT INTO attachment(message, ordinal, hash, name, type, bytes) VALUES (?, ?, ?, ?, ?, ?)
        """, message.id, message.attachments.count, hash, safe.name, safe.type, safe.bytes)
      message.attachments.append(safe)
    }
    try database.run(
      "UPDATE message SET attachments = ? WHERE id = ?", message.attachments.count, message.id)
  }
}

extension Attachment {
  /// An attachment as read from a file that may contain anything.
  init(
    checkedHash hash: String, name: String, type: String, bytes: Int
  ) {
    self.init(
      hash: hash, name: FileName.safe(name), type: FileType.checked(type) ?? FileType.unknown,
      bytes: max(0, bytes))
  }

  /// All attachments of message `m` in one text, or NULL. They arrive with the message's row, and a
  /// message without any costs nothing. No safe name or type contains the separators.
  static let listColumn = """
    CASE WHEN m.attachments > 0 THEN (
      SELECT group_concat(a.ordinal || char(31) || lower(hex(a.hash)) || char(31) || a.bytes
        || char(31) || a.type || char(31) || a.name, char(30))
      FROM attachment a WHERE a.message = m.id) END AS attachment_list
    """

  /// Parses the value of `attachmentColumn`.
  static func listed(_ list: String?) -> [Attachment] {
    guard let list else { return [] }
    let found = list.utf8.split(separator: 30).compactMap { entry -> (Int, Attachment)? in
      let fields = entry.split(separator: 31, maxSplits: 4, omittingEmptySubsequences: false)
        .map { String(Substring($0)) }
      guard fields.count == 5, let ordinal = Int(fields[0]), let bytes = Int(fields[2]),
        AttachmentFolder.location(of: fields[1]) != nil
      else { return nil }
      return (
        ordinal, Attachment(checkedHash: fields[1], name: fields[4], type: fields[3], bytes: bytes)
      )
    }
    // SQLite promises no order for group_concat.
    return found.sorted { $0.0 < $1.0 }.map(\.1)
  }
}
