// SPDX-License-Identifier: GPL-3.0-or-later
import COpenSSL
import Conversations

/// Encrypts or decrypts a file piece by piece: AES with a key of 256 bits in the mode GCM, whose tag
/// follows the file (XEP-0454).
package final class FileCipher {
  /// Bytes of the tag.
  package static let tagLength = 16

  private let context = EVP_CIPHER_CTX_new()
  /// The bytes that wait: when encrypting, the rest of the tag; when decrypting, the last bytes, which
  /// may be the tag.
  private var rest: [UInt8] = []
  private var hasEnded = false

  private init(_ link: SealedLink, isSealing: Bool) {
    let isReady =
      EVP_CipherInit_ex(context, EVP_aes_256_gcm(), nil, nil, nil, isSealing ? 1 : 0) == 1
      && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, Int32(link.iv.count), nil) == 1
      && EVP_CipherInit_ex(context, nil, nil, link.key, link.iv, -1) == 1
    precondition(isReady, "no AES")
  }

  deinit { EVP_CIPHER_CTX_free(context) }

  package static func sealing(_ link: SealedLink) -> FileCipher { .init(link, isSealing: true) }
  package static func opening(_ link: SealedLink) -> FileCipher { .init(link, isSealing: false) }

  /// The link to a file with a key of its own, which nobody had before.
  ///
  /// - Returns: nil if the address cannot have a key behind it.
  package static func newLink(to address: String) -> SealedLink? {
    var secret = [UInt8](repeating: 0, count: 12 + 32)
    precondition(RAND_bytes(&secret, Int32(secret.count)) == 1, "no random numbers")
    return SealedLink(address, iv: Array(secret[..<12]), key: Array(secret[12...]))
  }

  /// Encrypts the next piece of a file, in place.
  ///
  /// - Parameter count: its bytes; 0 once the file has ended: then the tag takes its place.
  /// - Returns: how many bytes of the buffer to hand over; 0 at the end.
  package func seal(_ buffer: UnsafeMutableRawBufferPointer, count: Int) -> Int {
    if count > 0 { return update(buffer.baseAddress, buffer.baseAddress, count) }
    if !hasEnded {
      hasEnded = true
      rest = [UInt8](repeating: 0, count: Self.tagLength)
      var (none, left): (UInt8, Int32) = (0, 0)
      let isDone =
        EVP_CipherFinal_ex(context, &none, &left) == 1
        && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(rest.count), &rest) == 1
      precondition(isDone, "no tag")
    }
    let piece = rest.prefix(buffer.count)
    buffer.copyBytes(from: piece)
    rest.removeFirst(piece.count)
    return piece.count
  }

  /// Decrypts the next piece of a file. Nobody may trust it before ``finish()`` has returned true.
  package func open(_ piece: UnsafeRawBufferPointer) -> [UInt8] {
    rest += piece
    var opened = Array(rest.dropLast(Self.tagLength))
    rest.removeFirst(opened.count)
    let count = opened.count
    opened.withUnsafeMutableBytes { _ = update($0.baseAddress, $0.baseAddress, count) }
    return opened
  }

  /// Whether everything that was decrypted is what its sender encrypted. Call this at the end.
  package func finish() -> Bool {
    guard rest.count == Self.tagLength else { return false }
    var (none, left): (UInt8, Int32) = (0, 0)
    return EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(rest.count), &rest) == 1
      && EVP_CipherFinal_ex(context, &none, &left) == 1
  }

  private func update(
    _ output: UnsafeMutableRawPointer?, _ input: UnsafeRawPointer?, _ count: Int
  ) -> Int {
    guard count > 0 else { return 0 }
    var done: Int32 = 0
    let bytes = input?.assumingMemoryBound(to: UInt8.self)
    let isDone =
      EVP_CipherUpdate(
        context, output?.assumingMemoryBound(to: UInt8.self), &done, bytes, Int32(count)) == 1
    precondition(isDone && Int(done) == count, "no AES")
    return count
  }
}
