// SPDX-License-Identifier: GPL-3.0-or-later

/// A text that is never printed by accident: whatever is made of it in a log, an error or a
/// debugger has three dots in its place.
package struct Secret: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
  package let text: String

  package init(_ text: String) { self.text = text }

  package var description: String { "…" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
