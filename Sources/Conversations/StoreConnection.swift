// SPDX-License-Identifier: GPL-3.0-or-later
import CLinux
import Glibc
import Platform
import Sentences

/// What a store has open, and the running transaction. Only the store, its snapshots and its
/// transactions use it.
final class StoreConnection {
  /// The numbers assigned in the running transaction.
  private struct AssignedNumbers {
    var change: Int64?
    var peopleChanged = false
  }

  var path: String { files.path }
  let isShared: Bool
  let clock: () -> Milliseconds
  let files: StoreFiles
  let database: Database
  let bell: Bell
  var presence: ShellPresence?
  var knownRecipients: KnownRecipients?
  /// Nil if no write transaction is running.
  private var drawn: AssignedNumbers?
  private var isDurable = false
  /// Why nothing of the running transaction may be stored: SQLite has rolled it back by itself, or
  /// the program has made a mistake.
  var undone: (any Error)?

  init(files: StoreFiles, database: Database, isShared: Bool, clock: @escaping () -> Milliseconds) {
    (self.files, self.database, self.isShared, self.clock) = (files, database, isShared, clock)
    bell = Bell(files: files, isShared: isShared)
  }

  var attachmentFolder: AttachmentFolder {
    AttachmentFolder(path: files.attachments, isShared: isShared)
  }

  var notAttached: StoreError {
    .failed(path: path, detail: "this process has not attached as a shell")
  }

  /// - Returns: false within a transaction, which continues.
  func beginReading() throws -> Bool {
    if database.isInTransaction { return false }
    try database.run("BEGIN")
    try checkVersion()
    database.allowsChanges = false
    return true
  }

  /// Another program may have changed the tables since they were opened. This one would read them
  /// wrongly, and write what they no longer hold.
  private func checkVersion() throws {
    do {
      let found = try Schema.storedVersion(of: database)
      if found != Schema.version {
        throw StoreError.otherVersion(path: path, found: found, own: Schema.version)
      }
    } catch {
      database.rollBack()
      throw error
    }
  }

  func endReading() {
    database.allowsChanges = true
    undone = nil
    database.rollBack()
  }

  func checkUndone() throws { if let undone { throw undone } }

  /// Runs a body in a write transaction, which a thrown error undoes.
  ///
  /// - Parameter isImmediate: whether to lock the store at once. Otherwise the first change locks
  ///   it; if others are writing at that time, or have written since the body began, it runs the
  ///   body again.
  func change<T>(isDurable: Bool, isImmediate: Bool = true, _ body: () throws -> T) throws -> T {
    try begin(isDurable: isDurable, isImmediate: isImmediate)
    do {
      let result = try body()
      try commit()
      return result
    } catch {
      let wasWriting = database.isWriting
      rollBack()
      guard !isImmediate, !wasWriting, case StoreError.locked = error else { throw error }
      return try change(isDurable: isDurable, body)
    }
  }

  /// Runs a body within the write transaction. If the caller catches its error, what the body
  /// changed is undone, the numbers it was assigned are free, and the transaction goes on.
  ///
  /// - Throws: what `body` throws; the error after which nothing in this transaction can be stored.
  func savepoint<T>(_ body: () throws -> T) throws -> T {
    try checkUndone()
    let numbers = drawn
    do {
      return try database.savepoint(body)
    } catch {
      (drawn, knownRecipients) = (numbers, nil)
      if !database.isInTransaction { undone = error }
      throw error
    }
  }

  /// The database, within a write transaction.
  var changing: Database {
    precondition(drawn != nil, "a change after its transaction")
    return database
  }

  private func begin(isDurable: Bool, isImmediate: Bool) throws {
    if drawn != nil { throw StoreMisuse.writeWithinWrite }
    if database.isInTransaction { throw StoreMisuse.writeWithinRead }
    try database.begin(full: isDurable, immediate: isImmediate)
    try checkVersion()
    self.isDurable = isDurable
    drawn = AssignedNumbers()
  }

  /// Commits; rings the bell if a number was assigned.
  private func commit() throws {
    try checkUndone()
    let rings = try writeCounter()
    // Changes written to a log that others do not have open would be lost. This writer's lock keeps
    // the shells that have this log from ending (`rescueLog`), and so others from beginning a new
    // one.
    if let loss = database.loss() { throw loss }
    try database.run("COMMIT")
    drawn = nil
    // Check again: the loss may have happened during the commit.
    if isDurable, let loss = database.loss() { throw loss }
    if rings { bell.ring() }
  }

  func rollBack() {
    (drawn, undone, knownRecipients) = (nil, nil, nil)
    database.rollBack()
  }

  /// Assigns the next number; others will notice the row that has it.
  func nextChange(after position: Int64) throws -> Int64 {
    let next = try successor(of: drawn?.change ?? position)
    drawn?.change = next
    return next
  }

  /// The number after one read from the file, which may contain anything.
  func successor(of number: Int64) throws -> Int64 {
    let (next, isTooMuch) = number.addingReportingOverflow(1)
    if isTooMuch || next < 1 {
      throw StoreError.corrupt(
        path: path, detail: filled(("a counter has reached its limit, %1", [String(number)])))
    }
    return next
  }

  func notePeople() { drawn?.peopleChanged = true }

  private func writeCounter() throws -> Bool {
    guard let drawn, let change = drawn.change else { return false }
    if drawn.peopleChanged {
      try database.run("UPDATE meta SET change = ?1, people = ?1", change)
    } else {
      try database.run("UPDATE meta SET change = ?", change)
    }
    return true
  }
}
