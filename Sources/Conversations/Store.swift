// SPDX-License-Identifier: GPL-3.0-or-later
import CLinux
import Glibc
import Platform

/// The durable store of conversations: one SQLite file, the only truth and the bus between
/// processes. Several processes, and several stores in one process, may have the same file open.
///
/// ```swift
/// let store = try Store(path: Store.defaultPath(environment: ["HOME": "/home/anna"]))
/// let anna = try store.participant(identity: "anna")
/// let lobby = try store.room("lobby", create: true)!
/// try store.join(anna.id, lobby.id)
/// try store.send("hello", in: lobby.id, by: anna.id)
/// ```
///
/// A store belongs to one thread. Every function throws `StoreError` when the file cannot be read or
/// written, and `RuleError` where a rule forbids what was asked; then nothing was changed, and the
/// store can be used on. `send`, `edit`, `delete`, `takeBack`, `retry` and `setDraft` return after
/// the disk has it (`synchronous=FULL`); typing, presence and receipts may be lost by a power cut,
/// never by a crash.
public final class Store {
  /// How to open a store.
  public struct Options: Hashable, Sendable {
    /// Make it for the group of its folder, if it has to be made. An existing store knows by itself
    /// whether it is shared.
    public var shared = false
    /// Whether a missing file and folder are made, or refused.
    public var createIfMissing = true
    /// Milliseconds that SQLite itself waits for another process's lock.
    public var patience: Int32 = 10_000

    public init(shared: Bool = false, createIfMissing: Bool = true, patience: Int32 = 10_000) {
      self.shared = shared
      self.createIfMissing = createIfMissing
      self.patience = patience
    }
  }

  /// For those who import another module with a type of that name; so are the next two.
  public typealias Draft = Conversations.Draft
  public typealias Attachment = Conversations.Attachment
  public typealias ShellID = Conversations.ShellID

  /// The numbers drawn in the running transaction.
  struct Turn {
    var change: Int64?
    var peopleChanged = false
  }

  /// The store's file: absolute, its folder's links resolved.
  public let path: String
  /// Whether it was made for a group (`--shared`).
  public let isShared: Bool

  package let clock: () -> Milliseconds
  package let files: StoreFiles
  package let database: Database
  let bell: Bell
  var presence: ShellPresence?
  /// The accounts that this process serves.
  var leases: [Lease] = []
  private var turn: Turn?
  var knownRecipients: KnownRecipients?

  /// Opens the store, making or upgrading it if need be. The cost does not grow with the store.
  ///
  /// - Parameters:
  ///   - path: the file; beside `X.sqlite` stand `X.bell` and `X.shells`.
  ///   - clock: what time it is.
  /// - Throws: any `StoreError`.
  public init(
    path given: String, options: Options = .init(),
    clock: @escaping () -> Milliseconds = Store.wallClock
  ) throws {
    self.clock = clock
    (files, database, isShared) = try Store.opened(given, options)
    path = files.path
    patience = options.patience
    bell = Bell(files: files, isShared: isShared)
  }

  private static func opened(
    _ path: String, _ options: Options
  ) throws -> (StoreFiles, Database, isShared: Bool) {
    let files = try StoreFiles(path: path, options: options)
    let database = try Database(path: files.path, patience: options.patience)
    do {
      return (files, database, try prepare(database, files, options))
    } catch {
      database.close()
      throw error
    }
  }

  deinit {
    close()
  }

  /// - Returns: whether the store is shared.
  private static func prepare(
    _ database: Database, _ files: StoreFiles, _ options: Options
  ) throws -> Bool {
    if database.isReadOnly { throw StoreError.readOnly(path: files.path) }
    let (isOurs, found) = try Schema.state(of: database)
    if !isOurs {
      if !options.shared, let refusal = files.refusalIfPrivate { throw refusal }
      // Only before the first table: lets space be given back in small steps.
      try database.execute("PRAGMA auto_vacuum=INCREMENTAL")
    }
    try writeAhead(database, patience: options.patience)
    _ = try database.first("SELECT count(*) FROM sqlite_schema") { $0.int() }
    // SQLite has both open now, and nobody who closes the store removes them.
    guard let companions = try files.checkedCompanions() else {
      throw StoreError.parted(path: files.path, file: Companions.log(of: files.path))
    }
    database.companions = companions
    if !isOurs || found < Schema.version {
      try Schema.migrate(database, shared: options.shared)
    }
    // What is deleted is overwritten, not only unlinked.
    try database.execute("PRAGMA secure_delete=ON")
    // Some builds of SQLite trust no schema by default; the triggers that keep the search index in
    // step then fail, since FTS5 counted as unsafe before 3.41. Nothing else here can do harm: no
    // function with effects is registered, and extensions stay off.
    try database.execute("PRAGMA trusted_schema=ON")
    let isShared = try database.first("SELECT shared FROM meta") { $0.bool() } ?? false
    if !isShared {
      if let refusal = files.refusalIfPrivate { throw refusal }
      if options.shared {
        throw StoreError.cannotOpen(
          path: files.path, reason: "it was made private; name another file, or leave out --shared")
      }
      files.tighten()
    }
    return isShared
  }

  /// The write-ahead log is a fact of the file. Changing it is refused at once, without SQLite's
  /// own waiting, while several processes make the same store.
  private static func writeAhead(_ database: Database, patience: Int32) throws {
    var waited: Int32 = 0
    while true {
      do {
        let mode = try database.first("PRAGMA journal_mode=WAL") { $0.text() }
        guard mode == "wal" else {
          throw StoreError.cannotOpen(
            path: database.path, reason: "its file system cannot share memory between processes")
        }
        return
      } catch StoreError.locked where waited < patience {
        usleep(2_000)
        waited += 2
      }
    }
  }

  /// The time of day.
  public static func wallClock() -> Milliseconds { Clock.wall() }

  /// `$XDG_DATA_HOME/hobnob/store.sqlite`, or below `~/.local/share`.
  public static func defaultPath(environment: [String: String]) -> String {
    (OwnFolder.data.path(environment) ?? "") + "/store.sqlite"
  }

  /// Milliseconds for which SQLite itself waits for a lock. A shell sets 0 after opening: then a lock
  /// throws `.locked` at once, and the shell waits in its loop while keys are served (rule 1.2).
  public var patience: Int32 {
    didSet { database.patience = patience }
  }

  /// Ends presence and closes the file. What is called afterwards throws.
  public func close() {
    // Once this shell is gone, others may begin a new log.
    try? database.rescueLog()
    try? detach()
    releaseLeases()
    bell.silence()
    database.close()
  }

  /// Lets SQLite put what it needs for a while into memory: for a process that may write nowhere but
  /// beside the store.
  package func keepTemporaryFilesInMemory() throws {
    try database.execute("PRAGMA temp_store=MEMORY")
  }

  // MARK: Transactions

  /// Runs `body` as one transaction, and rings the bell if it drew a number. Inside another
  /// transaction it is part of that.
  package func write<T>(durable: Bool = false, _ body: () throws -> T) throws -> T {
    if turn != nil { return try body() }
    // What is accepted into a file that the others do not have would be lost.
    if let loss = database.loss() { throw loss }
    try database.begin(full: durable)
    let rings: Bool
    let result: T
    do {
      turn = Turn()
      defer { turn = nil }
      result = try body()
      rings = try writeCounter()
      try database.run("COMMIT")
    } catch {
      database.rollBack()
      throw error
    }
    // It may have happened just now.
    if durable, let loss = database.loss() { throw loss }
    if rings { bell.ring() }
    return result
  }

  /// Asks several things of one state of the store, which costs less than asking one by one.
  /// Nothing can be written within.
  public func read<T>(_ body: () throws -> T) throws -> T {
    if database.isInTransaction { return try body() }
    try database.run("BEGIN")
    defer { database.rollBack() }
    return try body()
  }

  /// Draws the next number; the others will notice what carries it.
  package func nextChange() throws -> Int64 {
    let next = try successor(of: turn?.change ?? position)
    turn?.change = next
    return next
  }

  /// The number after one that was read from the file, where anything may stand.
  func successor(of number: Int64) throws -> Int64 {
    let (next, isTooMuch) = number.addingReportingOverflow(1)
    if isTooMuch || next < 1 {
      throw StoreError.corrupt(path: path, detail: "a counter stands at \(number)")
    }
    return next
  }

  /// Presence, a name or a membership changed.
  package func touchPeople() throws {
    _ = try nextChange()
    turn?.peopleChanged = true
  }

  private func writeCounter() throws -> Bool {
    guard let turn, let change = turn.change else { return false }
    if turn.peopleChanged {
      try database.run("UPDATE meta SET change = ?1, people = ?1", change)
    } else {
      try database.run("UPDATE meta SET change = ?", change)
    }
    return true
  }

  // MARK: The bell

  /// Readable when another process, or this one, committed or died. Open it before reading
  /// `position`, so that nothing falls between the two.
  public var bellDescriptor: Int32 {
    get throws { try bell.descriptor() }
  }

  /// Why it rang; empties the descriptor.
  public func drainBell() -> BellNews {
    bell.drain()
  }
}
