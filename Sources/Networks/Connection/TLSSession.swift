// SPDX-License-Identifier: GPL-3.0-or-later
import COpenSSL
import Platform
import Sentences

/// The TLS of one connection, without a socket: bytes in, bytes out. There is no session unless the
/// certificate is good and belongs to the domain.
final class TLSSession {
  private let context: OpaquePointer
  private let session: OpaquePointer
  /// Bytes from the network, and bytes for it; the session owns both.
  private let incoming: OpaquePointer
  private let outgoing: OpaquePointer
  private let domain: String
  private let pin: String?
  /// The handshake is over, and the certificate is good.
  private(set) var isReady = false
  /// The other side has ended TLS and sends nothing more.
  private(set) var isEnded = false
  /// SHA-256 of the public key of the server's certificate, in hexadecimal digits.
  private(set) var peerKey = ""

  /// - Parameters:
  ///   - domain: the domain that the certificate must be for.
  ///   - authorities: a file of certificates (PEM) to trust instead of the system's.
  ///   - pin: `peerKey` must be this value, in addition to all other checks.
  ///   - identity: a file with the client's certificate and key (PEM).
  ///   - protocolName: tells the server which protocol follows (ALPN); nil if the server already
  ///     knows it.
  /// - Throws: `noAuthorities`, `noIdentity` or `badPin`.
  init(
    domain: String, authorities: String?, pin: String?, identity: String? = nil,
    protocolName: String?
  ) throws(ConnectionFailure) {
    if let pin, bytes(ofHexadecimal: pin)?.count != 32 { throw .badPin }
    guard let context = SSL_CTX_new(TLS_client_method()) else { throw .tls(Self.firstError()) }
    copenssl_forbid_renegotiation(context)
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
    let isTrusting =
      authorities.map { SSL_CTX_load_verify_locations(context, $0, nil) }
      ?? SSL_CTX_set_default_verify_paths(context)
    guard isTrusting == 1 else {
      SSL_CTX_free(context)
      ERR_clear_error()
      throw .noAuthorities(file: authorities)
    }
    if let identity,
      SSL_CTX_use_certificate_chain_file(context, identity) != 1
        || SSL_CTX_use_PrivateKey_file(context, identity, SSL_FILETYPE_PEM) != 1
        || SSL_CTX_check_private_key(context) != 1
    {
      SSL_CTX_free(context)
      ERR_clear_error()
      throw .noIdentity(file: identity)
    }
    guard copenssl_set_min_version(context, TLS1_2_VERSION) == 1, let session = SSL_new(context),
      let incoming = BIO_new(BIO_s_mem()), let outgoing = BIO_new(BIO_s_mem())
    else { fatalError("out of memory") }
    self.context = context
    self.session = session
    self.incoming = incoming
    self.outgoing = outgoing
    self.domain = domain
    self.pin = pin
    SSL_set_bio(session, incoming, outgoing)
    SSL_set_connect_state(session)
    SSL_set_hostflags(
      session, UInt32(X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
    guard SSL_set1_host(session, domain) == 1 else {
      throw .certificate(.otherName, domain: domain)
    }
    if !Endpoint.isNumeric(domain) { _ = copenssl_set_server_name(session, domain) }
    if let protocolName {
      let name = Array(protocolName.utf8)
      _ = SSL_set_alpn_protos(session, [UInt8(name.count)] + name, UInt32(name.count + 1))
    }
    ERR_clear_error()
  }

  deinit {
    SSL_free(session)
    SSL_CTX_free(context)
  }

  /// Reads bytes from the network; pass none to begin the handshake.
  ///
  /// - Returns: the decrypted bytes.
  /// - Throws: `certificate` or `tls`; `takeOutput()` may then have the alert for the other side.
  func receive(_ bytes: [UInt8]) throws(ConnectionFailure) -> [UInt8] {
    if !bytes.isEmpty { BIO_write(incoming, bytes, Int32(bytes.count)) }
    if !isReady {
      let result = SSL_do_handshake(session)
      if result != 1 {
        try check(result)
        return []
      }
      try checkPeer()
      isReady = true
    }
    var plain: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 16_384)
    while !isEnded {
      let count = SSL_read(session, &chunk, Int32(chunk.count))
      if count > 0 {
        plain += chunk[..<Int(count)]
      } else if try check(count) {
        break
      }
    }
    return plain
  }

  /// Encrypts; `takeOutput()` then has the bytes to send.
  ///
  /// - Throws: `tls`.
  func send(_ bytes: [UInt8]) throws(ConnectionFailure) {
    if bytes.isEmpty { return }
    let count = SSL_write(session, bytes, Int32(bytes.count))
    if count <= 0 { try check(count) }
  }

  /// Tells the other side that this is the end.
  func end() { SSL_shutdown(session) }

  /// Removes and returns the bytes for the network.
  func takeOutput() -> [UInt8] {
    let count = BIO_ctrl_pending(outgoing)
    if count == 0 { return [] }
    var bytes = [UInt8](repeating: 0, count: count)
    let read = BIO_read(outgoing, &bytes, Int32(count))
    return Array(bytes[..<max(0, Int(read))])
  }

  /// - Returns: true if the session needs more bytes first.
  @discardableResult
  private func check(_ result: Int32) throws(ConnectionFailure) -> Bool {
    switch SSL_get_error(session, result) {
    case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return true
    case SSL_ERROR_ZERO_RETURN:
      isEnded = true
      return true
    default:
      let verified = Int32(SSL_get_verify_result(session))
      let reason = Self.firstError()
      if !isReady, verified != X509_V_OK {
        throw .certificate(CertificateFault(verified), domain: domain)
      }
      throw .tls(reason)
    }
  }

  private func checkPeer() throws(ConnectionFailure) {
    let verified = Int32(SSL_get_verify_result(session))
    guard verified == X509_V_OK, let certificate = SSL_get1_peer_certificate(session) else {
      throw .certificate(CertificateFault(verified), domain: domain)
    }
    defer { X509_free(certificate) }
    let key = X509_get_X509_PUBKEY(certificate)
    var bytes = [UInt8](repeating: 0, count: Int(max(0, i2d_X509_PUBKEY(key, nil))))
    bytes.withUnsafeMutableBufferPointer {
      var pointer = $0.baseAddress
      _ = i2d_X509_PUBKEY(key, &pointer)
    }
    var hash = SHA256()
    bytes.withUnsafeBytes { hash.update($0) }
    peerKey = hash.finish()
    if let pin, pin != peerKey { throw .certificate(.otherKey, domain: domain) }
  }

  /// Takes OpenSSL's first error.
  private static func firstError() -> Remark {
    let code = ERR_get_error()
    ERR_clear_error()
    return ERR_reason_error_string(code).map { Remark(String(cString: $0)) }
      ?? translated("it was ended by the server or on the way to it")
  }
}

extension CertificateFault {
  fileprivate init(_ code: Int32) {
    self =
      switch code {
      case X509_V_ERR_CERT_HAS_EXPIRED: .expired
      case X509_V_ERR_CERT_NOT_YET_VALID: .notYetValid
      case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT: .selfSigned
      case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT,
        X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
        X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
        .unknownAuthority
      case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH: .otherName
      case X509_V_ERR_CERT_REVOKED: .revoked
      default:
        .other(X509_verify_cert_error_string(Int(code)).map { String(cString: $0) } ?? "unknown")
      }
  }
}
