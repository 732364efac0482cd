// SPDX-License-Identifier: GPL-3.0-or-later
import CSQLite
import Glibc

/// A prepared statement, and the indexes of its columns.
package final class Statement {
  package let handle: OpaquePointer
  unowned let database: Database
  /// The columns in the order of first use. A literal always has the same address, so each name is
  /// compared letter by letter only once. Nothing runs during an access to this or `next`, and
  /// checking that would take as long as the access, for each column of each row.
  @exclusivity(unchecked)
  private var columns: [(name: UnsafePointer<UInt8>, column: Int32)] = []
  /// The expected index in `columns`, if the row is read in the order of the previous row.
  @exclusivity(unchecked)
  private var next = 0

  package init(_ handle: OpaquePointer, _ database: Database) {
    (self.handle, self.database) = (handle, database)
  }

  /// The index of a column; an unknown one is a programmer's mistake, and reads as NULL.
  package func column(_ name: StaticString) -> Int32 {
    let address = name.utf8Start
    if next >= columns.count || columns[next].name != address {
      if let known = columns.firstIndex(where: { $0.name == address }) {
        next = known
      } else {
        let column = (0..<sqlite3_column_count(handle)).first {
          strcmp(sqlite3_column_name(handle, $0), UnsafeRawPointer(address)) == 0
        }
        assert(column != nil, "no column \(name)")
        columns.append((address, column ?? -1))
        next = columns.count - 1
      }
    }
    defer { next += 1 }
    return columns[next].column
  }
}
