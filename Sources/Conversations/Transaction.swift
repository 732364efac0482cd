// SPDX-License-Identifier: GPL-3.0-or-later
import Platform

/// Queries to a store, for a ``Snapshot`` or a transaction.
public protocol Reading: ~Copyable {
  /// Only this library can use it.
  var connection: StoreConnection { get }
}

/// Queries to a store, and changes. A change that throws has changed nothing; if you catch its error,
/// the transaction goes on.
public protocol Writing: Reading, ~Copyable {}

/// One state of the store, from `Store.read`. It cannot change anything, and ends with the closure.
///
/// ```swift
/// let unread = try store.read { snapshot in
///   try snapshot.unreadConversations(for: anna.id)
/// }
/// ```
public struct Snapshot: Reading, ~Copyable {
  public let connection: StoreConnection
}

/// A running transaction, from `Store.write`: others see all of its changes at its end, or none.
///
/// ```swift
/// try store.write { transaction in
///   try transaction.noteSeen(by: anna.id, in: lobby.id, upTo: 12, sendReceipt: true)
/// }
/// ```
public struct Transaction: Writing, ~Copyable {
  public let connection: StoreConnection
}

/// A transaction that is on disk when it ends, from `Store.writeDurably`: a power cut must not lose
/// what hobnob told a person it had stored.
///
/// ```swift
/// try store.writeDurably { transaction in
///   try transaction.setTopic("tea", of: lobby.id, by: anna.id)
///   try transaction.send("which tea?", in: lobby.id, by: anna.id)
/// }
/// ```
public struct DurableTransaction: Writing, ~Copyable {
  public let connection: StoreConnection
}

extension Transaction {
  /// For a worker that lives as long as the transaction; a change after its end stops the program.
  package init(of running: borrowing some Writing & ~Copyable) { connection = running.connection }
}

extension DurableTransaction {
  /// For a worker that lives as long as the transaction; a change after its end stops the program.
  package init(of running: borrowing DurableTransaction) { connection = running.connection }
}

extension Reading where Self: ~Copyable {
  package var database: any Queries { connection.database }
  package var files: StoreFiles { connection.files }
  package var clock: () -> Milliseconds { connection.clock }
  package var attachmentFolder: AttachmentFolder { connection.attachmentFolder }
  package var path: String { connection.path }
  var presence: ShellPresence? { connection.presence }
}

extension Writing where Self: ~Copyable {
  package var database: Database { connection.changing }

  /// Runs a change, which stores all or nothing even if the caller catches its error and goes on
  /// with the transaction. Every public change is one.
  ///
  /// - Throws: what `body` throws; `StoreError`.
  package func savepoint<T>(_ body: () throws -> T) throws -> T {
    try connection.savepoint(body)
  }

  /// Assigns the next number; others will notice the row that has it.
  package func nextChange() throws -> Int64 { try connection.nextChange(after: position) }

  /// Records that presence, a name or a membership changed.
  package func touchPeople() throws {
    _ = try nextChange()
    connection.notePeople()
  }
}
