// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// A server's promise to be reachable with TLS, which lasts beyond the connection
/// (IRCv3 Strict Transport Security).
struct StrictTransport: Hashable, Sendable {
  var port: UInt16
  /// How many milliseconds it lasts after each connection, and when it ends (wall clock).
  var duration: Milliseconds
  var end: Milliseconds

  /// Reads the fact that the account keeps about it: `PORT DURATION END`.
  init?(_ fact: String?) {
    let parts = (fact ?? "").split(separator: " ")
    guard parts.count == 3, let port = UInt16(parts[0]), let duration = Milliseconds(parts[1]),
      let end = Milliseconds(parts[2])
    else { return nil }
    (self.port, self.duration, self.end) = (port, duration, end)
  }

  /// - Parameters:
  ///   - value: the value of the capability `sts` over TLS.
  ///   - port: the port of this connection.
  init?(_ value: String, port: UInt16, at now: Milliseconds) {
    guard let seconds = value.value(of: "duration").flatMap({ Int($0) }), seconds >= 0 else {
      return nil
    }
    duration = Milliseconds(min(seconds, 10 * 365 * 86_400)) * 1_000
    (self.port, end) = (port, now + duration)
  }

  /// The fact to keep; empty if the server has withdrawn the promise.
  var fact: String { duration > 0 ? "\(port) \(duration) \(end)" : "" }

  /// The port with TLS to which a connection without TLS must change; nil if there is none.
  static func port(in value: String) -> UInt16? {
    value.value(of: "port").flatMap { UInt16($0) }.flatMap { $0 > 0 ? $0 : nil }
  }
}
