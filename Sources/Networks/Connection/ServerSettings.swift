// SPDX-License-Identifier: GPL-3.0-or-later

/// The owner's settings for the server of an account: its address, if the domain does not give it,
/// and which certificates to trust. The certificate must be for the domain in any case.
package struct ServerSettings: Hashable, Sendable {
  /// The host; nil for the one in the domain's records (SRV), or the domain itself.
  package var host: String?
  /// The port; nil for the service's usual one.
  package var port: UInt16?
  /// Whether TLS starts with the first byte, if host or port are given.
  package var isDirectTLS: Bool
  /// A file of certificates (PEM) to trust instead of the system's.
  package var authorities: String?
  /// SHA-256, in 64 lower-case hexadecimal digits, of the public key (SubjectPublicKeyInfo) that
  /// the server must have in addition to a good certificate.
  package var pin: String?
  /// A file with a certificate and its key (PEM) that tells the server who the client is.
  package var identity: String?

  /// Reads the settings of `/account add` and `/account set`.
  package init(_ settings: [String: String] = [:], isDirectTLS: Bool = false) {
    (host, port) = (settings["host"], settings["port"].flatMap { UInt16($0) })
    self.isDirectTLS = isDirectTLS
    (authorities, identity) = (settings["ca"], settings["cert"])
    pin = settings["pin"]?.lowercased()
  }

  /// The endpoint from these settings; nil if the domain's records decide.
  func endpoint(of service: Service, domain: String) -> Endpoint? {
    if host == nil, port == nil, !Endpoint.isNumeric(domain) { return nil }
    return Endpoint(
      host: host ?? domain, port: port ?? service.port(isDirectTLS: isDirectTLS),
      isDirectTLS: isDirectTLS)
  }
}
