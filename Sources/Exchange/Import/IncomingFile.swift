// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Glibc
import Platform

/// The bytes of an attachment on their way in, piece by piece. Let go before the end, it leaves
/// nothing behind; killed, it leaves a file that `Store.pruneAttachments` removes.
final class IncomingFile {
  let hash: String
  let bytes: Int64
  /// How many have come.
  private(set) var offset: Int64 = 0
  private let place: AttachmentFolder
  private let folder: OpenFile
  private let temporary: String
  private let file: OpenFile
  private var sum = SHA256()
  private var isPlaced = false

  /// - Throws: `SystemFailure`.
  init(_ hash: String, bytes: Int64, into place: AttachmentFolder) throws {
    (self.hash, self.bytes, self.place) = (hash, bytes, place)
    folder = try place.made()
    let made = try place.temporary(in: folder)
    temporary = made.name
    file = OpenFile(made.file)
  }

  deinit {
    if !isPlaced { unlinkat(folder.number, temporary, 0) }
  }

  /// - Returns: whether that was the last piece.
  /// - Throws: `SystemFailure`, `LineFault` when the bytes are not those of the hash.
  func append(_ piece: [UInt8]) throws -> Bool {
    guard offset + Int64(piece.count) <= bytes, !piece.isEmpty || bytes == 0 else {
      throw LineFault("the pieces of file %1 do not fit together", hash)
    }
    try piece.withUnsafeBytes {
      sum.update($0)
      try file.write($0)
    }
    offset += Int64(piece.count)
    guard offset == bytes else { return false }
    guard sum.finish() == hash else {
      throw LineFault("the bytes of file %1 are not those it is named after", hash)
    }
    try file.flush()
    try place.place(temporary, in: folder, as: hash)
    isPlaced = true
    return true
  }
}
