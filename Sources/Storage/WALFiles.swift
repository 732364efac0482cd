// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc
import Platform

/// Identifies a file, whatever becomes of its name.
package struct FileIdentity: Hashable, Sendable {
  private let device: dev_t
  private let inode: ino_t

  /// Nil if there is no such file.
  package init?(_ path: String) {
    guard let found = fileStatus(path) else { return nil }
    (device, inode) = (found.st_dev, found.st_ino)
  }

  /// - Returns: nil if the folder has no file of this name.
  init?(_ name: String, in folder: borrowing OpenFile) {
    guard let found = folder.status(of: name) else { return nil }
    (device, inode) = (found.st_dev, found.st_ino)
  }

  /// Nil if the descriptor is closed.
  init?(openAs descriptor: Int32) {
    var found = Glibc.stat()
    guard fstat(descriptor, &found) == 0 else { return nil }
    (device, inode) = (found.st_dev, found.st_ino)
  }

  package var text: String { "\(device):\(inode)" }
}

/// The write-ahead log and its index that a connection has open. Together with the store's file
/// they are one store: a process with another log, or another index for it, overwrites what the
/// others stored, or the other way round (https://www.sqlite.org/howtocorrupt.html, 1.4 and 4).
package struct WALFiles: Hashable, Sendable {
  private let log: FileIdentity
  private let index: FileIdentity

  package static func log(of path: String) -> String { path + "-wal" }
  package static func index(of path: String) -> String { path + "-shm" }

  /// Nil if one is missing.
  package init?(of path: String) {
    guard let log = FileIdentity(WALFiles.log(of: path)),
      let index = FileIdentity(WALFiles.index(of: path))
    else { return nil }
    (self.log, self.index) = (log, index)
  }

  /// Whether this process has both open. If not, somebody deleted the ones that SQLite had just
  /// opened, and another process created these.
  package var areOpen: Bool {
    // SQLite does not say which descriptors are its own. Each was the lowest free descriptor, so
    // few descriptors below it are closed now, except in a program of many threads.
    var (descriptor, closed): (Int32, Int) = (0, 0)
    var missing: Set = [log, index]
    while !missing.isEmpty, closed < 4_096 {
      if let open = FileIdentity(openAs: descriptor) {
        missing.remove(open)
      } else {
        closed += 1
      }
      descriptor += 1
    }
    return missing.isEmpty
  }

  /// The name of the one that is no longer the opened file; usually nil.
  package func loss(of path: String) -> String? {
    let (log, index) = (WALFiles.log(of: path), WALFiles.index(of: path))
    if FileIdentity(log) != self.log { return log }
    return FileIdentity(index) == self.index ? nil : index
  }

  /// Whether this log's contents can no longer be copied into the store, since others may have
  /// written to a new log, or to this one through a new index.
  package func areTakenOver(at path: String) -> Bool {
    if FileIdentity(WALFiles.log(of: path)) != log { return isLogReplaced(at: path) }
    return FileIdentity(WALFiles.index(of: path)).map { $0 != index } ?? false
  }

  /// Whether another log that is not empty has the name of this one. An empty one is what a process
  /// creates that opens the store and is refused.
  package func isLogReplaced(at path: String) -> Bool {
    let name = WALFiles.log(of: path)
    return FileIdentity(name) != log && (fileStatus(name)?.st_size ?? 0) > 0
  }

  /// Its form in the lock file of a running shell.
  package var text: String { "\(log.text) \(index.text)\n" }

  /// Whether a text is the form of log files, of this store or an earlier one.
  static func isText(_ text: String) -> Bool {
    guard text.utf8.last == UInt8(ascii: "\n") else { return false }
    let files = text.dropLast().split(separator: " ", omittingEmptySubsequences: false)
    return files.count == 2
      && files.allSatisfy {
        let numbers = $0.split(separator: ":", omittingEmptySubsequences: false)
        return numbers.count == 2 && numbers.allSatisfy { UInt64($0) != nil }
      }
  }
}
