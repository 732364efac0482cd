// SPDX-License-Identifier: GPL-3.0-or-later
import CLinux
import Glibc

/// An open descriptor, closed when its owner releases it.
package struct OpenFile: ~Copyable {
  package let number: Int32

  package init(_ number: Int32) {
    self.number = number
  }

  deinit {
    close(number)
  }

  /// Hands the descriptor to the caller, who must close it.
  package consuming func released() -> Int32 {
    let number = number
    discard self
    return number
  }
}

extension OpenFile {
  /// Opens a name in a folder, never through a link.
  package init(in folder: borrowing OpenFile, _ name: String, _ flags: Int32, mode: mode_t = 0)
    throws
  {
    let number = openat(folder.number, name, flags | O_NOFOLLOW | O_CLOEXEC, mode)
    if number < 0 { throw SystemFailure() }
    self.init(number)
  }

  /// Opens a folder, by a path that may lead through links.
  package init(folder: String, following: Bool) throws {
    let number = open(
      folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC | (following ? 0 : O_NOFOLLOW))
    if number < 0 { throw SystemFailure() }
    self.init(number)
  }

  /// Opens a folder in a folder, never through a link; creates it if it is missing, and then its
  /// name is on disk on return.
  package static func folder(making name: String, in folder: borrowing OpenFile, mode: mode_t)
    throws -> OpenFile
  {
    let isNew = mkdirat(folder.number, name, 0o700) == 0
    if !isNew, errno != EEXIST { throw SystemFailure() }
    // mkdir obeys the umask, which may remove even the owner's rights.
    if isNew, faccessat(folder.number, name, R_OK | X_OK, 0) != 0 {
      fchmodat(folder.number, name, mode, AT_SYMLINK_NOFOLLOW)
    }
    let made = try OpenFile(in: folder, name, O_RDONLY | O_DIRECTORY)
    if isNew {
      fchmod(made.number, mode)
      try folder.flush()
    }
    return made
  }

  package func status() throws -> Glibc.stat {
    var found = Glibc.stat()
    if fstat(number, &found) != 0 { throw SystemFailure() }
    return found
  }

  /// The status of a name in this folder, or of the link if it is one; nil if there is no such
  /// name.
  package func status(of name: String) -> Glibc.stat? {
    var found = Glibc.stat()
    return fstatat(number, name, &found, AT_SYMLINK_NOFOLLOW) == 0 ? found : nil
  }

  /// Reads the next bytes; 0 at the end.
  package func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    while true {
      let count = Glibc.read(number, buffer.baseAddress, buffer.count)
      if count >= 0 { return count }
      if errno != EINTR { throw SystemFailure() }
    }
  }

  package func write(_ bytes: UnsafeRawBufferPointer) throws {
    try writeAll(number, bytes)
  }

  /// Flushes it to disk.
  package func flush() throws {
    if fsync(number) != 0 { throw SystemFailure() }
  }

  /// The names in this folder except `.`, `..` and those that are not UTF-8.
  package func names() throws -> [String] {
    // Open the folder anew: the stream closes its descriptor, and would share its position with a
    // duplicate.
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

extension OpenFile {
  /// Creates a file that disappears when it is closed, however the process ends.
  package init(namelessIn path: String) throws {
    let folder = try OpenFile(folder: path, following: true)
    let nameless = openat(folder.number, ".", O_RDWR | clinux_o_tmpfile | O_CLOEXEC, 0o600)
    if nameless >= 0 {
      self.init(nameless)
      return
    }
    // Not every file system has files without names.
    let name = ".hobnob-" + randomName()
    let number = openat(
      folder.number, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    if number < 0 { throw SystemFailure() }
    unlinkat(folder.number, name, 0)
    self.init(number)
  }
}

/// A name that nobody could have taken before.
package func randomName() -> String {
  var random = SystemRandomNumberGenerator()
  return String(random.next(), radix: 36)
}

/// Creates a folder, and those above it, for this user only.
///
/// - Returns: whether it exists now; if not, the reason is in `errno`.
package func makeFolder(_ path: String) -> Bool {
  if mkdir(path, 0o700) == 0 || errno == EEXIST { return true }
  guard errno == ENOENT, let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")),
    slash != path.startIndex, makeFolder(String(path[..<slash]))
  else { return false }
  return mkdir(path, 0o700) == 0 || errno == EEXIST
}

/// The path without links; nil, with the reason in `errno`, if it cannot be followed.
package func realPath(_ path: String) -> String? {
  realpath(path, nil).map { found in
    defer { free(found) }
    return String(cString: found)
  }
}

/// The status of a name, or of the link if it is one.
package func fileStatus(_ path: String) -> Glibc.stat? {
  var result = Glibc.stat()
  return lstat(path, &result) == 0 ? result : nil
}
