// SPDX-License-Identifier: GPL-3.0-or-later
import Platform

/// Access to one state of a store, which ends with the closure that got it. What it allows is its
/// mode: see ``Snapshot``, ``Transaction`` and ``DurableTransaction``. Only a ``Store`` makes one,
/// and the compiler refuses to keep it. (For a closure or a task that captures one, Swift 6.3
/// crashes instead of saying so.)
///
/// Queries are members of all three. A change that throws has changed nothing; if you catch its
/// error, the transaction goes on.
public struct Access<Mode>: ~Copyable {
  let connection: StoreConnection
}

/// The mode of a ``Snapshot``: only queries.
public enum ReadOnly {}
/// The modes of transactions: queries and changes.
public protocol MayWrite {}
/// The mode of a ``Transaction``: a crash cannot lose its changes, but a power cut may.
public enum Writable: MayWrite {}
/// The mode of a ``DurableTransaction``: its changes are on disk when it ends.
public enum Durable: MayWrite {}

/// One state of the store, from `Store.read`. It cannot change anything.
///
/// ```swift
/// let unread = try store.read { snapshot in
///   try snapshot.unreadConversations(for: anna.id)
/// }
/// ```
public typealias Snapshot = Access<ReadOnly>

/// A running transaction, from `Store.write`: others see all of its changes at its end, or none.
///
/// ```swift
/// try store.write { transaction in
///   try transaction.noteSeen(by: anna.id, in: lobby.id, upTo: 12, sendReceipt: true)
/// }
/// ```
public typealias Transaction = Access<Writable>

/// A transaction that is on disk when it ends, from `Store.writeDurably`: a power cut must not lose
/// what hobnob told a person it had stored.
///
/// ```swift
/// try store.writeDurably { transaction in
///   try transaction.setTopic("tea", of: lobby.id, by: anna.id)
///   try transaction.send("which tea?", in: lobby.id, by: anna.id)
/// }
/// ```
public typealias DurableTransaction = Access<Durable>

extension Access where Mode == Writable {
  /// For a worker that lives as long as the transaction; a change after its end stops the program.
  package init(of running: borrowing Access<some MayWrite>) { connection = running.connection }
}

extension Access where Mode == Durable {
  /// For a worker that lives as long as the transaction; a change after its end stops the program.
  package init(of running: borrowing DurableTransaction) { connection = running.connection }
}

extension Access {
  package var database: any Queries { connection.database }
  package var files: StoreFiles { connection.files }
  package var clock: () -> Milliseconds { connection.clock }
  package var attachmentFolder: AttachmentFolder { connection.attachmentFolder }
  package var path: String { connection.path }
  var presence: ShellPresence? { connection.presence }
}

extension Access where Mode: MayWrite {
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
