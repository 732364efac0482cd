// SPDX-License-Identifier: GPL-3.0-or-later

/// What the connections of one network have in common, whatever the server: where a domain says that
/// its server is, and where it listens if the domain says nothing.
///
/// ```swift
/// Service(
///   name: "IRC", records: nil, port: 6667, directPort: 6697, isDirectTLS: true, protocolName: nil)
/// ```
package struct Service: Hashable, Sendable {
  /// The labels in front of the domain under which its records are (RFC 2782).
  package struct Records: Hashable, Sendable {
    /// Of servers where TLS begins later (STARTTLS).
    package var inClear: String
    /// Of servers with TLS from the first byte.
    package var direct: String

    package init(inClear: String, direct: String) {
      (self.inClear, self.direct) = (inClear, direct)
    }
  }

  /// As a sentence calls it.
  package var name: String
  /// nil: a domain has no records for it.
  package var records: Records?
  /// The port where TLS begins later.
  package var port: UInt16
  /// The port with TLS from the first byte.
  package var directPort: UInt16
  /// Whether TLS is from the first byte where neither the domain nor the owner says so.
  package var isDirectTLS: Bool
  /// What TLS from the first byte calls it (ALPN, RFC 7301); nil: nothing.
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
