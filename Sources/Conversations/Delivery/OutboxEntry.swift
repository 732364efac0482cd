// SPDX-License-Identifier: GPL-3.0-or-later

/// Something a network has to do for a message.
package struct OutboxEntry: Identifiable, Hashable, Sendable {
  package enum Operation: Int, Hashable, Sendable {
    case send = 0
    case edit = 1
    case delete = 2
    /// Someone reacted to the message, not necessarily its sender; see `OutboxEntry.reaction`.
    case react = 3
  }

  /// How the network's attempt ended.
  package enum Outcome: Hashable, Sendable {
    /// The server has it.
    case sent
    /// It will not be tried again by itself; the reason is shown to the sender.
    case failed(String)
  }

  package var id: Int64
  /// The message as it was when the outbox was read. Give the entry back to `Store.finish`
  /// unchanged: a text that was edited meanwhile is noticed by the difference.
  package var message: Message
  package var operation: Operation
  /// With the operation `react`: who reacted, and with what now.
  package var reaction: Reaction?

  package init(id: Int64, message: Message, operation: Operation, reaction: Reaction? = nil) {
    self.id = id
    self.message = message
    self.operation = operation
    self.reaction = reaction
  }
}
