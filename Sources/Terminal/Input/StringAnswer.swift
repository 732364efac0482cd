// SPDX-License-Identifier: GPL-3.0-or-later

/// An answer of the terminal that is a string: ESC `]`, ESC `P` or ESC `_`, and text. As keys, the
/// first two bytes are Alt and a key.
enum StringAnswer {
  /// Whether an answer can begin like this: OSC with a number, DCS with a digit or a private mark,
  /// APC with kitty's G.
  static func canBegin(with byte: UInt8, after introducer: UInt8) -> Bool {
    switch introducer {
    case UInt8(ascii: "]"): (0x30...0x39).contains(byte)
    case UInt8(ascii: "P"): (0x30...0x39).contains(byte) || byte == 0x3E || byte == 0x21
    default: byte == UInt8(ascii: "G")
    }
  }

  /// Whether the beginning of a string can only be that of an answer: nobody types this much of one.
  static func isCertain(_ bytes: [UInt8]) -> Bool {
    guard bytes.count > 3 else { return false }
    let body = bytes.dropFirst(2)
    switch bytes[1] {
    case UInt8(ascii: "]"): return body.contains(UInt8(ascii: ";"))
    case UInt8(ascii: "P"):
      return body.contains { [0x7C, 0x2B, 0x24].contains($0) }  // | + $
    default: return body.contains(UInt8(ascii: "="))
    }
  }
}
