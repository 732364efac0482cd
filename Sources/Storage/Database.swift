// SPDX-License-Identifier: GPL-3.0-or-later
import CLinux
import CSQLite
import Glibc

/// The queries of a database, without a way to change it; a snapshot gives no more than this.
package protocol Queries: AnyObject {
  func rows<T>(_ sql: String, _ values: any Bindable..., read: (Row) throws -> T) throws -> [T]
  func first<T>(_ sql: String, _ values: any Bindable..., read: (Row) throws -> T) throws -> T?
  /// Calls `each` row by row, as long as it returns true.
  func each(_ sql: String, _ values: any Bindable..., each: (Row) throws -> Bool) throws
  func exists(_ sql: String, _ values: any Bindable...) throws -> Bool
}

/// One connection to one SQLite file, with its prepared statements. It belongs to one thread.
package final class Database: Queries {
  package let path: String
  private var handle: OpaquePointer?
  private var statements: [String: Statement] = [:]
  private var isFull: Bool?
  /// The first damage of the file that this connection met, also if its caller went on without the
  /// rows: then only this tells that they are missing.
  package private(set) var damage: StoreError?
  /// False during a read transaction: a query that changes something, such as one with RETURNING,
  /// then fails.
  package var allowsChanges = true

  /// Opens an existing file, never one behind a link.
  ///
  /// - Parameters:
  ///   - patience: milliseconds that SQLite waits for another process's lock.
  ///   - access: SQLite's open flags; even closing a file opened for reading does not change it.
  ///   - setUp: adds functions to the connection; returns an error code of SQLite.
  package init(
    at path: String, patience: Int32, access: Int32, setUp: (OpaquePointer) -> Int32
  ) throws {
    (self.path, self.patience) = (path, patience)
    var handle: OpaquePointer?
    csqlite_count_no_memory()
    let flags = access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW
    let code = sqlite3_open_v2(path, &handle, flags, nil)
    self.handle = handle
    guard code == SQLITE_OK, let handle else {
      let failure = error()
      close()
      throw failure
    }
    sqlite3_extended_result_codes(handle, 1)
    sqlite3_busy_timeout(handle, patience)
    // Even a hostile file must not do more harm than mislead.
    csqlite_defend(handle)
    guard setUp(handle) == SQLITE_OK else {
      let failure = error()
      close()
      throw failure
    }
  }

  deinit {
    close()
  }

  package func close() {
    for statement in statements.values { sqlite3_finalize(statement.handle) }
    statements = [:]
    // The last connection to close copies the old log into the file, which would overwrite others'
    // changes, and deletes the new log.
    if companions?.areTakenOver(at: path) == true { leaveLog() }
    sqlite3_close(handle)
    handle = nil
  }

  package var patience: Int32 {
    didSet { if let handle { sqlite3_busy_timeout(handle, patience) } }
  }

  package var isReadOnly: Bool { handle.map { sqlite3_db_readonly($0, "main") == 1 } ?? true }

  package var isInTransaction: Bool { handle.map { sqlite3_get_autocommit($0) == 0 } ?? false }

  package var isWriting: Bool {
    handle.map { sqlite3_txn_state($0, "main") == SQLITE_TXN_WRITE } ?? false
  }

  /// For SQLite functions that need a connection.
  package var connection: OpaquePointer? { handle }

  /// The log files that it has open; nil before it has any.
  package var companions: WALFiles?

  /// The error to throw if one of its files is no longer the one that was opened; usually nil.
  package func loss() -> StoreError? {
    if hasMoved { return .moved(path: path) }
    return companions?.loss(of: path).map { .logReplaced(path: path, file: $0) }
  }

  /// Copies a deleted log, or one whose index was deleted, into the store's file; waits up to 30
  /// seconds for others who read or write. Call it only while a lock file keeps others from
  /// beginning a new log.
  package func rescueLog() throws {
    guard let handle, let companions, companions.loss(of: path) != nil,
      !companions.isLogReplaced(at: path)
    else { return }
    sqlite3_busy_timeout(handle, 5_000)
    defer { sqlite3_busy_timeout(handle, patience) }
    // With a part of the log, the file would be damaged.
    for _ in 1...6 {
      let isPart = try first("PRAGMA wal_checkpoint(FULL)") { $0.bool("busy") }
      if isPart != true { return }
    }
  }

  /// Lets ``close()`` leave the log as it is: it is not this process's.
  package func leaveLog() {
    if let handle { csqlite_leave_log(handle) }
  }

  /// Whether the file at `path` is no longer the one that was opened.
  private var hasMoved: Bool {
    guard let handle else { return false }
    var answer: Int32 = 0
    sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &answer)
    return answer != 0
  }

  /// The statements that were run, for a test of their query plans.
  package var known: [String] { Array(statements.keys) }

  /// How many rows the last statement changed.
  package var changedRows: Int { Int(sqlite3_changes64(handle)) }

  /// Gives memory back to the system. Cached pages are usually read again from memory that all
  /// processes share, and only a start needs most of the statements. To prepare those of an arriving
  /// message again takes 1 or 2 ms.
  package func releaseMemory() {
    for (sql, statement) in statements where sqlite3_stmt_busy(statement.handle) == 0 {
      sqlite3_finalize(statement.handle)
      statements[sql] = nil
    }
    sqlite3_db_release_memory(handle)
    malloc_trim(0)
  }

  /// Runs statements that are not worth keeping, in order.
  package func execute(_ sql: String) throws {
    guard let handle else { throw closed }
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw error() }
  }

  package func run(_ sql: String, _ values: any Bindable...) throws {
    try step(sql, values) { _ in false }
  }

  package func run(_ sql: String, all values: [any Bindable]) throws {
    try step(sql, values) { _ in false }
  }

  package func rows<T>(_ sql: String, _ values: any Bindable..., read: (Row) throws -> T) throws
    -> [T]
  {
    var result: [T] = []
    try step(sql, values) { row in
      result.append(try read(row))
      return true
    }
    return result
  }

  package func first<T>(_ sql: String, _ values: any Bindable..., read: (Row) throws -> T) throws
    -> T?
  {
    var result: T?
    try step(sql, values) { row in
      result = try read(row)
      return false
    }
    return result
  }

  package func each(_ sql: String, _ values: any Bindable..., each: (Row) throws -> Bool) throws {
    try step(sql, values, each)
  }

  package func exists(_ sql: String, _ values: any Bindable...) throws -> Bool {
    var found = false
    try step(sql, values) { _ in
      found = true
      return false
    }
    return found
  }

  /// - Parameters:
  ///   - full: whether the commit waits for the disk (`synchronous=FULL`).
  ///   - immediate: whether to lock out other writers now, or only at the first change.
  package func begin(full: Bool, immediate: Bool) throws {
    if isFull != full {
      try execute(full ? "PRAGMA synchronous=FULL" : "PRAGMA synchronous=NORMAL")
      isFull = full
    }
    try run(immediate ? "BEGIN IMMEDIATE" : "BEGIN")
  }

  package func rollBack() {
    // After some errors, SQLite has already rolled back.
    if isInTransaction { try? run("ROLLBACK") }
  }

  /// Runs a body within the running transaction. A thrown error undoes only what the body changed,
  /// and the transaction goes on.
  ///
  /// - Throws: what `body` throws; `StoreError`.
  package func savepoint<T>(_ body: () throws -> T) throws -> T {
    try run("SAVEPOINT change")
    do {
      let result = try body()
      try run("RELEASE change")
      return result
    } catch {
      // After some errors, SQLite has already rolled back the whole transaction.
      if isInTransaction {
        try run("ROLLBACK TO change")
        try run("RELEASE change")
      }
      throw error
    }
  }

  private func step(_ sql: String, _ values: [any Bindable], _ each: (Row) throws -> Bool) throws {
    let statement = try prepared(sql)
    guard allowsChanges || sqlite3_stmt_readonly(statement.handle) != 0 else {
      throw StoreError.failed(path: path, detail: "a query must not change the store: " + sql)
    }
    defer {
      sqlite3_reset(statement.handle)
      sqlite3_clear_bindings(statement.handle)
    }
    for (index, value) in values.enumerated() {
      let code = value.bind(to: statement.handle, at: Int32(index + 1))
      guard code == SQLITE_OK else { throw error(code) }
    }
    while true {
      switch sqlite3_step(statement.handle) {
      case SQLITE_ROW:
        if try !each(Row(statement)) { return }
      case SQLITE_DONE:
        return
      default:
        throw error()
      }
    }
  }

  private func prepared(_ sql: String) throws -> Statement {
    if let statement = statements[sql] { return statement }
    guard let handle else { throw closed }
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v3(
      handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
    guard code == SQLITE_OK, let statement else { throw error() }
    let prepared = Statement(statement, self)
    statements[sql] = prepared
    return prepared
  }

  private var closed: StoreError {
    .failed(path: path, detail: "it is closed")
  }

  /// SQLite's last error as a `StoreError`.
  package func error(_ code: Int32? = nil) -> StoreError {
    let extended = code ?? sqlite3_extended_errcode(handle)
    let cause = sqlite3_system_errno(handle)
    let detail = String(cString: sqlite3_errmsg(handle))
    // SQLite's own message would be misleading in this case.
    if extended & 0xff != SQLITE_BUSY, let loss = loss() { return loss }
    let error = Database.error(extended, cause: cause, detail: detail, path: path)
    if case .corrupt = error, damage == nil { damage = error }
    return error
  }

  /// - Parameters:
  ///   - extended: an extended result code of SQLite (https://www.sqlite.org/rescode.html).
  ///   - cause: the `errno` that caused it, or 0.
  package static func error(_ extended: Int32, cause: Int32, detail: String, path: String)
    -> StoreError
  {
    switch extended & 0xff {
    case SQLITE_BUSY, SQLITE_LOCKED:
      return .locked(path: path)
    case SQLITE_FULL:
      return .full(path: path)
    case SQLITE_IOERR where cause == ENOSPC || cause == EDQUOT:
      return .full(path: path)
    case SQLITE_READONLY,
      SQLITE_IOERR where cause == EROFS:
      return .readOnly(path: path)
    case SQLITE_READONLY:
      return .readOnly(path: path)
    case SQLITE_CORRUPT:
      return .corrupt(path: path, detail: detail)
    case SQLITE_NOTADB:
      return .notAStore(path: path)
    case SQLITE_CANTOPEN where cause == ELOOP:
      return .isLink(path: path)
    case SQLITE_CANTOPEN, SQLITE_PERM:
      let reason = cause == 0 ? detail : String(cString: strerror(cause))
      return .cannotOpen(path: path, reason: reason)
    case SQLITE_CONSTRAINT:
      return .contradiction(path: path, detail: detail)
    default:
      return .failed(path: path, detail: detail)
    }
  }
}
