// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc
import Platform

extension Store {
  /// Which file the store holds for an attachment now, as `look` identifies it; never follows a
  /// link. Nil if the store has none.
  package func identity(of attachment: Attachment) -> String? {
    attachmentFolder.identity(of: attachment.hash)
  }

  /// The path of an attachment's file, for programs that open it. The file may be missing.
  public func path(of attachment: Attachment) -> String {
    attachmentFolder.path(of: attachment.hash)
  }

  /// Copies an attachment out of the store (`/save`, rule 8.2), as ``AttachmentFolder/save(_:to:)``.
  public func save(_ attachment: Attachment, to target: String) throws -> String {
    try attachmentFolder.save(attachment, to: target)
  }
}

extension Reading where Self: ~Copyable {
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

extension Writing where Self: ~Copyable {
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

extension Store {
  // MARK: Into the store

  /// Examines a file that someone wants to attach, without copying it, so that hobnob can refuse it
  /// at once (rule 8.1).
  ///
  /// - Parameter limit: in bytes; 0 for none.
  /// - Returns: its future name, its size, and what distinguishes it from a later file at this
  ///   path.
  /// - Throws: `AttachmentError.missing`, `.notAFile`, `.unreadable`, `.tooLarge`.
  package static func inspect(
    fileAt path: String, limit: Int
  ) throws -> (name: String, bytes: Int, identity: String) {
    let (number, found) = try AttachmentCopy.open(path, limit: limit)
    _ = OpenFile(number)
    return (
      FileURL.name(of: path), Int(found.st_size), AttachmentCopy.identity(of: found)
    )
  }

  /// Copies a file into the store's folder under the hash of its bytes; it is on disk on return.
  /// After an hour, pruning may remove it unless a message has it.
  ///
  /// ```swift
  /// let photo = try store.keep(fileAt: "/tmp/photo.png", type: FileType.sniff, limit: 100_000_000)
  /// try store.writeDurably { try $0.send("look", in: lobby, by: anna, attachments: [photo]) }
  /// ```
  ///
  /// - Parameters:
  ///   - path: of a regular file; links are followed.
  ///   - name: its future name, made safe by `FileName.safe`; by default that of the path.
  ///   - identity: which file it has to be, from `look`; nil for any.
  ///   - type: gives the MIME type of the copy at a path, such as `FileType.sniff(path:)`.
  ///   - limit: in bytes; 0 for none.
  /// - Throws: `AttachmentError`, leaving no files behind.
  public func keep(
    fileAt path: String, name: String? = nil, identity: String? = nil, type: (String) -> String?,
    limit: Int
  ) throws -> Attachment {
    try attachmentFolder.keep(
      fileAt: path, name: name, identity: identity, type: type, limit: limit)
  }
}

extension Attachment {
  /// As read from a file in which anything may stand.
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
