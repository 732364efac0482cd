// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc

extension Store {
  /// Reads what comes slowly, from a pipe or a terminal, to its end, so that it can be imported
  /// without keeping others from writing meanwhile.
  ///
  /// - Parameter descriptor: anything that can be read.
  /// - Returns: a descriptor of a file that has no name and begins with what was read, to be closed
  ///   by the caller; nil if the given one is a file already.
  /// - Throws: `StoreError.full`, `.cannotOpen`.
  public func spooled(_ descriptor: Int32) throws -> Int32? {
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
        do {
          let count = try input.read(into: buffer)
          if count == 0 { break }
          try file.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        } catch let failure as SystemFailure where failure.code == EAGAIN {
          var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
          poll(&ready, 1, -1)
        }
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
