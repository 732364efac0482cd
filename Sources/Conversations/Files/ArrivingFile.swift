// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc
import Platform

/// A file on its way into the store from elsewhere, hashed piece by piece. Let go before the end, it
/// leaves nothing behind; killed, it leaves a file that `Store.pruneAttachments` removes.
package final class ArrivingFile {
  private let place: AttachmentFolder
  private let folder: OpenFile
  private let temporary: String
  private let file: OpenFile
  private var hash = SHA256()
  private var bytes = 0
  /// What it begins with, which tells its type.
  private var beginning: [UInt8] = []
  private var isPlaced = false

  /// - Throws: `AttachmentError`.
  package init(into place: AttachmentFolder) throws {
    self.place = place
    do {
      folder = try place.made()
      let made = try place.temporary(in: folder)
      temporary = made.name
      file = OpenFile(made.file)
    } catch let failure as SystemFailure {
      throw AttachmentCopy.refusal(of: failure, at: place.path)
    }
  }

  deinit {
    if !isPlaced { unlinkat(folder.number, temporary, 0) }
  }

  /// - Throws: `AttachmentError`.
  package func append(_ piece: UnsafeRawBufferPointer) throws {
    hash.update(piece)
    if beginning.count < FileType.beginning {
      beginning += piece.prefix(FileType.beginning - beginning.count)
    }
    try writing { try file.write(piece) }
    bytes += piece.count
  }

  /// Puts it in its place, on the disk before it returns. Once.
  ///
  /// - Parameter name: as it was called there; `Store.safeName` is taken of it.
  /// - Throws: `AttachmentError`.
  package func finish(name: String) throws -> Attachment {
    precondition(!isPlaced, "a file arrives once")
    let digits = hash.finish()
    try writing {
      try file.flush()
      try place.place(temporary, in: folder, as: digits)
    }
    isPlaced = true
    return Attachment(
      hash: digits, name: Store.safeName(name), type: FileType.type(ofBytes: beginning),
      bytes: bytes)
  }

  private func writing(_ body: () throws -> Void) throws {
    do {
      try body()
    } catch let failure as SystemFailure {
      throw AttachmentCopy.refusal(of: failure, at: place.path)
    }
  }
}
