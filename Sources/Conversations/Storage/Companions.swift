// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc
import Platform

/// Which file a name leads to, whatever becomes of the name.
struct FileIdentity: Hashable, Sendable {
  private let device: dev_t
  private let inode: ino_t

  /// nil if there is nothing of that name.
  init?(_ path: String) {
    guard let found = fileStatus(path) else { return nil }
    (device, inode) = (found.st_dev, found.st_ino)
  }
}

/// The write-ahead log and its index that a connection has open. With the store's file they are one
/// store: who has another log, or another index of the same, overwrites what the others stored, or
/// is overwritten (https://www.sqlite.org/howtocorrupt.html, 1.4 and 4).
struct Companions: Hashable, Sendable {
  var log: FileIdentity
  var index: FileIdentity

  static func log(of path: String) -> String { path + "-wal" }
  static func index(of path: String) -> String { path + "-shm" }

  /// nil if one is missing.
  init?(of path: String) {
    guard let log = FileIdentity(Companions.log(of: path)),
      let index = FileIdentity(Companions.index(of: path))
    else { return nil }
    (self.log, self.index) = (log, index)
  }

  /// What has become of one of the two.
  struct Loss {
    let file: String
    /// Nobody has put another one in its place.
    let isMissing: Bool
  }

  /// What is no longer the file that was opened; empty as a rule.
  func losses(of path: String) -> [Loss] {
    [(Companions.log(of: path), log), (Companions.index(of: path), index)].compactMap {
      let found = FileIdentity($0.0)
      return found == $0.1 ? nil : Loss(file: $0.0, isMissing: found == nil)
    }
  }
}
