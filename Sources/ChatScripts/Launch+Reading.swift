// SPDX-License-Identifier: GPL-3.0-or-later
import ChatPreferences
import Conversations

extension Launch {
  /// Reads the store for a shell's prompt or a completion, which must not wait. It never creates or
  /// upgrades a store, throws at once if the store is locked, and ignores wrong settings.
  ///
  /// - Throws: `StoreError` (a missing store is one), ``Refusal``, `RuleError`.
  func readWithoutWaiting<T>(_ body: (Script) throws -> T) throws -> T {
    let rc = try loadRc { _ in }
    let store = try Store(
      path: try storePath,
      options: .init(createIfMissing: false, upgradeIfOlder: false, patience: 0))
    defer { store.close() }
    var me = try reader(in: store, rc: rc)
    me.nicknames = try store.read { try $0.roomNicknames(of: me.id) }
    return try body(Script(store: store, me: me, settings: rc.settings, glyphs: glyphs))
  }
}
