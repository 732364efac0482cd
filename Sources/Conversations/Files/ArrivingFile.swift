// SPDX-License-Identifier: GPL-3.0-or-later

/// A file that arrives in the store piece by piece. If you release it before `finish`, it leaves
/// nothing behind.
package final class ArrivingFile {
  private let folder: AttachmentFolder
  private let file: StagedFile

  package init(into folder: AttachmentFolder) throws {
    self.folder = folder
    file = try folder.writing { try StagedFile(in: folder) }
  }

  package func append(_ piece: UnsafeRawBufferPointer) throws {
    try folder.writing { try file.append(piece) }
  }

  /// Gives the file its final name; the file is on disk on return. Call this once.
  ///
  /// - Parameter name: the attachment's name; made safe by `FileName.safe`.
  package func finish(name: String) throws -> Attachment {
    try folder.writing { try file.attachment(named: name) }
  }
}
