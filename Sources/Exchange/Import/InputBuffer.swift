// SPDX-License-Identifier: GPL-3.0-or-later
import CLinux
import Conversations
import Glibc
import Platform

/// Keeps output for a slow reader, or the input from a slow writer, in a file without a name.
package final class InputBuffer {
  private let write: ([UInt8]) throws -> Bool
  private let file: OpenFile
  /// The lengths of the waiting pieces.
  private var pieces: [Int] = []
  private var keeps: Bool

  init(in folder: String, write: @escaping ([UInt8]) throws -> Bool) {
    self.write = write
    file = (try? OpenFile(namelessIn: folder)) ?? OpenFile(-1)
    keeps = file.number >= 0
  }

  /// Adds a piece. If there is no room for it, writes it at once, after the waiting ones.
  func add(_ piece: [UInt8]) throws -> Bool {
    guard keeps else { return try write(piece) }
    guard hasRoom else { return try release() && write(piece) }
    do {
      try piece.withUnsafeBytes { try file.write($0) }
      pieces.append(piece.count)
      return true
    } catch is SystemFailure {
      return try release() && write(piece)
    }
  }

  /// Whether there is room for more pieces: they must not fill the disk that stores other people's
  /// lines.
  private var hasRoom: Bool {
    var disk = statvfs()
    guard fstatvfs(file.number, &disk) == 0 else { return true }
    let (size, free) = (UInt64(disk.f_frsize), UInt64(disk.f_bavail))
    return free * size > min(64 << 20, UInt64(disk.f_blocks) * size / 20)
  }

  /// Writes all waiting pieces, and from then on each piece at once.
  ///
  /// - Returns: whether the reader wants more.
  func release() throws -> Bool {
    keeps = false
    var offset = 0
    for count in pieces {
      var piece = [UInt8](repeating: 0, count: count)
      var length = 0
      while length < count {
        let more = piece.withUnsafeMutableBytes {
          pread(file.number, $0.baseAddress.map { $0 + length }, count - length, offset + length)
        }
        if more < 0, errno == EINTR { continue }
        if more <= 0 { throw SystemFailure(code: more == 0 ? EIO : errno) }
        length += more
      }
      if try !write(piece) { return false }
      offset += count
    }
    pieces = []
    ftruncate(file.number, 0)
    return true
  }

  // MARK: Input

  /// Reads a pipe or a terminal to its end first, so that a slow import does not keep others from
  /// writing.
  ///
  /// - Parameters:
  ///   - descriptor: any readable descriptor.
  ///   - name: the source's name in errors; empty for standard input.
  /// - Returns: the descriptor of a file without a name that has the same content, which the caller
  ///   must close; nil if the given descriptor is already a file.
  /// - Throws: `ImportFault` if it is unreadable; `StoreError.full`, `.cannotOpen` if there is no
  ///   room for it.
  package static func copy(
    of descriptor: Int32, name: String = "", beside store: Store
  ) throws -> Int32? {
    var found = Glibc.stat()
    if fstat(descriptor, &found) == 0, found.st_mode & S_IFMT == S_IFREG { return nil }
    do {
      // The store's disk has room for the file's future contents.
      let file = try OpenFile(namelessIn: store.files.folder)
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
      if failure.code == ENOSPC || failure.code == EDQUOT {
        throw StoreError.full(path: store.path)
      }
      throw StoreError.cannotOpen(path: store.files.folder, reason: failure.reason)
    }
  }
}
