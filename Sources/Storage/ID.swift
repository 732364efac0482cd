// SPDX-License-Identifier: GPL-3.0-or-later

/// The number of a row in the store, of one kind: an `ID<Message>` cannot be used for a
/// participant.
public struct ID<Of>: RawRepresentable, Hashable, Sendable {
  /// The row's number; means nothing outside its store.
  public var rawValue: Int64

  public init(rawValue: Int64) {
    self.rawValue = rawValue
  }
}

/// Milliseconds since the beginning of 1970, UTC.
public typealias Milliseconds = Int64

/// The first and last millisecond of the years with four digits.
package let namedTimes: ClosedRange<Milliseconds> = -62_167_219_200_000...253_402_300_799_999
