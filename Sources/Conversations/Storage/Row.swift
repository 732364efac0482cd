// SPDX-License-Identifier: GPL-3.0-or-later
import CSQLite

/// The current row of a running statement. Valid only inside the closure it is given to.
///
/// Anyone who may write a shared store may write anything into it, past every constraint. What comes
/// out here can be reckoned with all the same: `int` and `time` keep within what sums, differences
/// and calendars bear. `int64` is for what is only compared and looked up.
package struct Row {
  package let statement: OpaquePointer

  package func isNull(_ column: Int32) -> Bool {
    sqlite3_column_type(statement, column) == SQLITE_NULL
  }

  package func int64(_ column: Int32) -> Int64 {
    sqlite3_column_int64(statement, column)
  }

  /// A count, a size or a number of something; the nearest of 53 bits, which no true one exceeds.
  package func int(_ column: Int32) -> Int {
    let most: Int64 = 1 << 53
    return Int(min(max(int64(column), -most), most))
  }

  /// A point in time; the nearest that a calendar of four digits can show.
  package func time(_ column: Int32) -> Milliseconds {
    min(max(int64(column), JSONShape.times.lowerBound), JSONShape.times.upperBound)
  }

  package func optionalTime(_ column: Int32) -> Milliseconds? {
    isNull(column) ? nil : time(column)
  }

  package func bool(_ column: Int32) -> Bool {
    sqlite3_column_int64(statement, column) != 0
  }

  package func optionalInt64(_ column: Int32) -> Int64? {
    isNull(column) ? nil : int64(column)
  }

  package func id<Of>(_ column: Int32) -> ID<Of> {
    ID(rawValue: int64(column))
  }

  /// Invalid UTF-8, which only a foreign program can have written, comes out as U+FFFD.
  package func text(_ column: Int32) -> String {
    guard let bytes = sqlite3_column_text(statement, column) else { return "" }
    let length = Int(sqlite3_column_bytes(statement, column))
    return String(decoding: UnsafeBufferPointer(start: bytes, count: length), as: UTF8.self)
  }

  package func optionalText(_ column: Int32) -> String? {
    isNull(column) ? nil : text(column)
  }

  /// A blob in hexadecimal digits.
  package func hex(_ column: Int32) -> String {
    guard let bytes = sqlite3_column_blob(statement, column) else { return "" }
    let length = Int(sqlite3_column_bytes(statement, column))
    let digits = Array("0123456789abcdef".utf8)
    return String(unsafeUninitializedCapacity: length * 2) { buffer in
      for (place, byte) in UnsafeRawBufferPointer(start: bytes, count: length).enumerated() {
        buffer[place * 2] = digits[Int(byte >> 4)]
        buffer[place * 2 + 1] = digits[Int(byte & 15)]
      }
      return length * 2
    }
  }
}
