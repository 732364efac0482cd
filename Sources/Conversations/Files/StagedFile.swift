// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc
import Platform

/// Writes bytes to a temporary file in the folder of attachments and hashes them. If you release it
/// before `place`, it leaves nothing behind; if the process is killed, a file that
/// `Upkeep.pruneAttachments` removes.
package final class StagedFile {
  private let home: AttachmentFolder
  private let folder: OpenFile
  private let temporary: String
  private let file: OpenFile
  private var sum = SHA256()
  private var isCommitted = false

  /// - Throws: `SystemFailure`.
  package init(in home: AttachmentFolder) throws {
    self.home = home
    folder = try home.made()
    let made = try home.temporary(in: folder)
    temporary = made.name
    file = OpenFile(made.file)
  }

  deinit {
    if !isCommitted { unlinkat(folder.number, temporary, 0) }
  }

  /// - Throws: `SystemFailure`.
  package func append(_ piece: UnsafeRawBufferPointer) throws {
    sum.update(piece)
    try file.write(piece)
  }

  /// Flushes the bytes so far to disk.
  ///
  /// - Throws: `SystemFailure`.
  func flush() throws { try file.flush() }

  /// The hash of all bytes, in hexadecimal digits. Call this once.
  package func hash() -> String { sum.finish() }

  /// Moves the file to the name of that hash; it is on disk on return. Call this once.
  ///
  /// - Throws: `SystemFailure`.
  package func commit(as hash: String) throws {
    precondition(!isCommitted, "a file is placed once")
    try file.flush()
    try home.move(temporary, in: folder, as: hash)
    isCommitted = true
  }
}

extension AttachmentFolder {
  /// Turns system failures in the folder into attachment errors.
  ///
  /// - Throws: `AttachmentError.full`, `.unwritable`, and whatever else `body` throws.
  package func writing<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let failure as SystemFailure {
      throw AttachmentError(failure, at: path)
    }
  }
}
