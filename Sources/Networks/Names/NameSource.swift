// SPDX-License-Identifier: GPL-3.0-or-later
import Sentences

/// Looks up host names for a network process.
@MainActor
package protocol NameSource: AnyObject {
  /// The records of a name such as `_ircs._tcp.example.org`; empty if there are none, or if the
  /// look-up fails.
  func services(_ name: String, _ then: @escaping ([ServiceRecord]) -> Void)
  /// The addresses of a host in digits, the best first.
  func addresses(
    of host: String, _ then: @escaping (Result<[String], UnknownHost>) -> Void)
}

/// Why a host has no address, usually in the resolver's words.
package struct UnknownHost: Error, Hashable, Sendable {
  package var reason: Remark

  package init(_ reason: Remark) { self.reason = reason }
}
