// SPDX-License-Identifier: GPL-3.0-or-later

/// A file on its way into the store from elsewhere, piece by piece. Let go before the end, it leaves
/// nothing behind.
package final class ArrivingFile {
  private let folder: AttachmentFolder
  private let file: StagedFile
  private var bytes = 0
  /// What it begins with, which tells its type.
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

  /// Puts it in its place, on the disk before it returns. Once.
  ///
  /// - Parameter name: as it was called there; `FileName.safe` is taken of it.
  /// - Throws: `AttachmentError`.
  package func finish(name: String) throws -> Attachment {
    let digits = file.hash()
    try folder.writing { try file.place(as: digits) }
    return Attachment(
      hash: digits, name: FileName.safe(name), type: FileType.type(ofBytes: beginning),
      bytes: bytes)
  }
}
