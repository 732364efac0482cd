// SPDX-License-Identifier: GPL-3.0-or-later
import CNettle

/// The SHA-256 (FIPS 180-4) of bytes that arrive in pieces.
package struct SHA256 {
  private var context = sha256_ctx()

  package init() {
    nettle_sha256_init(&context)
  }

  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress else { return }
    nettle_sha256_update(&context, bytes.count, start.assumingMemoryBound(to: UInt8.self))
  }

  /// The hash of everything so far in 64 lower-case hexadecimal digits; starts again.
  package mutating func finish() -> String {
    var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_SIZE))
    cnettle_sha256_digest(&context, &digest)
    return hexadecimal(digest)
  }
}

extension OpenFile {
  /// Reads to the end.
  ///
  /// - Parameter each: receives every piece.
  /// - Returns: the SHA-256 of everything read, in hexadecimal digits.
  /// - Throws: `SystemFailure`, and what `each` throws.
  package func hashed(_ each: (UnsafeRawBufferPointer) throws -> Void = { _ in }) throws -> String {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
    defer { buffer.deallocate() }
    var hash = SHA256()
    while case let count = try read(into: buffer), count > 0 {
      let piece = UnsafeRawBufferPointer(rebasing: buffer[..<count])
      hash.update(piece)
      try each(piece)
    }
    return hash.finish()
  }
}
