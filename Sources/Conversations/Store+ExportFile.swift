// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc

extension Store {
  /// Writes an export into a new file that only its owner may read. The name appears when all of it
  /// is on the disk; nothing is overwritten.
  ///
  /// - Parameters:
  ///   - path: a file that does not exist yet, in a folder that does.
  ///   - conversations: as in `export(_:files:write:)`, and so is `files`.
  /// - Throws: `StoreError`, `.cannotOpen` when there is something of that name; `AttachmentError`
  ///   `.full` and `.unwritable`. Then there is no file.
  @discardableResult
  public func export(
    _ conversations: [ID<Conversation>]? = nil, files: Bool = true, to path: String
  ) throws -> ExportReport {
    let (place, name) = StoreFiles.split(path)
    let taken = StoreError.cannotOpen(path: path, reason: "it exists; name a new file")
    do {
      let folder = try OpenFile(folder: place, following: true)
      if folder.facts(of: name) != nil { throw taken }
      if name.isEmpty || path.utf8.contains(0) { throw SystemFailure(code: EINVAL) }
      let temporary = ".hobnob-" + randomName()
      defer { unlinkat(folder.number, temporary, 0) }
      let new = try OpenFile(in: folder, temporary, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
      let report = try export(conversations, files: files) { piece in
        try piece.withUnsafeBytes { try new.write($0) }
        return true
      }
      try new.flush()
      guard linkat(folder.number, temporary, folder.number, name, 0) != 0 else { return report }
      if errno == EEXIST { throw taken }
      // Some file systems, such as FAT, have no second names.
      guard folder.facts(of: name) == nil else { throw taken }
      if renameat(folder.number, temporary, folder.number, name) != 0 { throw SystemFailure() }
      return report
    } catch let failure as SystemFailure {
      throw AttachmentCopy.refusal(of: failure, at: place)
    }
  }
}
