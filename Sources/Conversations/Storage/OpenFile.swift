// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc

/// An open descriptor, closed when nobody holds it any more.
struct OpenFile: ~Copyable {
  let number: Int32

  init(_ number: Int32) {
    self.number = number
  }

  deinit {
    close(number)
  }
}

/// A system call that failed, for those who know what it was about.
struct SystemFailure: Error {
  let code: Int32

  /// The failure of the last call of this thread.
  init() { code = errno }

  init(code: Int32) { self.code = code }

  var reason: String { strerror(code).map { String(cString: $0) } ?? "error \(code)" }
}

extension OpenFile {
  /// Opens a name in a folder, never through a link.
  ///
  /// - Throws: `SystemFailure`.
  init(in folder: borrowing OpenFile, _ name: String, _ flags: Int32, mode: mode_t = 0) throws {
    let number = openat(folder.number, name, flags | O_NOFOLLOW | O_CLOEXEC, mode)
    if number < 0 { throw SystemFailure() }
    self.init(number)
  }

  /// Opens a folder, by a path that may lead through links.
  ///
  /// - Throws: `SystemFailure`.
  init(folder: String, following: Bool) throws {
    let number = open(
      folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC | (following ? 0 : O_NOFOLLOW))
    if number < 0 { throw SystemFailure() }
    self.init(number)
  }

  /// - Throws: `SystemFailure`.
  func facts() throws -> Glibc.stat {
    var found = Glibc.stat()
    if fstat(number, &found) != 0 { throw SystemFailure() }
    return found
  }

  /// What is known about a name in this folder, not about what a link leads to; nil if there is no
  /// such name.
  func facts(of name: String) -> Glibc.stat? {
    var found = Glibc.stat()
    return fstatat(number, name, &found, AT_SYMLINK_NOFOLLOW) == 0 ? found : nil
  }

  /// Reads the next bytes; 0 at the end.
  ///
  /// - Throws: `SystemFailure`.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    while true {
      let count = Glibc.read(number, buffer.baseAddress, buffer.count)
      if count >= 0 { return count }
      if errno != EINTR { throw SystemFailure() }
    }
  }

  /// Reads to the end.
  ///
  /// - Parameter each: is given every piece.
  /// - Returns: the SHA-256 of all that was read, in hexadecimal digits.
  /// - Throws: `SystemFailure`, and what `each` throws.
  func hashed(_ each: (UnsafeRawBufferPointer) throws -> Void = { _ in }) throws -> String {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
    defer { buffer.deallocate() }
    var hash = SHA256()
    while case let count = try read(into: buffer), count > 0 {
      let piece = UnsafeRawBufferPointer(rebasing: buffer[..<count])
      hash.update(piece)
      try each(piece)
    }
    return hash.finish()
  }

  /// - Throws: `SystemFailure`.
  func write(_ bytes: UnsafeRawBufferPointer) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let part = UnsafeRawBufferPointer(rebasing: rest)
      let count = Glibc.write(number, part.baseAddress, part.count)
      if count < 0, errno == EINTR { continue }
      if count < 0 { throw SystemFailure() }
      rest = rest.dropFirst(count)
    }
  }

  /// Returns when the disk has it.
  ///
  /// - Throws: `SystemFailure`.
  func flush() throws {
    if fsync(number) != 0 { throw SystemFailure() }
  }

  /// The names in this folder but for `.` and `..`; those that are not UTF-8 are left out.
  ///
  /// - Throws: `SystemFailure`.
  func names() throws -> [String] {
    // The stream closes the descriptor it is given, and shares its place with a mere duplicate.
    let copy = openat(number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard copy >= 0 else { throw SystemFailure() }
    guard let stream = fdopendir(copy) else {
      let failure = SystemFailure()
      close(copy)
      throw failure
    }
    defer { closedir(stream) }
    var result: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(validating: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if let name, name != ".", name != ".." { result.append(name) }
    }
    return result
  }
}
