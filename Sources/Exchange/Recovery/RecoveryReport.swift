// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Sentences

/// What `Recovery.run` recovered from a damaged file.
package struct RecoveryReport: Hashable, Sendable {
  /// The rows of one table.
  package struct Table: Hashable, Sendable {
    package var name: String
    package var got: Int
    package var lost: Int
    /// Whether `lost` is exact; otherwise it is a lower bound.
    package var isExact: Bool

    /// The result in words.
    package var sentence: Sentence {
      let key: StaticString =
        isExact || lost == 0
        ? "%1: %2 of %3 rows recovered" : "%1: %2 of at least %3 rows recovered"
      return (key, [name, String(got), String(got + lost)])
    }
  }

  /// The new store.
  package var path: String
  package var tables: [Table]
  /// Whether less than a tenth was recovered of the file's messages, of its rows or of its pages.
  package var isMeagre: Bool

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
  package var got: Int { tables.reduce(0) { $0 + $1.got } }
  /// Rows of all tables; a lower bound unless every table's is exact.
  package var lost: Int { tables.reduce(0) { $0 + $1.lost } }
}
