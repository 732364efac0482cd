// SPDX-License-Identifier: GPL-3.0-or-later

extension Sequence<String> {
  /// The texts as a list in the user's language, such as “anna, ben”.
  package func joinedAsList() -> String { joined(separator: listSeparator) }
}

/// The separator between the members of a list in the user's language.
package var listSeparator: String {
  // Translators: two members of a list, which may be longer.
  filled(("%1, %2", ["", ""]))
}
