// SPDX-License-Identifier: GPL-3.0-or-later
import Platform
@_exported import Sentences
@_exported import Storage

/// The durable store of conversations: one SQLite file, which is the only source of truth and
/// connects the processes. Several processes, and several stores in one process, may have the same
/// file open.
///
/// ```swift
/// let store = try Store(path: StoreOptions.defaultPath(environment: ["HOME": "/home/anna"]))
/// try store.writeDurably { transaction in
///   let anna = try transaction.participant(identity: "anna")
///   let lobby = try transaction.makeRoom("lobby")
///   try transaction.join(anna.id, lobby.id)
///   try transaction.send("hello", in: lobby.id, by: anna.id)
/// }
/// let rooms = try store.read { try $0.rooms() }
/// ```
///
/// Queries are members of every ``Access``, changes of a ``Transaction``; changes that a person
/// relies on need a ``DurableTransaction``. The files of messages are in ``attachmentFolder``, and
/// what a running shell tells the others is in ``shells``.
///
/// A store belongs to one thread. Every function throws `StoreError` when the file cannot be read
/// or written, `RuleError` when a rule forbids the change, and ``StoreMisuse`` for a write or a
/// close in the wrong place; then nothing has changed, and you can go on using the store.
public final class Store {
  /// How to open a store.
  public typealias Options = StoreOptions

  let connection: StoreConnection

  package var files: StoreFiles { connection.files }
  var database: Database { connection.database }
  package var clock: () -> Milliseconds { connection.clock }

  /// The first damage of the file that a query met since the store was opened.
  package var damage: StoreError? { connection.database.damage }

  /// The files of messages.
  public var attachmentFolder: AttachmentFolder { connection.attachmentFolder }
  /// The absolute path of the store's file, with its folder's links resolved.
  public var path: String { connection.path }
  /// Whether it was made for a group (`--shared`).
  public var isShared: Bool { connection.isShared }

  /// Opens the store; creates or upgrades it if necessary. The cost does not grow with the store.
  ///
  /// - Parameters:
  ///   - path: the file; `X.bell` and `X.shells` are beside `X.sqlite`.
  ///   - options: whether to create it, for whom, and how long to wait for a lock.
  ///   - clock: the current time; nil for the machine's.
  /// - Throws: any `StoreError`.
  public init(
    path: String, options: Options = .init(),
    clock: (() -> Milliseconds)? = nil
  ) throws {
    connection = try StoreConnection(path: path, options: options, clock: clock ?? Clock.wall)
    patience = options.patience
  }

  deinit { end() }

  /// Milliseconds for which SQLite itself waits for a lock. A shell sets 0 after opening: a lock
  /// then throws `.locked` at once, and the shell waits in its loop, where it still handles keys
  /// (rule 1.2).
  public var patience: Int32 {
    didSet { connection.database.patience = patience }
  }

  /// Ends presence and closes the file. Later calls throw. Within a read or a write it does
  /// nothing, and that throws ``StoreMisuse`` at its end.
  public func close() {
    if connection.database.isInTransaction {
      connection.undone = StoreMisuse.closeWithinAccess
    } else {
      end()
    }
  }

  private func end() {
    try? shells.detach()
    connection.bell.silence()
    connection.database.close()
  }

  // MARK: Transactions

  // `@_optimize(none)`: the optimizer of Swift 6.3 aborts when it specializes a caller of these for
  // their noncopyable argument.

  /// Reads one state of the store, whatever others write during the read. A read within a read, or
  /// within a transaction, sees that same state.
  ///
  /// - Throws: what `body` throws; `StoreError`.
  @_optimize(none)
  public func read<T>(_ body: (borrowing Snapshot) throws -> T) throws -> T {
    let isOwn = try connection.beginReading()
    defer { if isOwn { connection.endReading() } }
    let result = try body(Access(connection: connection))
    if isOwn { try connection.checkUndone() }
    return result
  }

  /// Changes the store in one transaction, and then rings the bell if others must notice. A power
  /// cut may lose the change, a crash cannot.
  ///
  /// - Throws: what `body` throws; `StoreError`. Then nothing has changed.
  @discardableResult
  @_optimize(none)
  public func write<T>(_ body: (borrowing Transaction) throws -> T) throws -> T {
    try connection.change(isDurable: false) {
      try body(Access(connection: connection))
    }
  }

  /// Like ``write(_:)``, but the change is on disk on return.
  @discardableResult
  @_optimize(none)
  public func writeDurably<T>(_ body: (borrowing DurableTransaction) throws -> T) throws -> T {
    try connection.change(isDurable: true) {
      try body(Access(connection: connection))
    }
  }

  /// Changes the store if there is anything to change: otherwise it takes no lock. If others have
  /// written in the meantime, it runs `body` again.
  @discardableResult
  @_optimize(none)
  public func writeIfNeeded<T>(_ body: (borrowing Transaction) throws -> T) throws -> T {
    try connection.change(isDurable: false, isImmediate: false) {
      try body(Access(connection: connection))
    }
  }

  /// Like ``writeIfNeeded(_:)``, but the change is on disk on return.
  @discardableResult
  @_optimize(none)
  public func writeDurablyIfNeeded<T>(_ body: (borrowing DurableTransaction) throws -> T) throws
    -> T
  {
    try connection.change(isDurable: true, isImmediate: false) {
      try body(Access(connection: connection))
    }
  }

  // MARK: The bell

  /// Readable when another process, or this one, has committed or died. Open it before you read
  /// `position`, so that you miss no change between the two.
  ///
  /// - Throws: `StoreError.cannotWatch` if the system has no watch left.
  public var bellDescriptor: Int32 {
    get throws { try connection.bell.descriptor() }
  }

  /// Returns why the bell rang, and empties the descriptor.
  public func drainBell() -> BellReasons {
    connection.bell.drain()
  }
}
