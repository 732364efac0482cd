// SPDX-License-Identifier: GPL-3.0-or-later
import CNettle

/// A SHA-256 (FIPS 180-4) of bytes that come in pieces.
struct SHA256 {
  private var context = sha256_ctx()

  init() {
    nettle_sha256_init(&context)
  }

  mutating func update(_ bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress else { return }
    nettle_sha256_update(&context, bytes.count, start.assumingMemoryBound(to: UInt8.self))
  }

  /// The hash of everything so far in 64 lower-case hexadecimal digits; begins anew.
  mutating func finish() -> String {
    var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_SIZE))
    cnettle_sha256_digest(&context, &digest)
    return hexadecimal(digest)
  }
}

/// The bytes that lower-case hexadecimal digits stand for; nil for anything else.
func bytes(ofHexadecimal digits: String) -> [UInt8]? {
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
