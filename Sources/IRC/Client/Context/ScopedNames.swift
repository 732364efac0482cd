// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// The names of rooms and people as the store has them: folded by the server's rules and, on a
/// bouncer's network, followed by a slash and the network's name, as in `#tea/libera`.
struct ScopedNames: Hashable, Sendable {
  var rules = ISupport().rules
  /// `/` and the name of a bouncer's network; empty without one.
  var scope = ""

  /// The address for a name; an address stays as it is.
  func fold(_ name: String) -> String { rules.fold(plain(name)) + scope }

  /// The name as the server knows it.
  func plain(_ address: String) -> String {
    !scope.isEmpty && address.hasSuffix(scope) ? String(address.dropLast(scope.count)) : address
  }

  func isRoom(_ target: String) -> Bool { rules.isRoomAddress(target) }
}
