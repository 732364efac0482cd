// SPDX-License-Identifier: GPL-3.0-or-later

/// A mistake of the program that uses the store: it did within a closure of `Store.read` or
/// `Store.write` what must wait for the closure's end. Nothing has changed, and trying again does
/// not help.
public enum StoreMisuse: Error, Hashable, Sendable, CustomStringConvertible {
  case writeWithinRead
  case writeWithinWrite
  case closeWithinAccess

  public var description: String {
    switch self {
    case .writeWithinRead:
      "a write within a read of the same store; read first, and write when the read has ended"
    case .writeWithinWrite:
      "a write within a write of the same store; use the transaction that is running"
    case .closeWithinAccess:
      "a store closed within its own read or write; close it when they have ended"
    }
  }
}
