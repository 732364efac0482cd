// SPDX-License-Identifier: GPL-3.0-or-later

/// The bytes of a text, which may be damaged UTF-8.
@usableFromInline
package typealias UTF8Bytes = UnsafeBufferPointer<UInt8>

extension UnsafeBufferPointer<UInt8> {
  func firstNewline(in range: Range<Int>) -> Int? {
    self[range].firstIndex(of: UInt8(ascii: "\n"))
  }

  func lastNewline(in range: Range<Int>) -> Int? {
    self[range].lastIndex(of: UInt8(ascii: "\n"))
  }

  /// How many bytes the white space character at the start of the range has; 0 if there is none.
  func lengthOfSpace(at range: Range<Int>) -> Int {
    guard let first = range.first else { return 0 }
    if self[first] < 0x80 {
      return self[first] == 0x20 || (0x09...0x0D).contains(self[first]) ? 1 : 0
    }
    guard let found = decodeScalar(self, at: first), found.scalar.properties.isWhitespace else {
      return 0
    }
    return found.length
  }
}

/// The scalar that begins at `at`, read strictly: overlong forms, surrogates and numbers above
/// U+10FFFF are not UTF-8. Nil if no scalar begins there.
@inlinable
package func decodeScalar(
  _ bytes: UnsafeBufferPointer<UInt8>, at: Int
) -> (scalar: Unicode.Scalar, length: Int)? {
  guard at < bytes.count else { return nil }
  let lead = bytes[at]
  if lead < 0x80 { return (Unicode.Scalar(lead), 1) }
  let length: Int
  var value: UInt32
  switch lead {
  case 0xC2...0xDF: (length, value) = (2, UInt32(lead & 0x1F))
  case 0xE0...0xEF: (length, value) = (3, UInt32(lead & 0x0F))
  case 0xF0...0xF4: (length, value) = (4, UInt32(lead & 0x07))
  default: return nil
  }
  guard at + length <= bytes.count else { return nil }
  for offset in 1..<length {
    let byte = bytes[at + offset]
    guard byte & 0xC0 == 0x80 else { return nil }
    value = value << 6 | UInt32(byte & 0x3F)
  }
  let smallest: UInt32 = length == 2 ? 0x80 : length == 3 ? 0x800 : 0x10000
  // The initialiser refuses surrogates and what lies above U+10FFFF.
  guard value >= smallest, let scalar = Unicode.Scalar(value) else { return nil }
  return (scalar, length)
}

extension String {
  /// Passes the bytes of the text to `body`, without a copy if the text is stored as UTF-8.
  @inlinable
  package func withUTF8Bytes<Result>(_ body: (UTF8Bytes) -> Result) -> Result {
    if let result = utf8.withContiguousStorageIfAvailable(body) { return result }
    return ContiguousArray(utf8).withUnsafeBufferPointer(body)
  }
}

extension Substring {
  /// The text without white space and newlines at both ends.
  package var trimmed: Substring {
    let scalars = unicodeScalars
    guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
      let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
    else { return "" }
    return self[first...last]
  }
}
