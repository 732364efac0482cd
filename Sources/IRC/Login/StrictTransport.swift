// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// A server's promise that it can be reached with TLS, which lasts after the connection
/// (IRCv3 Strict Transport Security).
package struct StrictTransport: Hashable, Sendable {
  package var port: UInt16
  /// Milliseconds for which it lasts after each connection, and when it ends (wall clock).
  package var duration: Milliseconds
  package var end: Milliseconds

  /// The form among the facts about the server: `PORT DURATION END`.
  package init?(_ fact: String?) {
    let parts = (fact ?? "").split(separator: " ")
    guard parts.count == 3, let port = UInt16(parts[0]), let duration = Milliseconds(parts[1]),
      let end = Milliseconds(parts[2])
    else { return nil }
    (self.port, self.duration, self.end) = (port, duration, end)
  }

  /// - Parameters:
  ///   - value: of the capability `sts` over TLS.
  ///   - port: that of this connection.
  package init?(_ value: String, port: UInt16, at now: Milliseconds) {
    guard let seconds = value.value(of: "duration").flatMap({ Int($0) }), seconds >= 0 else {
      return nil
    }
    duration = Milliseconds(min(seconds, 10 * 365 * 86_400)) * 1_000
    (self.port, end) = (port, now + duration)
  }

  /// Empty for a promise that the server has taken back.
  package var fact: String { duration > 0 ? "\(port) \(duration) \(end)" : "" }

  /// The port with TLS that a connection without TLS has to change to; nil for none.
  package static func port(in value: String) -> UInt16? {
    value.value(of: "port").flatMap { UInt16($0) }.flatMap { $0 > 0 ? $0 : nil }
  }
}
