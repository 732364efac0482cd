// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc
import Platform

/// Bytes on their way into the folder of attachments, hashed as they come. Let go before they are
/// placed, they leave nothing behind; killed, a file that `Store.pruneAttachments` removes.
package final class StagedFile {
  private let home: AttachmentFolder
  private let folder: OpenFile
  private let temporary: String
  private let file: OpenFile
  private var sum = SHA256()
  private var isPlaced = false

  /// - Throws: `SystemFailure`.
  package init(in home: AttachmentFolder) throws {
    self.home = home
    folder = try home.made()
    let made = try home.temporary(in: folder)
    temporary = made.name
    file = OpenFile(made.file)
  }

  deinit {
    if !isPlaced { unlinkat(folder.number, temporary, 0) }
  }

  /// - Throws: `SystemFailure`.
  package func append(_ piece: UnsafeRawBufferPointer) throws {
    sum.update(piece)
    try file.write(piece)
  }

  /// Has the disk take what came so far.
  ///
  /// - Throws: `SystemFailure`.
  func flush() throws { try file.flush() }

  /// The hash of all that came, in hexadecimal digits. Once.
  package func hash() -> String { sum.finish() }

  /// Puts them in the place of that hash, on the disk before it returns. Once.
  ///
  /// - Throws: `SystemFailure`.
  package func place(as hash: String) throws {
    precondition(!isPlaced, "a file is placed once")
    try file.flush()
    try home.place(temporary, in: folder, as: hash)
    isPlaced = true
  }
}

extension AttachmentFolder {
  /// What goes wrong in the folder is told as a fault of attachments.
  ///
  /// - Throws: `AttachmentError.full`, `.unwritable`, and what else `body` throws.
  package func writing<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let failure as SystemFailure {
      throw AttachmentError(failure, at: path)
    }
  }
}
