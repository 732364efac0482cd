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

  /// The name of the one that is no longer the opened file; usually nil.
  package func loss(of path: String) -> String? {
    let (log, index) = (WALFiles.log(of: path), WALFiles.index(of: path))
    if FileIdentity(log) != self.log { return log }
    return FileIdentity(index) == self.index ? nil : index
  }

  /// Whether others may have written where this log's contents cannot be copied from it any more:
  /// into a new log, or into this one by a new index.
  package func areTakenOver(at path: String) -> Bool {
    let (log, index) = (WALFiles.log(of: path), WALFiles.index(of: path))
    if FileIdentity(log) == self.log {
      return FileIdentity(index).map { $0 != self.index } ?? false
    }
    // Another process that opens the store creates an empty one, and is refused.
    return fileStatus(log).map { $0.st_size > 0 } ?? false
  }

  /// Its form in the lock file of a running shell.
  package var text: String { "\(log.text) \(index.text)\n" }
}
