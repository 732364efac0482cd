// SPDX-License-Identifier: GPL-3.0-or-later
import CSQLite
import Glibc

/// A prepared statement, and where the columns of its rows are.
package final class Statement {
  package let handle: OpaquePointer
  /// In the order in which they were first asked for. The same literal has the same address, so no
  /// name is compared letter by letter more than once.
  private var columns: [(name: UnsafePointer<UInt8>, column: Int32)] = []
  /// Where in them the next one is, if a row is read like the one before.
  private var next = 0

  package init(_ handle: OpaquePointer) { self.handle = handle }

  /// The place of a column; one that is not there is a mistake in the program, and NULL.
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
