// SPDX-License-Identifier: GPL-3.0-or-later
import CLinux
import Glibc
import Platform
@_exported import Storage

/// The durable store of conversations: one SQLite file, the only truth and the bus between
/// processes. Several processes, and several stores in one process, may have the same file open.
///
/// ```swift
/// let store = try Store(path: Store.defaultPath(environment: ["HOME": "/home/anna"]))
/// try store.writeDurably { transaction in
///   let anna = try transaction.participant(identity: "anna")
///   let lobby = try transaction.makeRoom("lobby")
///   try transaction.join(anna.id, lobby.id)
///   try transaction.send("hello", in: lobby.id, by: anna.id)
/// }
/// let rooms = try store.read { try $0.rooms() }
/// ```
///
/// Queries are extensions of ``Reading``, changes are extensions of ``Writing``; changes that a
/// person relies on need a ``DurableTransaction``.
///
/// A store belongs to one thread. Every function throws `StoreError` when the file cannot be read
/// or written, and `RuleError` when a rule forbids the change; then nothing has changed, and you
/// can go on using the store.
public final class Store {
  public typealias Options = StoreOptions

  let connection: StoreConnection

  package var files: StoreFiles { connection.files }
  package var database: Database { connection.database }
  package var clock: () -> Milliseconds { connection.clock }
  package var attachmentFolder: AttachmentFolder { connection.attachmentFolder }

  /// The absolute path of the store's file, with its folder's links resolved.
  public var path: String { connection.path }
  /// Whether it was made for a group (`--shared`).
  public var isShared: Bool { connection.isShared }

  /// Opens the store; creates or upgrades it if necessary. The cost does not grow with the store.
  ///
  /// - Parameters:
  ///   - path: the file; `X.bell` and `X.shells` are beside `X.sqlite`.
  ///   - clock: the current time.
  /// - Throws: any `StoreError`.
  public init(
    path given: String, options: Options = .init(),
    clock: @escaping () -> Milliseconds = Store.wallClock
  ) throws {
    let (files, database, isShared) = try Store.openDatabase(given, options)
    connection = StoreConnection(
      files: files, database: database, isShared: isShared, clock: clock)
    patience = options.patience
  }

  private static func openDatabase(
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
      // Only possible before the first table: allows giving space back in small steps.
      try database.execute("PRAGMA auto_vacuum=INCREMENTAL")
    }
    try writeAhead(database, patience: options.patience)
    _ = try database.first("SELECT count(*) FROM sqlite_schema") { $0.int() }
    // SQLite has both open now, and nobody who closes the store removes them.
    guard let companions = try files.checkedWALFiles() else {
      throw StoreError.logReplaced(path: files.path, file: WALFiles.log(of: files.path))
    }
    database.companions = companions
    if !isOurs || found < Schema.version {
      try Schema.migrate(database, shared: options.shared)
    }
    // SQLite overwrites deleted data instead of only unlinking it.
    try database.execute("PRAGMA secure_delete=ON")
    // Some builds of SQLite trust no schema by default; the triggers that keep the search index in
    // step then fail, since FTS5 counted as unsafe before 3.41. This is safe: no function with
    // effects is registered, and extensions stay off.
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

  /// The write-ahead log is a property of the file. While several processes create the same store,
  /// SQLite refuses the change at once, without waiting.
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

  /// Milliseconds for which SQLite itself waits for a lock. A shell sets 0 after opening: a lock
  /// then throws `.locked` at once, and the shell waits in its loop, where it still handles keys
  /// (rule 1.2).
  public var patience: Int32 {
    didSet { connection.database.patience = patience }
  }

  /// Ends presence and closes the file. Later calls throw.
  public func close() {
    // After this shell ends, others may begin a new log.
    try? connection.database.rescueLog()
    try? detach()
    connection.bell.silence()
    connection.database.close()
  }

  /// Makes SQLite keep temporary data in memory: for a process that may write only beside the
  /// store.
  package func keepTemporaryFilesInMemory() throws {
    try connection.database.execute("PRAGMA temp_store=MEMORY")
  }

  /// Gives memory back that no later work needs, where a shell may now wait for long.
  package func releaseMemory() {
    connection.database.releaseMemory()
  }

  // MARK: Transactions

  // `@_optimize(none)`: the optimizer of Swift 6.3 aborts when it specializes a caller of these for
  // their noncopyable argument.

  /// Reads one state of the store, whatever others write meanwhile. A read within a read, or within
  /// a transaction, sees the same state.
  @_optimize(none)
  public func read<T>(_ body: (borrowing Snapshot) throws -> T) throws -> T {
    let isOwn = try connection.beginReading()
    defer { if isOwn { connection.rollBack() } }
    return try body(Snapshot(connection: connection))
  }

  /// Changes the store in one transaction, and then rings the bell if others must notice. A power
  /// cut may lose the change, a crash cannot. Do not call this within another transaction.
  @discardableResult
  @_optimize(none)
  public func write<T>(_ body: (borrowing Transaction) throws -> T) throws -> T {
    try connection.begin(isDurable: false)
    do {
      let result = try body(Transaction(connection: connection))
      try connection.commit()
      return result
    } catch {
      connection.rollBack()
      throw error
    }
  }

  /// The same; it is on disk on return.
  @discardableResult
  @_optimize(none)
  public func writeDurably<T>(_ body: (borrowing DurableTransaction) throws -> T) throws -> T {
    try connection.begin(isDurable: true)
    do {
      let result = try body(DurableTransaction(connection: connection))
      try connection.commit()
      return result
    } catch {
      connection.rollBack()
      throw error
    }
  }

  /// The same; it is on disk on return only if someone would miss it after a power cut.
  @_optimize(none)
  package func write(
    durably isDurable: Bool, _ body: (borrowing DurableTransaction) throws -> Void
  ) throws {
    try connection.begin(isDurable: isDurable)
    do {
      try body(DurableTransaction(connection: connection))
      try connection.commit()
    } catch {
      connection.rollBack()
      throw error
    }
  }

  /// Changes the store if there is anything to change: otherwise it takes no lock. If others have
  /// written meanwhile, it runs `body` again.
  @discardableResult
  @_optimize(none)
  public func writeIfNeeded<T>(_ body: (borrowing Transaction) throws -> T) throws -> T {
    try connection.begin(isDurable: false, isImmediate: false)
    do {
      let result = try body(Transaction(connection: connection))
      try connection.commit()
      return result
    } catch {
      if connection.wasLate(error) { return try write(body) }
      throw error
    }
  }

  /// The same; it is on disk on return.
  @discardableResult
  @_optimize(none)
  public func writeDurablyIfNeeded<T>(_ body: (borrowing DurableTransaction) throws -> T) throws
    -> T
  {
    try connection.begin(isDurable: true, isImmediate: false)
    do {
      let result = try body(DurableTransaction(connection: connection))
      try connection.commit()
      return result
    } catch {
      if connection.wasLate(error) { return try writeDurably(body) }
      throw error
    }
  }

  // MARK: Lock files

  /// Creates and locks the lock file of a shell or a network process.
  package func makeLockFile(of id: ShellID) throws -> Int32 {
    try files.makeShells(shared: isShared)
    let file = try StoreFiles.openBeside(
      files.lockPath(of: id), shared: isShared, exclusively: true)
    flock(file, LOCK_EX | LOCK_NB)
    let text = database.companions?.text ?? ""
    _ = Glibc.write(file, text, text.utf8.count)
    return file
  }

  /// Removes such a file, and closes it if it is open.
  package func removeLockFile(of id: ShellID, _ file: Int32? = nil) {
    unlink(files.lockPath(of: id))
    if let file { Glibc.close(file) }
  }

  // MARK: The bell

  /// Readable when another process, or this one, committed or died. Open it before reading
  /// `position`, so that you miss no change between the two.
  public var bellDescriptor: Int32 {
    get throws { try connection.bell.descriptor() }
  }

  /// Why it rang; empties the descriptor.
  public func drainBell() -> BellReasons {
    connection.bell.drain()
  }
}
