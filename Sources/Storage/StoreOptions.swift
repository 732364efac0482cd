// SPDX-License-Identifier: GPL-3.0-or-later

/// How to open a store.
public struct StoreOptions: Hashable, Sendable {
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
