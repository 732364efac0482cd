// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc

/// What changes in a store for one person, in order and completely.
///
/// ```swift
/// var observation = try store.observe(for: ben.id)
/// while let changes = try observation.wait(milliseconds: 60_000) {
///   for message in changes.arrived { print(message.body) }
/// }
/// ```
public struct Observation {
  /// Readable when there may be changes, for the `poll(2)` of your own loop; then call ``next()``.
  public let descriptor: Int32
  /// The state of the store after the changes that were returned.
  public private(set) var position: Int64
  private let store: Store
  private let me: ID<Participant>
  private var hasMore = false

  /// Opens the bell before it reads the position, so that nothing is missed between the two.
  fileprivate init(of store: Store, for me: ID<Participant>, since: Int64?) throws {
    (self.store, self.me) = (store, me)
    descriptor = try store.bellDescriptor
    position = try since ?? store.read { try $0.position }
  }

  /// Returns what has changed since the last call, without waiting; nothing may have. Call it again
  /// at once while ``Changes/hasMore`` is true.
  ///
  /// - Throws: `StoreError`; the next call then returns the same changes.
  public mutating func next() throws -> Changes {
    _ = store.drainBell()
    let changes = try store.read { try $0.changes(since: position, for: me) }
    (position, hasMore) = (changes.position, changes.hasMore)
    return changes
  }

  /// Waits for the next changes.
  ///
  /// - Parameter milliseconds: the longest time to wait; nil for no limit.
  /// - Returns: nil if the bell has not rung in that time.
  /// - Throws: `StoreError`, as ``next()``.
  public mutating func wait(milliseconds: Int32? = nil) throws -> Changes? {
    if hasMore { return try next() }
    var bell = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&bell, 1, milliseconds ?? -1) > 0 ? try next() : nil
  }
}

extension Store {
  /// Begins to observe what changes for a person.
  ///
  /// - Parameters:
  ///   - me: the person for whom the program acts.
  ///   - since: an earlier position; nil for now.
  /// - Throws: `StoreError.cannotWatch` if the system has no watch left; other `StoreError`.
  public func observe(for me: ID<Participant>, since: Int64? = nil) throws -> Observation {
    try Observation(of: self, for: me, since: since)
  }
}
