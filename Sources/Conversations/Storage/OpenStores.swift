// SPDX-License-Identifier: GPL-3.0-or-later
import CLinux
import Glibc
import Platform
import Synchronization

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

/// The stores that this process has open, and a look at those of others before one is opened.
///
/// That look is SQLite's locks: each connection to a store holds one on the store's file, and one on
/// the index. A process loses all its locks on a file when it closes any descriptor of it, so it
/// never looks at one that it has open itself; of those it knows.
enum OpenStores {
  private struct Entry {
    let identity: FileIdentity
    /// The write-ahead log that was there before this process opened the store.
    let log: FileIdentity?
    var count = 0
    var companions: Companions?
  }

  /// One or two: a dictionary would cost more to set up, at every start.
  private static let known = Mutex<[Entry]>([])

  /// Opens a store unless others have it open with other files than those that are there now.
  ///
  /// - Parameter open: makes the store's file if need be, and opens it.
  /// - Returns: what `open` gives, and by what the others of these functions know it.
  static func open(
    _ files: () throws -> StoreFiles, _ open: (StoreFiles) throws -> Database
  ) throws -> (StoreFiles, Database, FileIdentity) {
    try known.withLock { known in
      let files = try files()
      guard let identity = FileIdentity(files.path) else {
        throw StoreError.moved(path: files.path)
      }
      let index = known.firstIndex { $0.identity == identity }
      let log = FileIdentity(Companions.log(of: files.path))
      if let index {
        if let loss = known[index].companions?.losses(of: files.path).first {
          throw StoreError.parted(path: files.path, file: loss.file)
        }
      } else {
        let file = FileIdentity(Companions.index(of: files.path))
        guard file == nil || !known.contains(where: { $0.companions?.index == file })
        else { throw StoreError.moved(path: files.path) }
        try files.checkCompany()
      }
      let database = try open(files)
      if let index {
        known[index].count += 1
      } else {
        known.append(Entry(identity: identity, log: log, count: 1))
      }
      return (files, database, identity)
    }
  }

  /// To be called when SQLite has opened all its files.
  ///
  /// - Returns: those that belong to it; nil if the log is gone or is not the one that was there
  ///   before, as when somebody has removed it after the look before. Then `stepBack`, and open
  ///   the store again.
  static func joined(_ files: StoreFiles, _ identity: FileIdentity) -> Companions? {
    guard let companions = Companions(of: files.path) else { return nil }
    return known.withLock { known in
      guard let index = known.firstIndex(where: { $0.identity == identity }) else { return nil }
      // The first one of this process sees to it for all.
      if known[index].count == 1, let log = known[index].log, log != companions.log { return nil }
      known[index].companions = companions
      return companions
    }
  }

  /// Closes a store and leaves nothing that hides from others what they have stored.
  static func stepBack(_ files: StoreFiles, _ database: Database, _ identity: FileIdentity) {
    close(database, identity) { files.removeUnused() }
  }

  /// - Parameter last: is called if this process has the store open no more.
  static func close(
    _ database: Database, _ identity: FileIdentity, last: () -> Void = {}
  ) {
    known.withLock { known in
      database.close()
      guard let index = known.firstIndex(where: { $0.identity == identity }) else { return }
      known[index].count -= 1
      guard known[index].count == 0 else { return }
      known.remove(at: index)
      last()
    }
  }
}

extension StoreFiles {
  /// How long something may look wrong that is right a moment later, in milliseconds: others open
  /// and close the store, one file after the other.
  private static let settling: Int64 = 2_000

  /// Sees to it that whoever has the store open has the three files that are there now.
  ///
  /// - Throws: `StoreError.parted`, `.moved`.
  func checkCompany() throws {
    var former: (holder: pid_t, since: Int64)?
    while let (holder, refusal) = strangeCompany() {
      let now = Clock.steady()
      if former?.holder != holder { former = (holder, now) }
      if let former, now - former.since >= StoreFiles.settling { throw refusal }
      usleep(2_000)
    }
  }

  /// Removes an empty log that nobody uses, and its index, beside a store that others have open: so
  /// they see to what they have stored. Not while this process has the store open.
  fileprivate func removeUnused() {
    let (log, index) = (Companions.log(of: path), Companions.index(of: path))
    guard fileStatus(log)?.st_size == 0,
      look(at: index, from: Lock.index.start, count: Lock.index.count) == nil,
      look(at: path, from: Lock.shared.start, count: Lock.shared.count)?.isExclusive == false
    else { return }
    unlink(log)
    unlink(index)
  }

  /// Who has other files open, as it looks now.
  private func strangeCompany() -> (holder: pid_t, StoreError)? {
    let store = look(at: path, from: Lock.shared.start, count: Lock.shared.count)
    let (log, index) = (Companions.log(of: path), Companions.index(of: path))
    let indexUser = look(at: index, from: Lock.index.start, count: Lock.index.count)
    guard let store else { return indexUser.map { ($0.process, .moved(path: path)) } }
    // One who closes it as the last, or makes it, keeps all others out.
    guard !store.isExclusive, isWriteAhead else { return nil }
    if fileStatus(log) == nil { return (store.process, .parted(path: path, file: log)) }
    if indexUser == nil { return (store.process, .parted(path: path, file: index)) }
    // Others may have made a new log and index just now, without the one who has the former ones.
    return holderOfAnotherIndex.map { ($0, .parted(path: path, file: index)) }
  }

  /// Who has the store open, but not the index that is there.
  private var holderOfAnotherIndex: pid_t? {
    guard let store = fileStatus(path), let index = fileStatus(Companions.index(of: path)) else {
      return nil
    }
    let locks = FileLocks()
    return locks.holders(of: store, at: Int64(Lock.shared.start))
      .subtracting(locks.holders(of: index, at: Int64(Lock.index.start))).min()
  }

  /// Whether somebody has the index open, of a store whose file is not there.
  var isIndexInUse: Bool {
    look(at: Companions.index(of: path), from: Lock.index.start, count: Lock.index.count) != nil
  }

  /// The bytes that SQLite locks: SHARED_FIRST and SHARED_SIZE of the store's file (os.h), and the
  /// "dead man's switch" of the index (os_unix.c).
  private enum Lock {
    static let shared = (start: off_t(0x4000_0002), count: off_t(510))
    static let index = (start: off_t(128), count: off_t(1))
  }

  private func look(
    at name: String, from start: off_t, count: off_t
  ) -> (process: pid_t, isExclusive: Bool)? {
    let file = Glibc.open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { Glibc.close(file) }
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    (lock.l_start, lock.l_len) = (start, count)
    guard fcntl(file, F_GETLK, &lock) == 0, lock.l_type != Int16(F_UNLCK) else { return nil }
    return (lock.l_pid, lock.l_type == Int16(F_WRLCK))
  }

  /// Whether the file says that it has a write-ahead log (file format, 1.3.3): not while it is made.
  private var isWriteAhead: Bool {
    let file = Glibc.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard file >= 0 else { return false }
    defer { Glibc.close(file) }
    var versions: (UInt8, UInt8) = (0, 0)
    return pread(file, &versions, 2, 18) == 2 && versions == (2, 2)
  }
}
