// SPDX-License-Identifier: GPL-3.0-or-later

/// The size of a screen, in character cells.
public struct Size: Hashable, Sendable {
  public var rows: Int
  public var columns: Int

  public init(rows: Int, columns: Int) {
    self.rows = rows
    self.columns = columns
  }
}
