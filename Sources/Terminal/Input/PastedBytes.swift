// SPDX-License-Identifier: GPL-3.0-or-later

/// The bytes between the marks of a bracketed paste, as far as they have arrived.
struct PastedBytes {
  private static let end: [UInt8] = [0x1B, 0x5B, 0x32, 0x30, 0x31, 0x7E]

  private var bytes: [UInt8] = []

  /// Takes the next byte.
  ///
  /// - Returns: whether it completes the end mark, which is not part of the paste.
  mutating func add(_ byte: UInt8) -> Bool {
    bytes.append(byte)
    guard byte == Self.end.last, bytes.suffix(Self.end.count) == Self.end[...] else { return false }
    bytes.removeLast(Self.end.count)
    return true
  }

  /// Removes and returns the paste. Its lines end with a line feed, whatever ended them before.
  mutating func take() -> [UInt8] {
    var body: [UInt8] = []
    body.reserveCapacity(bytes.count)
    var afterReturn = false
    for byte in bytes {
      if byte == 0x0D {
        body.append(0x0A)
      } else if !(byte == 0x0A && afterReturn) {
        body.append(byte)
      }
      afterReturn = byte == 0x0D
    }
    bytes = []
    return body
  }
}
