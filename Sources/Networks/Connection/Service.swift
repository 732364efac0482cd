// SPDX-License-Identifier: GPL-3.0-or-later

/// What all servers of a network have in common: the names of a domain's records for them, and the
/// ports that they use if the domain has no such records.
///
/// ```swift
/// Service(
///   name: "IRC", records: nil, port: 6667, directPort: 6697, isDirectTLS: true, protocolName: nil)
/// ```
package struct Service: Hashable, Sendable {
  /// The labels in front of the domain under which its records are (RFC 2782).
  package struct Records: Hashable, Sendable {
    /// For servers where TLS begins later (STARTTLS).
    package var inClear: String
    /// For servers with TLS from the first byte.
    package var direct: String

    package init(inClear: String, direct: String) {
      (self.inClear, self.direct) = (inClear, direct)
    }
  }

  /// Its name in sentences.
  package var name: String
  /// The names of the records; nil if domains have no records for the service.
  package var records: Records?
  /// The port where TLS begins later.
  package var port: UInt16
  /// The port with TLS from the first byte.
  package var directPort: UInt16
  /// Whether TLS starts with the first byte unless the domain or the owner says otherwise.
  package var isDirectTLS: Bool
  /// The protocol name in TLS from the first byte (ALPN, RFC 7301); nil for none.
  package var protocolName: String?

  package init(
    name: String, records: Records?, port: UInt16, directPort: UInt16, isDirectTLS: Bool,
    protocolName: String?
  ) {
    (self.name, self.records, self.port, self.directPort) = (name, records, port, directPort)
    (self.isDirectTLS, self.protocolName) = (isDirectTLS, protocolName)
  }

  func port(isDirectTLS: Bool) -> UInt16 { isDirectTLS ? directPort : port }
}
