// SPDX-License-Identifier: GPL-3.0-or-later

/// Where an account's server is, where the domain itself does not tell, and whom to believe that it
/// is the one. The certificate's name is the domain's in any case.
package struct ServerPlace: Hashable, Sendable {
  /// nil: the domain's records tell (SRV), or it is the domain itself.
  package var host: String?
  /// nil: 5222, or 5223 with TLS from the first byte.
  package var port: UInt16?
  /// TLS from the first byte, where host or port are given.
  package var isDirectTLS: Bool
  /// A file of certificates (PEM) to trust instead of the system's.
  package var authorities: String?
  /// SHA-256 of the public key (SubjectPublicKeyInfo) in 64 lower-case hexadecimal digits, which the
  /// server must have on top of a good certificate.
  package var pin: String?

  package init(
    host: String? = nil, port: UInt16? = nil, isDirectTLS: Bool = false,
    authorities: String? = nil, pin: String? = nil
  ) {
    self.host = host
    self.port = port
    self.isDirectTLS = isDirectTLS
    self.authorities = authorities
    self.pin = pin
  }

  /// The one endpoint, where the domain's records are not asked.
  func endpoint(domain: String) -> Endpoint? {
    if host == nil, port == nil, !Endpoint.isNumeric(domain) { return nil }
    return Endpoint(
      host: host ?? domain, port: port ?? (isDirectTLS ? 5223 : 5222), isDirectTLS: isDirectTLS)
  }
}
