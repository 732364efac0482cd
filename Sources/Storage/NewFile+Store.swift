// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc
import Platform
import Sentences

extension NewFile {
  /// Creates a store's file, with its permissions.
  ///
  /// - Parameters:
  ///   - shared: whether it is for the group of its folder.
  ///   - body: creates it under a temporary name.
  /// - Throws: `StoreError`, `.cannotOpen` if the name is taken.
  package static func store<T>(
    _ path: String, shared: Bool, _ body: (_ temporary: String) throws -> T
  ) throws -> T {
    let files = try StoreFiles(forNew: path, shared: shared)
    do {
      let new = try NewFile(
        StoreFiles.split(files.path).name, in: files.folder,
        mode: StoreFiles.fileMode(shared: shared), hasPath: true)
      return try new.finished { try body(new.path ?? files.path) }
    } catch let failure as SystemFailure {
      switch failure.code {
      case EEXIST:
        throw StoreError.cannotOpen(path: path, reason: translated("it exists; name a new file"))
      case ENOSPC, EDQUOT: throw StoreError.full(path: path)
      case EROFS, EACCES: throw StoreError.readOnly(path: files.folder)
      default: throw StoreError.cannotOpen(path: path, reason: failure.reason)
      }
    }
  }
}
