// SPDX-License-Identifier: GPL-3.0-or-later

/// JSON that is safe on a terminal and fits in one line.
package enum JSONText {
  /// Adds a text of JSON to `result`. Characters that a terminal would obey, or that would mislead,
  /// become `\uXXXX`: DEL, C1, line and paragraph separators, bidirectional controls (rule 12.2).
  /// SQLite has already escaped C0. These characters can only be inside strings, so the JSON means
  /// the same.
  ///
  /// - Parameter json: from SQLite. Invalid UTF-8 becomes U+FFFD.
  package static func append(_ json: UnsafeBufferPointer<UInt8>, to result: inout [UInt8]) {
    // Nearly every line needs no escapes.
    guard json.contains(where: { $0 >= 0x7F }) else {
      result.append(contentsOf: json)
      return
    }
    for scalar in String(decoding: json, as: UTF8.self).unicodeScalars {
      if isHarmful(scalar) {
        let digits = String(scalar.value, radix: 16)
        result += "\\u".utf8
        result += repeatElement(UInt8(ascii: "0"), count: 4 - digits.utf8.count)
        result += digits.utf8
      } else {
        result += UTF8.encode(scalar)!
      }
    }
  }

  private static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x7F...0x9F, 0x61C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
    default: false
    }
  }
}
