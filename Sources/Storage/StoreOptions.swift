// SPDX-License-Identifier: GPL-3.0-or-later
import Platform

/// How to open a store.
public struct StoreOptions: Hashable, Sendable {
  /// Whether to create a missing store for the group of its folder. An existing store knows whether
  /// it is shared.
  public var shared = false
  /// Whether to create a missing file and folder, or to refuse.
  public var createIfMissing = true
  /// Whether to give an empty file or an older store this program's tables, or to refuse.
  public var upgradeIfOlder = true
  /// Milliseconds that SQLite itself waits for another process's lock.
  public var patience: Int32 = 10_000

  public init(
    shared: Bool = false, createIfMissing: Bool = true, upgradeIfOlder: Bool = true,
    patience: Int32 = 10_000
  ) {
    self.shared = shared
    self.createIfMissing = createIfMissing
    self.upgradeIfOlder = upgradeIfOlder
    self.patience = patience
  }

  /// The store's usual file: `$XDG_DATA_HOME/hobnob/store.sqlite`, or below `~/.local/share`.
  public static func defaultPath(environment: [String: String]) -> String {
    (OwnFolder.data.path(environment) ?? "") + "/store.sqlite"
  }
}
