// SPDX-License-Identifier: GPL-3.0-or-later
import CNettle

/// The hashes for SCRAM, the weakest first.
package enum SCRAMHash: String, CaseIterable, Comparable, Sendable {
  case sha1 = "SCRAM-SHA-1"
  case sha256 = "SCRAM-SHA-256"
  case sha512 = "SCRAM-SHA-512"

  /// The name of the mechanism (RFC 5802, RFC 7677).
  package var mechanism: String { rawValue }

  /// Reads the fact `scram` about a server; nil if it has never offered SCRAM.
  package init?(fact: String?) {
    guard let fact else { return nil }
    self = Self(rawValue: fact) ?? .sha1
  }

  package static func < (one: SCRAMHash, other: SCRAMHash) -> Bool { one.size < other.size }

  /// The size of the hash in bytes.
  private var size: Int {
    switch self {
    case .sha1: Int(SHA1_DIGEST_SIZE)
    case .sha256: Int(SHA256_DIGEST_SIZE)
    case .sha512: Int(SHA512_DIGEST_SIZE)
    }
  }

  func digest(of bytes: [UInt8]) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: size)
    switch self {
    case .sha1:
      var context = sha1_ctx()
      nettle_sha1_init(&context)
      nettle_sha1_update(&context, bytes.count, bytes)
      cnettle_sha1_digest(&context, &digest)
    case .sha256:
      var context = sha256_ctx()
      nettle_sha256_init(&context)
      nettle_sha256_update(&context, bytes.count, bytes)
      cnettle_sha256_digest(&context, &digest)
    case .sha512:
      var context = sha512_ctx()
      nettle_sha512_init(&context)
      nettle_sha512_update(&context, bytes.count, bytes)
      cnettle_sha512_digest(&context, &digest)
    }
    return digest
  }

  /// HMAC (RFC 2104).
  func code(of text: String, key: [UInt8]) -> [UInt8] {
    let data = Array(text.utf8)
    var digest = [UInt8](repeating: 0, count: size)
    switch self {
    case .sha1: cnettle_hmac_sha1(key.count, key, data.count, data, &digest)
    case .sha256: cnettle_hmac_sha256(key.count, key, data.count, data, &digest)
    case .sha512: cnettle_hmac_sha512(key.count, key, data.count, data, &digest)
    }
    return digest
  }

  /// PBKDF2 (RFC 8018, 5.2), which RFC 5802 calls Hi().
  func salted(_ password: [UInt8], salt: [UInt8], rounds: Int) -> [UInt8] {
    var result = [UInt8](repeating: 0, count: size)
    let rounds = UInt32(rounds)
    switch self {
    case .sha1:
      nettle_pbkdf2_hmac_sha1(
        password.count, password, rounds, salt.count, salt, result.count, &result)
    case .sha256:
      nettle_pbkdf2_hmac_sha256(
        password.count, password, rounds, salt.count, salt, result.count, &result)
    case .sha512:
      nettle_pbkdf2_hmac_sha512(
        password.count, password, rounds, salt.count, salt, result.count, &result)
    }
    return result
  }

  /// Whether both are equal; takes the same time wherever they differ.
  static func areEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    one.count == other.count && nettle_memeql_sec(one, other, one.count) != 0
  }
}
