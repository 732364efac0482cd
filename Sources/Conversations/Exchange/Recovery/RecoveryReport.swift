// SPDX-License-Identifier: GPL-3.0-or-later

/// What `Store.recover` got out of a damaged file.
public struct RecoveryReport: Hashable, Sendable {
  /// The rows of one table.
  public struct Table: Hashable, Sendable {
    public var name: String
    public var got: Int
    public var lost: Int
    /// Whether `lost` is known; otherwise it is the least it can be.
    public var isExact: Bool

    public init(name: String, got: Int, lost: Int, isExact: Bool) {
      self.name = name
      self.got = got
      self.lost = lost
      self.isExact = isExact
    }

    /// What became of it.
    public var sentence: Sentence {
      let arguments = [name, String(got), String(lost)]
      if lost == 0 { return ("%1: %2 rows, all of them", arguments) }
      return isExact
        ? ("%1: %2 rows, %3 lost", arguments) : ("%1: %2 rows, at least %3 lost", arguments)
    }
  }

  /// The new store.
  public var path: String
  public var tables: [Table]
  /// Whether it is less than a tenth of what the file holds: of its messages, its rows or its pages.
  public var isMeagre: Bool

  init(path: String, tables: [Table], isMeagre: Bool) {
    self.path = path
    self.tables = tables
    let messages = tables.first { $0.name == "message" }
    self.isMeagre = isMeagre
    self.isMeagre =
      isMeagre || got * 10 < got + lost
      || messages.map { $0.got * 10 < $0.got + $0.lost } ?? false
  }

  /// Rows of all tables.
  public var got: Int { tables.reduce(0) { $0 + $1.got } }
  /// Rows of all tables; the least it can be unless every table's is exact.
  public var lost: Int { tables.reduce(0) { $0 + $1.lost } }

  /// What became of one table, or nil if there is none of that name.
  public subscript(table: String) -> Table? { tables.first { $0.name == table } }
}
