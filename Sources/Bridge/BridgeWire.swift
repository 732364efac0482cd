// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Networks
import Platform
import Sentences

/// The connection of an account by a program of its own: hobnob and the program write lines of JSON
/// to each other, as hobnob-bridge(7) explains.
@MainActor
package final class BridgeWire: Wire {
  package var report: (WireReport) -> Void = { _ in }
  package var isReading = true {
    didSet { channel?.isReading = isReading }
  }
  private let lease: AccountLease
  private let loop: EventLoop
  private let folder: String
  private let open: () throws -> any LineChannel
  private var channel: (any LineChannel)?

  /// - Parameters:
  ///   - folder: the program's own, the only one from which files of messages are taken.
  ///   - open: starts the program.
  package init(
    _ lease: AccountLease, loop: EventLoop, folder: String,
    open: @escaping () throws -> any LineChannel
  ) {
    (self.lease, self.loop, self.folder, self.open) = (lease, loop, folder, open)
  }

  package func connect(secret: String, settings: [String: String], facts: [String: String]) {}

  package func deliver(
    outbox: [OutboxEntry], requests: [NetworkRequest], signals: [NetworkSignal],
    noteTried: (Set<OutboxEntry.ID>) throws -> Void
  ) throws {}

  package func close() {
    channel?.stop()
    channel = nil
  }
}
