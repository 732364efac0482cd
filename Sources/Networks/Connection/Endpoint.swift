// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc

/// A host and a port to try for a server.
package struct Endpoint: Hashable, Sendable {
  var host: String
  var port: UInt16
  /// Whether TLS starts with the first byte, instead of later.
  var isDirectTLS: Bool

  /// Finds the endpoints of a domain's server, in the order in which to try them.
  ///
  /// - Parameters:
  ///   - inClear: the domain's records for servers where TLS begins later.
  ///   - direct: its records for servers with TLS from the first byte.
  /// - Throws: `ConnectionFailure.noService`.
  static func find(
    _ service: Service, of domain: String, inClear: [ServiceRecord], direct: [ServiceRecord]
  ) throws(ConnectionFailure) -> [Endpoint] {
    if isNumeric(domain) || (inClear.isEmpty && direct.isEmpty) {
      let port = service.port(isDirectTLS: service.isDirectTLS)
      return [Endpoint(host: domain, port: port, isDirectTLS: service.isDirectTLS)]
    }
    // Put both kinds into one list. Their ports distinguish them again, unless a server has one
    // port for both.
    var dice = SystemRandomNumberGenerator()
    let kinds = Set(direct)
    let there = (direct + inClear.filter { !kinds.contains($0) }).filter { !$0.target.isEmpty }
    if there.isEmpty { throw .noService(domain, service: service.name) }
    return ServiceRecord.ordered(there, using: &dice).map {
      Endpoint(host: $0.target, port: $0.port, isDirectTLS: kinds.contains($0))
    }
  }

  /// Whether it is an address of numbers and not a name.
  package static func isNumeric(_ host: String) -> Bool {
    var (four, six) = (in_addr(), in6_addr())
    return inet_pton(AF_INET, host, &four) == 1 || inet_pton(AF_INET6, host, &six) == 1
  }
}
