// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc

/// Looks names of hosts up for a network process.
@MainActor
package protocol NameSource: AnyObject {
  /// The records of a name such as `_xmpp-client._tcp.example.org`; empty where there are none, and
  /// where nobody can tell.
  func services(_ name: String, _ then: @escaping ([ServiceRecord]) -> Void)
  /// The addresses of a host in digits, the best first.
  func addresses(
    of host: String, _ then: @escaping (Result<[String], UnknownHost>) -> Void)
}

/// Why a host has no address: the C library's words.
package struct UnknownHost: Error, Hashable, Sendable {
  package var reason: String

  package init(_ reason: String) { self.reason = reason }
}

/// Looks names up with the C library. It blocks, and it reads the system's settings, so a confined
/// process cannot use it. ``ThreadedNames`` does not block.
@MainActor
package final class SystemNames: NameSource {
  package nonisolated init() {}

  package func services(_ name: String, _ then: @escaping ([ServiceRecord]) -> Void) {
    then(ServiceRecord.lookUp(name))
  }

  package func addresses(
    of host: String, _ then: @escaping (Result<[String], UnknownHost>) -> Void
  ) { then(Self.addresses(of: host)) }

  nonisolated static func addresses(of host: String) -> Result<[String], UnknownHost> {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    let failure = getaddrinfo(host, nil, &hints, &list)
    defer { if let list { freeaddrinfo(list) } }
    guard failure == 0 else {
      return .failure(UnknownHost(String(cString: gai_strerror(failure))))
    }
    var result: [String] = []
    var next = list
    while let entry = next?.pointee {
      var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
      if let address = entry.ai_addr,
        getnameinfo(
          address, entry.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0
      {
        result.append(
          String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
      }
      next = entry.ai_next
    }
    return .success(result)
  }
}
