// SPDX-License-Identifier: GPL-3.0-or-later
import CSQLite

/// A value for a `?` in a statement.
package protocol Bindable {
  func bind(to statement: OpaquePointer, at index: Int32) -> Int32
}

extension Int64: Bindable {
  package func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
    sqlite3_bind_int64(statement, index, self)
  }
}

extension Int: Bindable {
  package func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
    sqlite3_bind_int64(statement, index, Int64(self))
  }
}

extension Bool: Bindable {
  package func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
    sqlite3_bind_int64(statement, index, self ? 1 : 0)
  }
}

extension String: Bindable {
  package func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
    // An empty buffer may have no address, which SQLite would read as NULL.
    if isEmpty { return csqlite_bind_text(statement, index, "", 0) }
    var copy = self
    return copy.withUTF8 { bytes in
      guard let length = Int32(exactly: bytes.count) else { return SQLITE_TOOBIG }
      return bytes.withMemoryRebound(to: CChar.self) {
        csqlite_bind_text(statement, index, $0.baseAddress, length)
      }
    }
  }
}

extension Array: Bindable where Element == UInt8 {
  package func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
    withUnsafeBytes { csqlite_bind_blob(statement, index, $0.baseAddress, Int32($0.count)) }
  }
}

extension ID: Bindable {
  package func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
    sqlite3_bind_int64(statement, index, rawValue)
  }
}

extension ShellID: Bindable {
  package func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
    rawValue.bind(to: statement, at: index)
  }
}

/// Null is NULL.
extension JSON: Bindable {
  package func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
    (self == .null ? nil : line).bind(to: statement, at: index)
  }
}

extension Optional: Bindable where Wrapped: Bindable {
  package func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
    self?.bind(to: statement, at: index) ?? sqlite3_bind_null(statement, index)
  }
}
