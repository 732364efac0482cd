// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// The nickname of an account, for rooms that have no nickname of their own. A change takes effect
/// when the account next connects: until then people in those rooms see the previous nickname and
/// use it to mention the owner.
extension AccountSettings {
  /// The setting that holds the previous nickname until the account connects.
  fileprivate static let former = "former-nick"

  /// The options that the owner has set: those of all networks first.
  package var listed: [(name: String, value: String)] {
    let names = values.keys.filter { $0 != Self.former && !Self.common.contains($0) }.sorted()
    return (Self.common + names).compactMap { name in values[name].map { (name, $0) } }
  }

  /// - Parameter nick: nil for the local part of the address.
  package mutating func set(nick: String?, of account: Account) {
    let inUse = self[Self.former] ?? wantedNick(of: account)
    values["nick"] = nick
    values[Self.former] = inUse == wantedNick(of: account) ? nil : inUse
  }

  package func wantedNick(of account: Account) -> String {
    self["nick"] ?? String(account.address.prefix { $0 != "@" })
  }
}

extension AccountFiles {
  /// Applies a changed nickname to the rooms of an account that is about to connect.
  ///
  /// - Returns: the settings to write after the commit; nil if the nickname has not changed.
  package func takeNick(
    of account: Account, _ transaction: borrowing DurableTransaction
  ) throws -> AccountSettings? {
    guard var settings = try settings(of: account, inStoreAt: transaction.path),
      let former = settings.values.removeValue(forKey: AccountSettings.former)
    else { return nil }
    try transaction.rename(former, to: settings.wantedNick(of: account), inRoomsOf: account.network)
    return settings
  }
}
