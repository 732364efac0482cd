// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc
import Platform

/// Who holds locks on files, as `/proc/locks` tells (proc(5)): all of them, where `F_GETLK` names
/// one. Those in other PID namespaces are not in it.
struct LockHolders {
  /// Number, kind, `ADVISORY`, `READ` or `WRITE`, process, `major:minor:inode`, first and last byte.
  private let locks: [[Substring]]

  init() {
    let file = open("/proc/locks", O_RDONLY | O_CLOEXEC)
    defer { if file >= 0 { close(file) } }
    let text = file < 0 ? [] : (try? readAll(file)) ?? []
    // Those that wait for one have an arrow more.
    locks = String(decoding: text, as: UTF8.self).split(separator: "\n")
      .map { $0.split(separator: " ") }.filter { $0.count == 8 && $0[1] == "POSIX" }
  }

  /// The processes that hold a lock for reading that begins at that byte.
  func readers(of file: FileIdentity?, from start: off_t) -> [pid_t] {
    guard let name = file?.nameInLocks else { return [] }
    return locks.compactMap {
      $0[3] == "READ" && $0[5] == name && $0[6] == String(start) ? pid_t($0[4]) : nil
    }
  }
}
