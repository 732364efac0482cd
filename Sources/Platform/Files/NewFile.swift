// SPDX-License-Identifier: GPL-3.0-or-later
import CLinux
import Glibc

/// A file that gets its name only when it is complete; it never replaces an existing file.
///
/// Until then it has no name, and disappears if the process is killed. If the file system cannot do
/// that, or a library needs a path, it has a temporary name in the same folder and is locked by its
/// writer. A file left by a killed process is no longer locked; the next process that creates a
/// file there removes it.
package struct NewFile {
  /// Its temporary path; nil for a file without a name.
  package let path: String?
  private let folder: String
  private let name: String
  private let temporary: String?
  private let lock: Lock

  private final class Lock {
    let file: OpenFile

    init(_ file: consuming OpenFile) { self.file = file }
  }

  private static let prefix = ".hobnob-"
  private static let ending = ".new"
  /// Links to the open files of this process, through which a file without a name gets one
  /// (open(2)).
  private static let descriptors = "/proc/self/fd"
  /// The suffixes of files that SQLite and a store add beside their file.
  private static let companions = ["", "-wal", "-shm", "-journal", ".bell"]

  /// - Parameters:
  ///   - folder: an existing one.
  ///   - name: its future name.
  ///   - hasPath: whether it needs a path before it is complete.
  /// - Throws: `SystemFailure`, with `EEXIST` if the name is taken.
  package init(
    _ name: String, in folder: String, mode: mode_t = 0o600, hasPath: Bool = false
  ) throws {
    let open = try OpenFile(folder: folder, following: true)
    if open.status(of: name) != nil { throw SystemFailure(code: EEXIST) }
    if name.isEmpty || name.utf8.contains(0) { throw SystemFailure(code: EINVAL) }
    NewFile.removeUnfinished(in: open)
    if !hasPath, access(Self.descriptors, X_OK) == 0 {
      let nameless = openat(open.number, ".", O_RDWR | clinux_o_tmpfile | O_CLOEXEC, mode)
      if nameless >= 0 {
        fchmod(nameless, mode)
        (self.folder, self.name, temporary, path) = (folder, name, nil, nil)
        lock = Lock(OpenFile(nameless))
        return
      }
    }
    while true {
      let temporary = Self.prefix + randomName() + Self.ending
      let file = try OpenFile(in: open, temporary, O_RDWR | O_CREAT | O_EXCL, mode: mode)
      fchmod(file.number, mode)
      flock(file.number, LOCK_EX)
      // Before it was locked, another process may have removed it as abandoned.
      guard let found = open.status(of: temporary), try found.st_ino == file.status().st_ino
      else { continue }
      (self.folder, self.name, self.temporary) = (folder, name, temporary)
      path = folder == "/" ? "/" + temporary : folder + "/" + temporary
      lock = Lock(file)
      return
    }
  }

  package func write(_ bytes: [UInt8]) throws {
    try bytes.withUnsafeBytes { try lock.file.write($0) }
  }

  /// Runs `body`, which writes the file, and gives the file its name.
  ///
  /// - Throws: what `body` throws, and `SystemFailure`; then there is no file.
  package func finished<T>(_ body: () throws -> T) throws -> T {
    let open = try OpenFile(folder: folder, following: true)
    defer { if let temporary { Self.remove(temporary, in: open) } }
    let result = try body()
    try lock.file.flush()
    guard let temporary else {
      let link = Self.descriptors + "/\(lock.file.number)"
      if linkat(AT_FDCWD, link, open.number, name, AT_SYMLINK_FOLLOW) != 0 { throw SystemFailure() }
      return result
    }
    if linkat(open.number, temporary, open.number, name, 0) == 0 { return result }
    if errno == EEXIST { throw SystemFailure() }
    // Some file systems, such as FAT, have no hard links.
    if open.status(of: name) != nil { throw SystemFailure(code: EEXIST) }
    if renameat(open.number, temporary, open.number, name) != 0 { throw SystemFailure() }
    return result
  }

  private static func remove(_ name: String, in folder: borrowing OpenFile) {
    for ending in companions { unlinkat(folder.number, name + ending, 0) }
  }

  private static func removeUnfinished(in folder: borrowing OpenFile) {
    for name in (try? folder.names()) ?? []
    where name.hasPrefix(prefix) && name.hasSuffix(ending)
      && folder.status(of: name)?.st_uid == geteuid()
    {
      guard let file = try? OpenFile(in: folder, name, O_RDONLY | O_NONBLOCK),
        (try? file.status().st_mode & S_IFMT) == S_IFREG, flock(file.number, LOCK_EX | LOCK_NB) == 0
      else { continue }
      remove(name, in: folder)
    }
  }
}
