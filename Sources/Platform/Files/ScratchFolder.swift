// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc

/// A folder, only for this user, that exists as long as this process needs it. If a process is
/// killed before it removes its folder, the next one that makes such a folder there removes it.
package final class ScratchFolder {
  package let path: String
  /// The open folder. Its lock says that somebody uses it.
  private let folder: OpenFile

  /// - Parameters:
  ///   - prefix: how the names of such folders begin.
  ///   - parents: where it may be; the first one that is writable.
  /// - Throws: `SystemFailure`.
  package init(_ prefix: String, in parents: [String]) throws {
    var failure = SystemFailure(code: ENOENT)
    for parent in parents {
      Self.removeAbandoned(prefix, in: parent)
      while true {
        var name = Array("\(parent)/\(prefix)XXXXXX".utf8CString)
        guard mkdtemp(&name) != nil else {
          failure = SystemFailure()
          break
        }
        let path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        // Before it was locked, another process may have removed it as abandoned.
        guard let folder = try? OpenFile(folder: path, following: false),
          flock(folder.number, LOCK_EX) == 0, let found = fileStatus(path),
          try found.st_ino == folder.status().st_ino
        else { continue }
        self.path = path
        self.folder = folder
        return
      }
    }
    throw failure
  }

  /// Removes the folder with everything in it.
  package func remove() {
    Self.empty(folder)
    rmdir(path)
  }

  private static func empty(_ folder: borrowing OpenFile) {
    for name in (try? folder.names()) ?? [] where unlinkat(folder.number, name, 0) != 0 {
      remove(name, in: folder)
    }
  }

  private static func remove(_ name: String, in parent: borrowing OpenFile, ifFree: Bool = false) {
    guard let folder = try? OpenFile(in: parent, name, O_RDONLY | O_DIRECTORY),
      !ifFree || flock(folder.number, LOCK_EX | LOCK_NB) == 0
    else { return }
    empty(folder)
    unlinkat(parent.number, name, AT_REMOVEDIR)
  }

  private static func removeAbandoned(_ prefix: String, in parent: String) {
    guard let parent = try? OpenFile(folder: parent, following: true) else { return }
    for name in (try? parent.names()) ?? []
    where name.hasPrefix(prefix) && parent.status(of: name)?.st_uid == geteuid() {
      remove(name, in: parent, ifFree: true)
    }
  }
}
