// SPDX-License-Identifier: GPL-3.0-or-later
import CLinux
import Glibc
import Platform

/// The lock files of the running shells and network processes, by which others see whether one has
/// died.
extension StoreFiles {
  /// A file in the folder of lock files.
  struct Lock {
    let shell: ShellID
    /// Whether its shell runs.
    let isHeld: Bool
    /// The log files that its shell has open; empty if it has not written them yet.
    let text: String

    /// Whether it is a lock file that nobody needs any more, and not somebody else's file.
    var isAbandoned: Bool { !isHeld && WALFiles.isText(text) }
  }

  /// Opens the folder anew for each step, and never through a link: whoever may write beside a shared
  /// store could lead the next step into another folder.
  private func openShells() throws -> OpenFile { try OpenFile(folder: shells, following: false) }

  /// - Returns: nil if the shell has no file. A row of a hostile file must not lead out of the folder.
  private func lock(of shell: ShellID, in folder: borrowing OpenFile) throws -> Lock? {
    guard shell.isFileName else { return nil }
    do {
      // For reading only: closing it then causes no event in the folder.
      let file = try OpenFile(in: folder, shell.rawValue, O_RDONLY | O_NONBLOCK)
      let isHeld = flock(file.number, LOCK_EX | LOCK_NB) != 0
      var bytes = [UInt8](repeating: 0, count: 200)
      let count = max(0, Glibc.read(file.number, &bytes, bytes.count))
      return Lock(
        shell: shell, isHeld: isHeld, text: String(decoding: bytes.prefix(count), as: UTF8.self))
    } catch let failure as SystemFailure where [ENOENT, ELOOP].contains(failure.code) {
      return nil
    }
  }

  func locks() -> [Lock] {
    guard let folder = try? openShells() else { return [] }
    return ((try? folder.names()) ?? []).compactMap {
      try? lock(of: ShellID(rawValue: $0), in: folder)
    }
  }

  /// The shells that ended without removing their files.
  package func abandonedLocks() -> [ShellID] { locks().filter(\.isAbandoned).map(\.shell) }

  /// Whether a shell or network process runs. True if that cannot be known.
  package func isLocked(_ shell: ShellID) -> Bool {
    do {
      return try lock(of: shell, in: openShells())?.isHeld ?? false
    } catch {
      return (error as? SystemFailure)?.code != ENOENT
    }
  }

  /// Creates and locks the lock file of this process.
  ///
  /// - Parameter files: the log files that it has open.
  /// - Returns: the file, open for writing.
  package func makeLock(of shell: ShellID, shared: Bool, _ files: WALFiles?) throws -> Int32 {
    let folder = try makeShells(shared: shared)
    let file = try refusing(shells + "/" + shell.rawValue) {
      try StoreFiles.opened(shell.rawValue, in: folder, shared: shared, exclusively: true)
    }
    flock(file.number, LOCK_EX | LOCK_NB)
    let text = files?.text ?? ""
    _ = Glibc.write(file.number, text, text.utf8.count)
    return file.released()
  }

  /// Removes a lock file: that of a shell that does not run, or this process's own. Leaves any other
  /// file alone.
  ///
  /// - Parameter own: this process's, which it has open.
  package func removeLock(of shell: ShellID, own: Int32? = nil) {
    guard let folder = try? openShells(), let lock = try? lock(of: shell, in: folder) else {
      return
    }
    let isOwn = own.map { FileIdentity(openAs: $0) == FileIdentity(shell.rawValue, in: folder) }
    if isOwn ?? lock.isAbandoned { unlinkat(folder.number, shell.rawValue, 0) }
  }

  /// Whether somebody removed an open lock file.
  package static func hasNoName(_ lock: Int32) -> Bool {
    var found = Glibc.stat()
    return fstat(lock, &found) == 0 && found.st_nlink == 0
  }

  /// Opens the folder of the lock files; creates it if it is missing.
  @discardableResult
  package func makeShells(shared: Bool) throws -> OpenFile {
    let (parent, name) = StoreFiles.split(shells)
    return try refusing(shells) {
      try OpenFile.folder(
        making: name, in: OpenFile(folder: parent, following: false),
        mode: StoreFiles.folderMode(shared: shared))
    }
  }
}
