// SPDX-License-Identifier: GPL-3.0-or-later
import CLinux
import Glibc

extension Store {
  /// The running shells.
  public var shells: RunningShells { RunningShells(store: self) }
}

/// The running shells of a store: rows that the others read, and lock files that show which shells
/// have died. Network processes also have lock files.
public struct RunningShells {
  let store: Store
  private var connection: StoreConnection { store.connection }

  /// Makes this process a running shell of a participant; ends its previous presence.
  ///
  /// - Returns: its new name.
  public func attach(_ me: ID<Participant>) throws -> ShellID {
    try detach()
    let id = ShellID.random()
    var made = ShellPresence(id: id, participant: me, lock: -1)
    do {
      // Do this inside a transaction, as others do when they look for dead shells, so that nobody
      // mistakes a file that is not locked yet for that of a dead shell.
      try store.write {
        made.lock = try makeLockFile(of: id)
        try $0.insert(made)
        try $0.forgetOldNotices()
      }
    } catch {
      if made.lock >= 0 { removeLockFile(of: id, made.lock) }
      throw error
    }
    connection.presence = made
    return id
  }

  /// Ends this shell's presence and its typing, if it has any.
  public func detach() throws {
    guard let shell = connection.presence else { return }
    connection.presence = nil
    rescueLog(beforeUnlocking: shell.lock)
    do { try store.write { try $0.remove(shell.id) } } catch {
      // The closed file tells the others that this shell has ended.
      Glibc.close(shell.lock)
      throw error
    }
    removeLockFile(of: shell.id, shell.lock)
  }

  /// Tells the others which conversation this shell shows (nil for none), and whether its output is
  /// paused (rule 7.6).
  ///
  /// - Throws: `StoreError.failed` before `attach`.
  public func show(_ conversation: ID<Conversation>?, paused: Bool = false) throws {
    guard var shell = connection.presence else { throw connection.notAttached }
    if shell.conversation == conversation, shell.isPaused == paused { return }
    shell.conversation = conversation
    shell.isPaused = paused
    try store.write { try $0.insert(shell) }
    connection.presence = shell
  }

  // MARK: Lock files

  /// Creates and locks the lock file of a shell or a network process.
  package func makeLockFile(of id: ShellID) throws -> Int32 {
    try store.files.makeLock(of: id, shared: store.isShared, store.database.companions)
  }

  /// Call this before this process closes its lock file: afterwards others may begin a new log in
  /// place of a deleted one, and what is only in the old one would be lost.
  package func rescueLog(beforeUnlocking lock: Int32) {
    // If the lock file has no name any more, others may have begun a new log already.
    if !StoreFiles.hasNoName(lock) { try? store.database.rescueLog() }
  }

  /// Removes this process's lock file, and closes it.
  package func removeLockFile(of id: ShellID, _ file: Int32) {
    store.files.removeLock(of: id, own: file)
    Glibc.close(file)
  }
}
