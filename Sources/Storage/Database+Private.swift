// SPDX-License-Identifier: GPL-3.0-or-later
import CSQLite
import Glibc
import Platform

extension Database {
  /// Opens a file that only one process of one user reads and writes, at most one process at a time;
  /// creates it with the mode 0600 if it is missing. Each transaction is on the disk when it returns.
  ///
  /// - Parameter folder: the user's own; nobody else may change it.
  package convenience init(privateFile name: String, in folder: String) throws {
    let directory = try OpenFile(folder: folder, following: true)
    let file = try OpenFile(in: directory, name, O_RDWR | O_CREAT, mode: 0o600)
    if fchmod(file.number, 0o600) != 0 { throw SystemFailure() }
    try self.init(
      at: folder + "/" + name, patience: 5_000, access: SQLITE_OPEN_READWRITE,
      setUp: { _ in SQLITE_OK })
    try execute("PRAGMA journal_mode=WAL; PRAGMA locking_mode=EXCLUSIVE; PRAGMA synchronous=FULL")
  }
}
