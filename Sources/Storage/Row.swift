// SPDX-License-Identifier: GPL-3.0-or-later
import CSQLite

/// The current row of a running statement. Valid only inside the closure it is given to.
///
/// Anyone who may write to a shared store can write anything into it, despite all constraints.
/// `int` and `time` limit values so that sums, differences and calendars cannot overflow. `int64`
/// is for values that are only compared and looked up.
package struct Row {
  private let statement: Statement

  package init(_ statement: Statement) { self.statement = statement }

  /// The index of a column; the first if the statement has only one.
  private func columnIndex(_ name: StaticString?) -> Int32 { name.map(statement.column) ?? 0 }

  package func isNull(_ name: StaticString? = nil) -> Bool {
    sqlite3_column_type(statement.handle, columnIndex(name)) == SQLITE_NULL
  }

  /// Whether it is a 64-bit integer.
  package func isInteger(_ name: StaticString? = nil) -> Bool {
    sqlite3_column_type(statement.handle, columnIndex(name)) == SQLITE_INTEGER
  }

  /// Passes the bytes of a text to `body`.
  package func withText(
    _ name: StaticString? = nil, _ body: (UnsafeBufferPointer<UInt8>) -> Void
  ) {
    let column = columnIndex(name)
    let start = sqlite3_column_text(statement.handle, column)
    let length = start == nil ? 0 : Int(sqlite3_column_bytes(statement.handle, column))
    body(UnsafeBufferPointer(start: start, count: length))
  }

  package func int64(_ name: StaticString? = nil) -> Int64 {
    sqlite3_column_int64(statement.handle, columnIndex(name))
  }

  /// A count or a size; limited to 53 bits, which no real one exceeds.
  package func int(_ name: StaticString? = nil) -> Int {
    let most: Int64 = 1 << 53
    return Int(min(max(int64(name), -most), most))
  }

  /// A point in time; limited to years of four digits.
  package func time(_ name: StaticString? = nil) -> Milliseconds {
    min(max(int64(name), namedTimes.lowerBound), namedTimes.upperBound)
  }

  package func optionalTime(_ name: StaticString? = nil) -> Milliseconds? {
    isNull(name) ? nil : time(name)
  }

  package func bool(_ name: StaticString? = nil) -> Bool {
    int64(name) != 0
  }

  package func optionalInt64(_ name: StaticString? = nil) -> Int64? {
    isNull(name) ? nil : int64(name)
  }

  package func id<Of>(_ name: StaticString? = nil) -> ID<Of> {
    ID(rawValue: int64(name))
  }

  /// A text; invalid UTF-8, which only another program can have written, becomes U+FFFD.
  package func text(_ name: StaticString? = nil) -> String {
    let column = columnIndex(name)
    guard let bytes = sqlite3_column_text(statement.handle, column) else { return "" }
    let length = Int(sqlite3_column_bytes(statement.handle, column))
    return String(decoding: UnsafeBufferPointer(start: bytes, count: length), as: UTF8.self)
  }

  package func optionalText(_ name: StaticString? = nil) -> String? {
    isNull(name) ? nil : text(name)
  }

  package func bytes(_ name: StaticString? = nil) -> [UInt8] {
    let index = columnIndex(name)
    let count = Int(sqlite3_column_bytes(statement.handle, index))
    return sqlite3_column_blob(statement.handle, index).map {
      Array(UnsafeRawBufferPointer(start: $0, count: count))
    } ?? []
  }

  /// A value in JSON; null if the column is NULL, or has no JSON, which only another program can
  /// have written.
  package func json(_ name: StaticString? = nil) -> JSON {
    let text = text(name)
    return text.isEmpty ? .null : (try? JSON(text, statement.database)) ?? .null
  }

  /// A blob in hexadecimal digits.
  package func hex(_ name: StaticString? = nil) -> String {
    let column = columnIndex(name)
    guard let bytes = sqlite3_column_blob(statement.handle, column) else { return "" }
    let length = Int(sqlite3_column_bytes(statement.handle, column))
    let digits = Array("0123456789abcdef".utf8)
    return String(unsafeUninitializedCapacity: length * 2) { buffer in
      for (index, byte) in UnsafeRawBufferPointer(start: bytes, count: length).enumerated() {
        buffer[index * 2] = digits[Int(byte >> 4)]
        buffer[index * 2 + 1] = digits[Int(byte & 15)]
      }
      return length * 2
    }
  }
}
