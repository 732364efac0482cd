// SPDX-License-Identifier: GPL-3.0-or-later
import CNettle

/// SHA-1 (FIPS 180-4), for compatibility with other programs; it protects nothing.
package enum SHA1 {
  /// The 20 bytes of the hash of a text's UTF-8.
  package static func digest(of text: String) -> [UInt8] {
    var context = sha1_ctx()
    nettle_sha1_init(&context)
    let bytes = Array(text.utf8)
    nettle_sha1_update(&context, bytes.count, bytes)
    var digest = [UInt8](repeating: 0, count: Int(SHA1_DIGEST_SIZE))
    cnettle_sha1_digest(&context, &digest)
    return digest
  }
}
