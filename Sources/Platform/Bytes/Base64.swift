// SPDX-License-Identifier: GPL-3.0-or-later
import CNettle

/// Bytes as text (RFC 4648), for files inside JSON and for SASL.
package enum Base64 {
  /// Adds the encoding of `bytes` to `result`.
  package static func encode(_ bytes: UnsafeRawBufferPointer, to result: inout [UInt8]) {
    guard let start = bytes.baseAddress, !bytes.isEmpty else { return }
    let length = (bytes.count + 2) / 3 * 4
    result += [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
      buffer.withMemoryRebound(to: CChar.self) {
        nettle_base64_encode_raw(
          $0.baseAddress, bytes.count, start.assumingMemoryBound(to: UInt8.self))
      }
      count = length
    }
  }

  /// The encoding of `bytes`.
  package static func letters(for bytes: [UInt8]) -> String {
    var letters: [UInt8] = []
    bytes.withUnsafeBytes { encode($0, to: &letters) }
    return String(decoding: letters, as: UTF8.self)
  }

  /// Decodes a text; nil if it is not valid.
  package static func decoded(_ letters: String) -> [UInt8]? {
    var letters = letters
    return letters.withUTF8 { text -> [UInt8]? in
      var context = base64_decode_ctx()
      nettle_base64_decode_init(&context)
      var isWhole = false
      let result = [UInt8](unsafeUninitializedCapacity: text.count + 3) { buffer, count in
        isWhole = text.withMemoryRebound(to: CChar.self) {
          nettle_base64_decode_update(
            &context, &count, buffer.baseAddress, text.count, $0.baseAddress) == 1
        }
        if !isWhole { count = 0 }
      }
      return isWhole && nettle_base64_decode_final(&context) == 1 ? result : nil
    }
  }
}
