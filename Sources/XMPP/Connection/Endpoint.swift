// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc
import Networks

/// A host and a port where a server is said to be.
package struct Endpoint: Hashable, Sendable {
  package var host: String
  package var port: UInt16
  /// TLS from the first byte (XEP-0368), instead of STARTTLS.
  package var isDirectTLS: Bool

  package init(host: String, port: UInt16, isDirectTLS: Bool) {
    self.host = host
    self.port = port
    self.isDirectTLS = isDirectTLS
  }

  /// The names under which a domain tells where its server is: with STARTTLS, and with TLS from the
  /// first byte (RFC 6120, 3.2; XEP-0368, 2).
  package static func services(of domain: String) -> (inClear: String, direct: String) {
    ("_xmpp-client._tcp." + domain, "_xmpps-client._tcp." + domain)
  }

  /// Where a domain's server is, in the order to try.
  ///
  /// - Parameters: the records of the names of ``services(of:)``.
  /// - Throws: `ConnectionFailure.noService`.
  package static func find(
    domain: String, inClear: [ServiceRecord], direct: [ServiceRecord]
  ) throws(ConnectionFailure) -> [Endpoint] {
    let usual = Endpoint(host: domain, port: 5222, isDirectTLS: false)
    if isNumeric(domain) { return [usual] }
    if inClear.isEmpty, direct.isEmpty { return [usual] }
    // Both kinds are one list. Ports tell them apart again, but not if a server has one for both.
    var dice = SystemRandomNumberGenerator()
    let kinds = Set(direct)
    let there = (direct + inClear.filter { !kinds.contains($0) }).filter { !$0.target.isEmpty }
    if there.isEmpty { throw .noService(domain) }
    return ServiceRecord.ordered(there, using: &dice).map {
      Endpoint(host: $0.target, port: $0.port, isDirectTLS: kinds.contains($0))
    }
  }

  /// Whether it is an address of numbers and not a name.
  static func isNumeric(_ host: String) -> Bool {
    var (four, six) = (in_addr(), in6_addr())
    return inet_pton(AF_INET, host, &four) == 1 || inet_pton(AF_INET6, host, &six) == 1
  }
}

/// An address as the kernel has it.
struct SocketAddress: Hashable, Sendable {
  var family: Int32
  /// Of its `sockaddr`.
  var bytes: [UInt8]

  init(family: Int32, bytes: [UInt8]) {
    (self.family, self.bytes) = (family, bytes)
  }

  /// - Parameter digits: `192.0.2.1`, `2001:db8::1`; nil where it is a name, which is not looked up.
  init?(_ digits: String, port: UInt16) {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    hints.ai_flags = AI_NUMERICSERV | AI_NUMERICHOST
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(digits, String(port), &hints, &list) == 0 else { return nil }
    defer { freeaddrinfo(list) }
    guard let entry = list?.pointee, let address = entry.ai_addr else { return nil }
    family = entry.ai_family
    bytes = Array(UnsafeRawBufferPointer(start: address, count: Int(entry.ai_addrlen)))
  }

  /// In digits, as in `192.0.2.1`.
  var digits: String? {
    var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    let result = bytes.withUnsafeBytes { raw in
      raw.withMemoryRebound(to: sockaddr.self) {
        getnameinfo(
          $0.baseAddress, socklen_t(raw.count), &text, socklen_t(text.count), nil, 0,
          NI_NUMERICHOST)
      }
    }
    guard result == 0 else { return nil }
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// A socket that does not block and has begun to connect.
  ///
  /// - Returns: -1 with the reason in `errno`.
  func connect() -> Int32 {
    let kind = SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
    let descriptor = socket(family, Int32(kind), 0)
    guard descriptor >= 0 else { return -1 }
    // Typing is a small packet that should not wait for the one before it.
    var yes: Int32 = 1
    setsockopt(
      descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
    let result = bytes.withUnsafeBytes { raw in
      raw.withMemoryRebound(to: sockaddr.self) {
        Glibc.connect(descriptor, $0.baseAddress, socklen_t(raw.count))
      }
    }
    if result == 0 || errno == EINPROGRESS { return descriptor }
    let reason = errno
    close(descriptor)
    errno = reason
    return -1
  }
}

extension SocketAddress {
  /// Where a connected socket leads; nil where it leads nowhere any more.
  init?(peerOf descriptor: Int32) {
    var storage = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let result = withUnsafeMutablePointer(to: &storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &size) }
    }
    guard result == 0 else { return nil }
    family = Int32(storage.ss_family)
    bytes = withUnsafeBytes(of: &storage) { Array($0.prefix(Int(size))) }
  }
}
