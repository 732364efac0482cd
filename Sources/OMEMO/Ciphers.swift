// SPDX-License-Identifier: GPL-3.0-or-later
import CNettle
import COpenSSL

enum Direction: Int32 {
  case decrypting = 0
  case encrypting = 1
}

/// Random bytes, for keys.
func randomBytes(_ count: Int) -> [UInt8] {
  var bytes = [UInt8](repeating: 0, count: count)
  precondition(RAND_bytes(&bytes, Int32(count)) == 1, "no random numbers")
  return bytes
}

func hmacSHA256(key: [UInt8], _ bytes: [UInt8]) -> [UInt8] {
  var digest = [UInt8](repeating: 0, count: 32)
  cnettle_hmac_sha256(key.count, key, bytes.count, bytes, &digest)
  return digest
}

func sha512(_ bytes: [UInt8]) -> [UInt8] {
  var context = sha512_ctx()
  var digest = [UInt8](repeating: 0, count: 64)
  nettle_sha512_init(&context)
  nettle_sha512_update(&context, bytes.count, bytes)
  cnettle_sha512_digest(&context, &digest)
  return digest
}

/// HKDF of RFC 5869 with SHA-256, and a salt of 32 zero bytes.
func hkdf(_ secret: [UInt8], info: String, count: Int) -> [UInt8] {
  let key = hmacSHA256(key: [UInt8](repeating: 0, count: 32), secret)
  var block: [UInt8] = []
  var output: [UInt8] = []
  var number: UInt8 = 1
  while output.count < count {
    block = hmacSHA256(key: key, block + info.utf8 + [number])
    output += block
    number += 1
  }
  return Array(output.prefix(count))
}

/// Whether both are equal, in a time that does not depend on where they differ.
func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
  left.count == right.count && nettle_memeql_sec(left, right, left.count) != 0
}

/// AES with 256 bits in the mode CBC, padded as PKCS #7 says. Returns nil if the padding is wrong.
func aes256CBC(
  _ direction: Direction, key: [UInt8], iv: [UInt8], _ text: [UInt8]
) -> [UInt8]? {
  let context = EVP_CIPHER_CTX_new()
  defer { EVP_CIPHER_CTX_free(context) }
  guard EVP_CipherInit_ex(context, EVP_aes_256_cbc(), nil, key, iv, direction.rawValue) == 1
  else { return nil }
  return finish(context, text, room: 32)
}

/// AES in the mode GCM, with a key of 128 or 256 bits and a tag of 16 bytes.
func sealGCM(_ text: [UInt8], key: [UInt8], iv: [UInt8]) -> (sealed: [UInt8], tag: [UInt8]) {
  let context = EVP_CIPHER_CTX_new()
  defer { EVP_CIPHER_CTX_free(context) }
  var tag = [UInt8](repeating: 0, count: 16)
  guard startGCM(context, .encrypting, key: key, iv: iv),
    let sealed = finish(context, text, room: 0),
    EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, &tag) == 1
  else { preconditionFailure("no AES") }
  return (sealed, tag)
}

/// Returns nil if the text, the key or the tag is wrong.
func openGCM(_ sealed: [UInt8], key: [UInt8], iv: [UInt8], tag: [UInt8]) -> [UInt8]? {
  let context = EVP_CIPHER_CTX_new()
  defer { EVP_CIPHER_CTX_free(context) }
  var tag = tag
  guard [16, 32].contains(key.count), tag.count == 16, (12...16).contains(iv.count),
    startGCM(context, .decrypting, key: key, iv: iv),
    EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, 16, &tag) == 1
  else { return nil }
  return finish(context, sealed, room: 0)
}

private func startGCM(
  _ context: OpaquePointer?, _ direction: Direction, key: [UInt8], iv: [UInt8]
) -> Bool {
  let cipher = key.count == 16 ? EVP_aes_128_gcm() : EVP_aes_256_gcm()
  return EVP_CipherInit_ex(context, cipher, nil, nil, nil, direction.rawValue) == 1
    && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, Int32(iv.count), nil) == 1
    && EVP_CipherInit_ex(context, nil, nil, key, iv, direction.rawValue) == 1
}

private func finish(_ context: OpaquePointer?, _ text: [UInt8], room: Int) -> [UInt8]? {
  var output = [UInt8](repeating: 0, count: text.count + room)
  var (begun, rest): (Int32, Int32) = (0, 0)
  let isDone = output.withUnsafeMutableBufferPointer { output in
    var none: UInt8 = 0
    let start = output.baseAddress ?? withUnsafeMutablePointer(to: &none) { $0 }
    return EVP_CipherUpdate(context, start, &begun, text, Int32(text.count)) == 1
      && EVP_CipherFinal_ex(context, start + Int(begun), &rest) == 1
  }
  guard isDone else { return nil }
  output.removeSubrange(Int(begun + rest)...)
  return output
}
