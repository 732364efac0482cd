// SPDX-License-Identifier: GPL-3.0-or-later

/// The size of a screen, in character cells.
package struct Size: Hashable, Sendable {
  package var rows: Int
  package var columns: Int

  package init(rows: Int, columns: Int) {
    self.rows = rows
    self.columns = columns
  }
}
