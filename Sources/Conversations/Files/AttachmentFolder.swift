// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc
import Platform

/// The folder beside the store with attachments: `ab/cdef…` for the hash `abcdef…`, and incomplete
/// files under temporary names. Every step starts from an open folder, so nobody can redirect it by
/// adding a link.
public struct AttachmentFolder {
  package let path: String
  package let isShared: Bool

  package init(path: String, isShared: Bool) { (self.path, self.isShared) = (path, isShared) }

  /// The prefix of incomplete files' names.
  package static let temporaryPrefix = "incoming-"

  /// The folder and the name of a hash's file; nil if it is not a hash.
  package static func location(of hash: String) -> (folder: String, name: String)? {
    guard hash.utf8.count == 64, bytes(ofHexadecimal: hash) != nil else { return nil }
    return (String(hash.prefix(2)), String(hash.dropFirst(2)))
  }

  /// The identity of the file that has these bytes now; nil if there is none. Never follows a link.
  package func identity(of hash: String) -> String? {
    (try? file(of: hash).status()).map(AttachmentCopy.identity)
  }

  /// The path of a hash's file, which need not exist. For anything that is not a hash, the path of
  /// a file that never exists.
  public func path(of hash: String) -> String {
    guard let (folder, name) = AttachmentFolder.location(of: hash) else { return path + "/none" }
    return "\(path)/\(folder)/\(name)"
  }

  /// Opens the folder.
  ///
  /// - Throws: `SystemFailure`, with `ENOENT` when there is none.
  package func open() throws -> OpenFile {
    try OpenFile(folder: path, following: false)
  }

  /// Opens the folder, and creates it if it is missing.
  package func made() throws -> OpenFile {
    if let found = try? open() { return found }
    let (parent, name) = StoreFiles.split(path)
    return try made(name, in: OpenFile(folder: parent, following: false))
  }

  private func made(_ name: String, in folder: borrowing OpenFile) throws -> OpenFile {
    try OpenFile.folder(making: name, in: folder, mode: StoreFiles.folderMode(shared: isShared))
  }

  /// A new file under a temporary name, open for writing.
  package func temporary(in folder: borrowing OpenFile) throws -> (name: String, file: Int32) {
    let name = AttachmentFolder.temporaryPrefix + randomName()
    let mode = StoreFiles.fileMode(shared: isShared)
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    let file = openat(folder.number, name, flags, mode)
    if file < 0 { throw SystemFailure() }
    fchmod(file, mode)
    return (name, file)
  }

  /// Renames a temporary file, complete and on disk, to its hash. On return, the new name is also
  /// on disk.
  ///
  /// A file that already has that name has the same bytes or is damaged. Replacing it repairs the
  /// damage and restarts the hour for which pruning spares it.
  package func move(_ temporary: String, in folder: borrowing OpenFile, as hash: String) throws {
    guard let location = AttachmentFolder.location(of: hash) else {
      throw SystemFailure(code: EINVAL)
    }
    let part = try made(location.folder, in: folder)
    if renameat(folder.number, temporary, part.number, location.name) != 0 {
      // The first Landlock (Linux before 5.19) gives this error for every move from one folder to
      // another.
      guard errno == EXDEV else { throw SystemFailure() }
      try copy(temporary, in: folder, to: part, as: location.name)
    }
    try part.flush()
  }

  func copy(
    _ temporary: String, in folder: borrowing OpenFile, to part: borrowing OpenFile,
    as name: String
  ) throws {
    let source = try OpenFile(in: folder, temporary, O_RDONLY)
    let made = try self.temporary(in: part)
    let copy = OpenFile(made.file)
    do {
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
      defer { buffer.deallocate() }
      while case let count = try source.read(into: buffer), count > 0 {
        try copy.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      }
      try copy.flush()
      if renameat(part.number, made.name, part.number, name) != 0 { throw SystemFailure() }
    } catch {
      unlinkat(part.number, made.name, 0)
      throw error
    }
    unlinkat(folder.number, temporary, 0)
  }

  /// The size of a hash's file in bytes; nil if there is no regular file.
  package func size(of hash: String) -> Int? {
    guard let location = AttachmentFolder.location(of: hash), let folder = try? open(),
      let part = try? OpenFile(in: folder, location.folder, O_RDONLY | O_DIRECTORY),
      let found = part.status(of: location.name), found.st_mode & S_IFMT == S_IFREG
    else { return nil }
    return Int(found.st_size)
  }

  /// Opens a hash's file for reading.
  package func file(of hash: String) throws -> OpenFile {
    guard let location = AttachmentFolder.location(of: hash) else {
      throw SystemFailure(code: ENOENT)
    }
    let part = try OpenFile(in: open(), location.folder, O_RDONLY | O_DIRECTORY)
    let file = try OpenFile(in: part, location.name, O_RDONLY | O_NONBLOCK)
    guard try file.status().st_mode & S_IFMT == S_IFREG else { throw SystemFailure(code: ENOENT) }
    return file
  }
}
