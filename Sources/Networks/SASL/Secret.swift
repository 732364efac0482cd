// SPDX-License-Identifier: GPL-3.0-or-later

/// A text that is never printed by accident: a log, an error or a debugger shows three dots
/// instead.
package struct Secret: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
  package let text: String

  package init(_ text: String) { self.text = text }

  package var description: String { "…" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
