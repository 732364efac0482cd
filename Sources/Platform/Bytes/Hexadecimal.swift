// SPDX-License-Identifier: GPL-3.0-or-later

/// Bytes in lower-case hexadecimal digits.
package func hexadecimal(_ bytes: [UInt8]) -> String {
  bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}

/// Decodes lower-case hexadecimal digits; nil for anything else.
package func bytes(ofHexadecimal digits: String) -> [UInt8]? {
  func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    default: nil
    }
  }
  var result: [UInt8] = []
  var pending: UInt8?
  for digit in digits.utf8 {
    guard let low = value(digit) else { return nil }
    if let high = pending {
      result.append(high << 4 | low)
      pending = nil
    } else {
      pending = low
    }
  }
  return pending == nil ? result : nil
}
