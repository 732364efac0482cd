// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc
import Platform
import Sentences

extension AttachmentFolder {
  /// Copies an attachment out of the store (`/save`, rule 8.2). It overwrites nothing: if the name
  /// is taken, even by a link, it uses `name-1.ext` and so on. The name appears only when the file
  /// is whole and its bytes match the hash. The target is a folder, which may be behind a link, or
  /// a folder and the file's new name.
  ///
  /// - Returns: its new path.
  /// - Throws: `AttachmentError.gone`, `.damaged`, `.full`, `.unwritable`, `.namesTaken`, leaving
  ///   no files behind.
  public func save(_ attachment: Attachment, to target: String) throws -> String {
    guard let file = try? file(of: attachment.hash) else {
      throw AttachmentError.gone(name: attachment.name)
    }
    let (folder, name) = AttachmentFolder.destination(target, of: attachment)
    guard !target.utf8.contains(0) else {
      throw AttachmentError.unwritable(
        path: target, reason: translated("a path cannot contain a NUL"))
    }
    do {
      let open = try OpenFile(folder: folder, following: true)
      let temporary = ".hobnob-" + randomName()
      defer { unlinkat(open.number, temporary, 0) }
      // The umask decides on the permissions, as for any other file that the person makes.
      let new = try OpenFile(in: open, temporary, O_WRONLY | O_CREAT | O_EXCL, mode: 0o666)
      guard try file.hashed({ try new.write($0) }) == attachment.hash else {
        throw AttachmentError.damaged(name: attachment.name)
      }
      try new.flush()
      guard let chosen = try AttachmentFolder.named(temporary, name, in: open) else {
        throw AttachmentError.namesTaken(path: target)
      }
      return target.isEmpty
        ? chosen : folder.hasSuffix("/") ? folder + chosen : "\(folder)/\(chosen)"
    } catch let failure as SystemFailure {
      throw AttachmentError(failure, at: folder)
    }
  }

  /// The path that ``save(_:to:)`` uses.
  package static func destination(
    _ target: String, of attachment: Attachment
  ) -> (folder: String, name: String) {
    var found = Glibc.stat()
    let isFolder = stat(target, &found) == 0 && found.st_mode & S_IFMT == S_IFDIR
    if target.isEmpty { return (".", FileName.safe(attachment.name)) }
    if isFolder || target.utf8.last == UInt8(ascii: "/") {
      return (target, FileName.safe(attachment.name))
    }
    guard let slash = target.utf8.lastIndex(of: UInt8(ascii: "/")) else { return (".", target) }
    let after = target.utf8.index(after: slash)
    return (slash == target.startIndex ? "/" : String(target[..<slash]), String(target[after...]))
  }

  /// Gives a file the first free name like `name`.
  ///
  /// - Returns: that name; nil if none was free.
  private static func named(
    _ temporary: String, _ name: String, in folder: borrowing OpenFile
  ) throws -> String? {
    for number in 0..<10_000 {
      let wanted = number == 0 ? name : FileName.numbered(name, number)
      if linkat(folder.number, temporary, folder.number, wanted, 0) == 0 { return wanted }
      if errno == EEXIST { continue }
      // Some file systems, such as FAT, have no hard links: there an empty file claims the name
      // first, and the real one then replaces it.
      do {
        _ = try OpenFile(in: folder, wanted, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
      } catch let failure as SystemFailure where failure.code == EEXIST {
        continue
      }
      if renameat(folder.number, temporary, folder.number, wanted) == 0 { return wanted }
      let failure = SystemFailure()
      unlinkat(folder.number, wanted, 0)
      throw failure
    }
    return nil
  }
}
