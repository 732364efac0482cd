// SPDX-License-Identifier: GPL-3.0-or-later
import Platform

/// What can be asked of a store: of a ``Snapshot``, and of a transaction.
public protocol Reading: ~Copyable {
  var connection: StoreConnection { get }
}

/// What can be asked of a store, and changed.
public protocol Writing: Reading, ~Copyable {}

/// One state of the store, lent by `Store.read`.
public struct Snapshot: Reading, ~Copyable {
  public let connection: StoreConnection
}

/// A transaction that runs, lent by `Store.write`: everything that it changed becomes visible to
/// others at its end, or nothing does.
public struct Transaction: Writing, ~Copyable {
  public let connection: StoreConnection
}

/// A transaction that is on the disk when it ends, lent by `Store.writeDurably`: what a person was
/// told is stored must not be lost in a power cut.
public struct DurableTransaction: Writing, ~Copyable {
  public let connection: StoreConnection

  package init(connection: StoreConnection) { self.connection = connection }

  /// For a worker that lives as long as the transaction.
  package init(of running: borrowing DurableTransaction) { connection = running.connection }
}

extension Reading where Self: ~Copyable {
  package var database: Database { connection.database }
  package var files: StoreFiles { connection.files }
  package var clock: () -> Milliseconds { connection.clock }
  package var attachmentFolder: AttachmentFolder { connection.attachmentFolder }
  package var path: String { connection.path }
  package var isShared: Bool { connection.isShared }
  var presence: ShellPresence? { connection.presence }
}

extension Writing where Self: ~Copyable {
  /// Draws the next number; the others will notice what carries it.
  package func nextChange() throws -> Int64 { try connection.nextChange(after: position) }

  func successor(of number: Int64) throws -> Int64 { try connection.successor(of: number) }

  /// Presence, a name or a membership changed.
  package func touchPeople() throws {
    _ = try nextChange()
    connection.notePeople()
  }
}
