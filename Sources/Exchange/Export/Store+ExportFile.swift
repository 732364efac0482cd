// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Glibc
import Platform

extension Store {
  /// Writes an export into a new file that only its owner may read. The name appears when all of it
  /// is on disk; it overwrites nothing.
  ///
  /// - Parameters:
  ///   - path: a file that does not exist yet, in a folder that does.
  ///   - conversations: as in `export(_:files:write:)`, and so is `files`.
  /// - Throws: `StoreError`, `.cannotOpen` if the name is taken; `AttachmentError` `.full` and
  ///   `.unwritable`. Then there is no file.
  @discardableResult
  package func export(
    _ conversations: [ID<Conversation>]? = nil, files: Bool = true,
    for me: ID<Participant>? = nil, to path: String
  ) throws -> ExportReport {
    let (folder, name) = StoreFiles.split(path)
    do {
      let new = try NewFile(name, in: folder)
      return try new.finished {
        try exporting(
          conversations, files: files, for: me,
          write: { piece in
            try new.write(piece)
            return true
          }, whenRead: { true })
      }
    } catch let failure as SystemFailure {
      if failure.code == EEXIST {
        throw StoreError.cannotOpen(path: path, reason: "it exists; name a new file")
      }
      throw AttachmentError(failure, at: folder)
    }
  }
}
