// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc
import Platform

/// Writes bytes to a temporary file in the folder of attachments and hashes them. If you release it
/// before `commit`, it leaves nothing behind; if the process is killed, a file that
/// `Upkeep.pruneAttachments` removes.
package final class StagedFile {
  private let home: AttachmentFolder
  private let folder: OpenFile
  private let temporary: String
  private let file: OpenFile
  private var sum = SHA256()
  private var isCommitted = false
  package private(set) var bytes = 0
  /// Its first bytes, which reveal its type.
  private var beginning: [UInt8] = []

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

  package func append(_ piece: UnsafeRawBufferPointer) throws {
    if beginning.count < FileType.beginning {
      beginning += piece.prefix(FileType.beginning - beginning.count)
    }
    sum.update(piece)
    try file.write(piece)
    bytes += piece.count
  }

  /// Flushes the bytes so far to disk.
  func flush() throws { try file.flush() }

  /// The hash of all bytes, in hexadecimal digits. Call this once.
  package func hash() -> String { sum.finish() }

  /// Moves the file to the name of that hash; it is on disk on return. Call this once.
  package func commit(as hash: String) throws {
    precondition(!isCommitted, "a file is placed once")
    try file.flush()
    try home.move(temporary, in: folder, as: hash)
    isCommitted = true
  }
}

extension StagedFile {
  /// Commits the file as an attachment. Call this once, instead of `hash` and `commit`.
  ///
  /// - Parameter name: made safe by `FileName.safe`.
  func attachment(named name: String) throws -> Attachment {
    let digits = hash()
    try commit(as: digits)
    return Attachment(
      hash: digits, name: FileName.safe(name), type: FileType.type(ofBytes: beginning),
      bytes: bytes)
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
