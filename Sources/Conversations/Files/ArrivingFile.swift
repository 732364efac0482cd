// SPDX-License-Identifier: GPL-3.0-or-later

/// A file that arrives in the store piece by piece. If you release it before `finish`, it leaves
/// nothing behind.
package final class ArrivingFile {
  private let folder: AttachmentFolder
  private let file: StagedFile
  private var bytes = 0
  /// Its first bytes, which reveal its type.
  private var beginning: [UInt8] = []

  /// - Throws: `AttachmentError`.
  package init(into folder: AttachmentFolder) throws {
    self.folder = folder
    file = try folder.writing { try StagedFile(in: folder) }
  }

  /// - Throws: `AttachmentError`.
  package func append(_ piece: UnsafeRawBufferPointer) throws {
    if beginning.count < FileType.beginning {
      beginning += piece.prefix(FileType.beginning - beginning.count)
    }
    try folder.writing { try file.append(piece) }
    bytes += piece.count
  }

  /// Gives it its final name; it is on disk on return. Call this once.
  ///
  /// - Parameter name: its name there; made safe by `FileName.safe`.
  /// - Throws: `AttachmentError`.
  package func finish(name: String) throws -> Attachment {
    let digits = file.hash()
    try folder.writing { try file.commit(as: digits) }
    return Attachment(
      hash: digits, name: FileName.safe(name), type: FileType.type(ofBytes: beginning),
      bytes: bytes)
  }
}
