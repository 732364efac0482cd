// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox

/// What the wire of a network tells its process.
package enum WireReport: Sendable {
  /// Logged in: what waits in the store may be given to it.
  case up
  /// What goes on, for the status line.
  case status(String)
  case news([NetworkEvent])
  /// What is to be kept as a fact about the account's server.
  case learned(String, String)
  /// The connection is gone, or never was. `isFinal`: another try would end the same way.
  case down(reason: String, isFinal: Bool)
}

/// The connection of one account to its network: all that a network process has to have of its own.
@MainActor
package protocol Wire: AnyObject {
  /// Called in the loop; set before `connect`. The wire may be told something during a report, which
  /// waits until it has done what it was at.
  var report: (WireReport) -> Void { get set }
  /// Begins to connect and to log in, with the account's settings and the facts about its server;
  /// what comes of it is reported.
  func connect(secret: String, settings: [String: String])
  /// All that waits for the network. What was given before is known by its id.
  func take(outbox: [OutboxEntry], requests: [NetworkRequest], signals: [NetworkSignal])
  /// Whether it reads what comes. While it does not, nothing counts as received.
  var isReading: Bool { get set }
  /// The address of the server in digits, while there is a connection.
  var server: String? { get }
  /// Whether it does something that would have to begin anew, or that nobody else knows of.
  var isBusy: Bool { get }
  /// Says goodbye, as far as that goes without waiting. Nothing is reported of this connection any
  /// more.
  func close()
}

extension Wire {
  package var server: String? { nil }
  package var isBusy: Bool { false }
}
