// SPDX-License-Identifier: GPL-3.0-or-later

/// The sealed text of a message, for all devices the same.
package struct SealedPayload: Sendable, Equatable {
  package let bytes: [UInt8]
  /// In the header of a legacy message; empty in version 2.
  package let iv: [UInt8]
  /// What each device gets by its session, as the key.
  package let key: [UInt8]

  /// Seals a text: for version 2, the envelope of XEP-0420.
  package init(_ text: [UInt8], _ version: OMEMOVersion) {
    switch version {
    case .legacy:
      let (key, iv) = (randomBytes(16), randomBytes(12))
      let (sealed, tag) = sealGCM(text, key: key, iv: iv)
      (bytes, self.iv, self.key) = (sealed, iv, key + tag)
    case .two:
      let secret = randomBytes(32)
      let keys = PayloadKeys(secret)
      bytes = aes256CBC(.encrypting, key: keys.cipher, iv: keys.iv, text) ?? []
      let tag = hmacSHA256(key: keys.authentication, bytes).prefix(16)
      (iv, key) = ([], secret + tag)
    }
  }

  /// The key of a message without text, which only begins or heals a session.
  package static func emptyKey(_ version: OMEMOVersion) -> [UInt8] {
    version == .legacy ? randomBytes(32) : [UInt8](repeating: 0, count: 32)
  }

  /// Opens a payload. Returns nil if it was changed on its way, or was never one.
  package static func open(
    _ bytes: [UInt8], iv: [UInt8], key: [UInt8], _ version: OMEMOVersion
  ) -> [UInt8]? {
    switch version {
    case .legacy:
      // Old programs left the tag at the end of the text.
      let (sealed, tag) =
        key.count > 16
        ? (bytes, Array(key.dropFirst(16))) : (bytes.dropLast(16), bytes.suffix(16))
      return openGCM(Array(sealed), key: Array(key.prefix(16)), iv: iv, tag: Array(tag))
    case .two:
      guard key.count == 48 else { return nil }
      let keys = PayloadKeys(Array(key.prefix(32)))
      let tag = Array(hmacSHA256(key: keys.authentication, bytes).prefix(16))
      guard areEqual(tag, Array(key.suffix(16))) else { return nil }
      return aes256CBC(.decrypting, key: keys.cipher, iv: keys.iv, bytes)
    }
  }
}

/// What XEP-0384 makes of a payload's secret.
private struct PayloadKeys {
  let cipher, authentication, iv: [UInt8]

  init(_ secret: [UInt8]) {
    let bytes = hkdf(secret, info: "OMEMO Payload", count: 80)
    (cipher, authentication) = (Array(bytes[..<32]), Array(bytes[32..<64]))
    iv = Array(bytes[64...])
  }
}
