// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// Writes the bytes of an attachment piece by piece. If you release it before the last piece, it
/// leaves nothing behind.
final class IncomingFile {
  let hash: String
  let bytes: Int64
  /// How many bytes it has so far.
  var offset: Int64 { Int64(file.bytes) }
  private let file: StagedFile

  init(_ hash: String, bytes: Int64, into folder: AttachmentFolder) throws {
    (self.hash, self.bytes) = (hash, bytes)
    file = try StagedFile(in: folder)
  }

  /// - Returns: whether that was the last piece.
  /// - Throws: `SystemFailure`, `LineFault` if the bytes do not match the hash.
  func append(_ piece: [UInt8]) throws -> Bool {
    guard offset + Int64(piece.count) <= bytes, !piece.isEmpty || bytes == 0 else {
      throw LineFault("the pieces of file %1 do not fit together", hash)
    }
    try piece.withUnsafeBytes { try file.append($0) }
    guard offset == bytes else { return false }
    guard file.hash() == hash else {
      throw LineFault("the bytes of file %1 do not match its hash", hash)
    }
    try file.commit(as: hash)
    return true
  }
}
