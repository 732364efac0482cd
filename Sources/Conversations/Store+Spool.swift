// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc

extension Store {
  /// Reads what comes slowly, from a pipe or a terminal, to its end, so that it can be imported
  /// without keeping others from writing meanwhile.
  ///
  /// - Parameters:
  ///   - descriptor: anything that can be read.
  ///   - name: what is said to be unreadable; empty for standard input.
  /// - Returns: a descriptor of a file that has no name and begins with what was read, to be closed
  ///   by the caller; nil if the given one is a file already.
  /// - Throws: `ImportFault` when it cannot be read; `StoreError.full`, `.cannotOpen` when there is no
  ///   place for it.
  public func spooled(_ descriptor: Int32, name: String = "") throws -> Int32? {
    var found = Glibc.stat()
    if fstat(descriptor, &found) == 0, found.st_mode & S_IFMT == S_IFREG { return nil }
    do {
      // Beside the store there is room for what is going to be in it.
      let folder = try OpenFile(folder: files.folder, following: true)
      let name = "import-" + randomName()
      let flags = O_RDWR | O_CREAT | O_EXCL
      let file = try OpenFile(in: folder, name, flags, mode: 0o600)
      unlinkat(folder.number, name, 0)
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
      defer { buffer.deallocate() }
      let source = dup(descriptor)
      if source < 0 { throw SystemFailure() }
      let input = OpenFile(source)
      while true {
        let count: Int
        do {
          count = try input.read(into: buffer)
        } catch let failure as SystemFailure {
          guard failure.code == EAGAIN else {
            throw ImportFault(name, 0, ("it cannot be read: %1", [failure.reason]))
          }
          var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
          poll(&ready, 1, -1)
          continue
        }
        if count == 0 { break }
        try file.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      }
      let result = dup(file.number)
      if result < 0 || lseek(result, 0, SEEK_SET) != 0 { throw SystemFailure() }
      return result
    } catch let failure as SystemFailure {
      if failure.code == ENOSPC || failure.code == EDQUOT { throw StoreError.full(path: path) }
      throw StoreError.cannotOpen(path: files.folder, reason: failure.reason)
    }
  }
}

extension Message {
  /// Whether it was brought in by an import: it did not arrive, and nobody is told of it.
  public var isImported: Bool { id.rawValue < 0 }
}
