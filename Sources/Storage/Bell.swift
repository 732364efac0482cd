// SPDX-License-Identifier: GPL-3.0-or-later
import CLinux
import Glibc
import Platform

/// Tells other processes about commits, and reports theirs.
///
/// The bell is a file: a writer writes one byte to it after COMMIT, and the others watch it with
/// inotify. (Watching the write-ahead log instead loses messages: its event can come before the
/// commit is visible.) The bell also watches the folder of lock files: when the kernel closes the
/// file of a killed shell, that is an event, so no timer is needed.
///
/// A user has few inotify instances (usually 128). When none is left, `descriptor` throws
/// `StoreError.cannotWatch`, and a shell checks the store at every key.
///
/// Only this file uses inotify; a kqueue version would have the same four members.
package final class Bell {
  private let files: StoreFiles
  private let isShared: Bool
  private var file: Int32 = -1
  private var inode: (UInt, UInt) = (0, 0)
  private var watcher: Int32 = -1
  private var bellWatch: Int32 = -1
  private var shellsWatch: Int32 = -1

  package init(files: StoreFiles, isShared: Bool) {
    self.files = files
    self.isShared = isShared
  }

  deinit {
    silence()
  }

  package func silence() {
    if file >= 0 { close(file) }
    if watcher >= 0 { close(watcher) }
    file = -1
    watcher = -1
  }

  /// Failing to ring is not an error: the change is committed, and the others check the store at
  /// every prompt.
  package func ring() {
    guard (try? renew()) != nil else { return }
    var byte: UInt8 = 0x0a
    // On a full disk even one byte may not fit; a new time stamp is also an event.
    if pwrite(file, &byte, 1, 0) != 1 { futimens(file, nil) }
  }

  /// Becomes readable when another process, or this one, has rung or ended.
  package func descriptor() throws -> Int32 {
    if watcher >= 0 { return watcher }
    try renew()
    watcher = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
    if watcher >= 0 {
      try watchBell()
      try watchShells()
      if bellWatch >= 0, shellsWatch >= 0 { return watcher }
    }
    let reason = String(cString: strerror(errno))
    // Watches have a limit as well.
    if watcher >= 0 { close(watcher) }
    watcher = -1
    throw StoreError.cannotWatch(path: files.path, reason: reason)
  }

  /// Empties the descriptor.
  package func drain() -> BellReasons {
    guard watcher >= 0 else { return [] }
    var reasons: BellReasons = []
    withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
      while true {
        let length = read(watcher, buffer.baseAddress, buffer.count)
        guard length > 0 else { return }
        reasons.formUnion(events(in: UnsafeRawBufferPointer(rebasing: buffer[..<length])))
      }
    }
    return reasons
  }

  private func events(in bytes: UnsafeRawBufferPointer) -> BellReasons {
    var reasons: BellReasons = []
    var offset = 0
    // struct inotify_event: watch, mask, cookie, the name's length, the name
    while offset + 16 <= bytes.count {
      let watch = bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self)
      let mask = bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
      let nameLength = bytes.loadUnaligned(fromByteOffset: offset + 12, as: UInt32.self)
      offset += 16 + Int(nameLength)
      if mask & UInt32(IN_Q_OVERFLOW) != 0 {
        reasons.formUnion([.changed, .processExited])
      } else if watch == bellWatch {
        reasons.insert(.changed)
        if mask & UInt32(IN_MODIFY) == 0 { try? watchBell() }
      } else if watch == shellsWatch {
        reasons.insert(.processExited)
        if mask & UInt32(IN_IGNORED) != 0 { try? watchShells() }
      }
    }
    return reasons
  }

  /// Opens the bell; recreates it if somebody deleted or replaced it.
  private func renew() throws {
    if file >= 0 {
      if let found = fileStatus(files.bell), (found.st_dev, found.st_ino) == inode { return }
      close(file)
      file = -1
    }
    file = try files.openBell(shared: isShared)
    var found = Glibc.stat()
    fstat(file, &found)
    inode = (found.st_dev, found.st_ino)
  }

  private func watchBell() throws {
    try renew()
    let former = bellWatch
    // A deleted file that is still open somewhere reports only that its link count changed.
    let mask = IN_MODIFY | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF | IN_DONT_FOLLOW
    bellWatch = inotify_add_watch(watcher, files.bell, UInt32(mask))
    if former >= 0, former != bellWatch { inotify_rm_watch(watcher, former) }
  }

  private func watchShells() throws {
    try files.makeShells(shared: isShared)
    let mask = IN_CLOSE_WRITE | IN_DELETE | IN_DONT_FOLLOW | IN_ONLYDIR
    shellsWatch = inotify_add_watch(watcher, files.shells, UInt32(mask))
  }
}

/// Why the bell rang.
public struct BellReasons: OptionSet, Hashable, Sendable {
  public var rawValue: UInt8

  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// Something was committed: read what has changed.
  public static let changed = BellReasons(rawValue: 1)
  /// A shell may have ended: call `RunningShells.reapStale()`.
  public static let processExited = BellReasons(rawValue: 2)
}
