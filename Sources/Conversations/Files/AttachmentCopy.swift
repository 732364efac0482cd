// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc
import Platform

/// Copies a file into the store piece by piece. If you release it before `finish`, it leaves
/// nothing behind.
package final class AttachmentCopy {
  /// The size the file had when it was opened.
  package let bytes: Int
  package var copied: Int { file.bytes }

  private let path: String
  private let name: String
  private let limit: Int
  private let folder: AttachmentFolder
  private let source: OpenFile
  private let opened: Glibc.stat
  private let file: StagedFile
  private let buffer: UnsafeMutableRawBufferPointer
  private var unflushed = 0

  init(
    path: String, name: String? = nil, identity: String? = nil, limit: Int,
    into folder: AttachmentFolder
  ) throws {
    let (number, opened) = try AttachmentCopy.open(path, identity: identity, limit: limit)
    source = OpenFile(number)
    self.opened = opened
    bytes = Int(opened.st_size)
    self.path = path
    self.name = name.map(FileName.safe) ?? FileURL.name(of: path)
    self.limit = limit
    self.folder = folder
    file = try folder.writing { try StagedFile(in: folder) }
    buffer = .allocate(byteCount: 1 << 18, alignment: 16)
  }

  deinit { buffer.deallocate() }

  /// A text that distinguishes a file from another one that is later at the same path.
  static func identity(of found: Glibc.stat) -> String {
    "\(found.st_dev):\(found.st_ino):\(found.st_size)"
  }

  /// Examines a file that someone wants to attach, without copying it, so that hobnob can refuse it
  /// at once (rule 8.1).
  ///
  /// - Parameter limit: in bytes; 0 for none.
  /// - Returns: its future name, its size, and its `identity(of:)`.
  /// - Throws: `AttachmentError.missing`, `.notAFile`, `.unreadable`, `.tooLarge`.
  package static func inspect(
    fileAt path: String, limit: Int
  ) throws -> (name: String, bytes: Int, identity: String) {
    let (number, found) = try open(path, limit: limit)
    _ = OpenFile(number)
    return (FileURL.name(of: path), Int(found.st_size), identity(of: found))
  }

  /// Opens a file that someone wants to attach. Follows links, since the person named the path.
  static func open(
    _ path: String, identity: String? = nil, limit: Int
  ) throws -> (number: Int32, found: Glibc.stat) {
    guard let bytes = FileURL.bytes(of: path), !bytes.isEmpty else {
      throw AttachmentError.missing(path: path)
    }
    let name = bytes.map { CChar(bitPattern: $0) } + [0]
    var found = Glibc.stat()
    // Check before opening, since opening a device can have effects of its own.
    guard stat(name, &found) == 0 else { throw unreadable(path) }
    guard found.st_mode & S_IFMT == S_IFREG else { throw AttachmentError.notAFile(path: path) }
    // The file may have become a pipe in the meantime, which must not block.
    let number = Glibc.open(name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    guard number >= 0 else { throw unreadable(path) }
    guard fstat(number, &found) == 0, found.st_mode & S_IFMT == S_IFREG else {
      close(number)
      throw AttachmentError.notAFile(path: path)
    }
    if let identity, identity != self.identity(of: found) {
      close(number)
      throw AttachmentError.replaced(path: path)
    }
    if limit > 0, found.st_size > limit {
      close(number)
      throw AttachmentError.tooLarge(path: path, limit: limit)
    }
    return (number, found)
  }

  private static func unreadable(_ path: String) -> AttachmentError {
    let failure = SystemFailure()
    return failure.code == ENOENT || failure.code == ENOTDIR
      ? .missing(path: path) : .unreadable(path: path, reason: failure.reason)
  }

  /// Copies the next piece, and flushes to disk from time to time, so that the end is not a long
  /// wait.
  ///
  /// If the file grows, only the bytes that it had at the start are copied.
  ///
  /// - Parameter size: the maximum number of bytes, at least 1.
  /// - Returns: whether there is more to copy.
  /// - Throws: `AttachmentError.changed`, `.tooLarge`, `.unreadable`, `.full`, `.unwritable`.
  package func step(_ size: Int = 1 << 20) throws -> Bool {
    var left = max(1, size)
    while left > 0 {
      // Files that the kernel makes up, as in /proc, have no size; read them to their end.
      let open = bytes == 0 ? left : bytes - copied
      if open == 0 { return false }
      let wanted = min(left, open, buffer.count)
      let count = try read(wanted)
      if count == 0 {
        if bytes > 0 { throw AttachmentError.changed(path: path) }
        return false
      }
      if limit > 0, copied + count > limit {
        throw AttachmentError.tooLarge(path: path, limit: limit)
      }
      let piece = UnsafeRawBufferPointer(rebasing: buffer[..<count])
      try folder.writing { try file.append(piece) }
      unflushed += count
      left -= count
    }
    if unflushed >= 1 << 23 {
      try folder.writing { try file.flush() }
      unflushed = 0
    }
    return bytes == 0 || copied < bytes
  }

  private func read(_ count: Int) throws -> Int {
    do {
      return try source.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]))
    } catch let failure as SystemFailure {
      throw AttachmentError.unreadable(path: path, reason: failure.reason)
    }
  }

  /// Gives the complete copy its final name; it is on disk on return. Call this once, after `step`
  /// returned false.
  ///
  /// - Throws: `AttachmentError.changed`, `.full`, `.unwritable`.
  package func finish() throws -> Attachment {
    // If someone wrote to the part that was copied, the copy may be half old, half new. If the file
    // only grew, as a log does, the copy is complete.
    let now = try? source.status()
    let isRewritten = now.map {
      $0.st_size <= opened.st_size
        && ($0.st_mtim.tv_sec, $0.st_mtim.tv_nsec)
          != (opened.st_mtim.tv_sec, opened.st_mtim.tv_nsec)
    }
    if bytes > 0, copied < bytes || isRewritten ?? true {
      throw AttachmentError.changed(path: path)
    }
    return try folder.writing { try file.attachment(named: name) }
  }
}

extension AttachmentFolder {
  /// Copies a file into the folder under the hash of its bytes; it is on disk on return.
  /// After an hour, pruning may remove it unless a message has it.
  ///
  /// ```swift
  /// let photo = try store.attachmentFolder.keep(
  ///   fileAt: "/tmp/photo.png", limit: 100_000_000)
  /// try store.writeDurably { try $0.send("look", in: lobby, by: anna, attachments: [photo]) }
  /// ```
  ///
  /// - Parameters:
  ///   - path: the path of a regular file; links are followed.
  ///   - name: its future name, made safe by `FileName.safe`; by default that of the path.
  ///   - identity: which file it has to be, from `inspect`; nil for any.
  ///   - limit: in bytes; 0 for none.
  /// - Throws: `AttachmentError`, leaving no files behind.
  public func keep(
    fileAt path: String, name: String? = nil, identity: String? = nil, limit: Int
  ) throws -> Attachment {
    let copy = try AttachmentCopy(
      path: path, name: name, identity: identity, limit: limit, into: self)
    while try copy.step() {}
    return try copy.finish()
  }
}

extension AttachmentFolder {
  /// Copies a whole file at once.
  ///
  /// - Parameter limit: in bytes.
  /// - Throws: `AttachmentError`.
  package func take(_ path: String, name: String, limit: Int) throws -> Attachment {
    let copy = try AttachmentCopy(path: path, name: name, limit: limit, into: self)
    while try copy.step() {}
    return try copy.finish()
  }
}
