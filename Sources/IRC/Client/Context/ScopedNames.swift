// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// The names of rooms and people in the store's form: folded as the server says, and on a bouncer's
/// network with that network's name behind a slash, as in `#tea/libera`.
struct ScopedNames: Hashable, Sendable {
  var rules = ISupport().rules
  /// `/` and the name of a bouncer's network; empty without one.
  var scope = ""

  /// An address; a name that is one already stays as it is.
  func fold(_ name: String) -> String { rules.fold(plain(name)) + scope }

  /// The name as the server knows it.
  func plain(_ address: String) -> String {
    !scope.isEmpty && address.hasSuffix(scope) ? String(address.dropLast(scope.count)) : address
  }

  func isRoom(_ target: String) -> Bool { rules.isRoomAddress(target) }
}
