// SPDX-License-Identifier: GPL-3.0-or-later

/// What an account's owner decides about its server: where it is, if the domain does not say so, and
/// which certificates to trust. The certificate must be for the domain in any case.
package struct ServerSettings: Hashable, Sendable {
  /// nil: as the domain's records say (SRV), or the domain itself.
  package var host: String?
  /// nil: the service's own.
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
  func endpoint(of service: Service, domain: String) -> Endpoint? {
    if host == nil, port == nil, !Endpoint.isNumeric(domain) { return nil }
    return Endpoint(
      host: host ?? domain, port: port ?? service.port(isDirectTLS: isDirectTLS),
      isDirectTLS: isDirectTLS)
  }
}
