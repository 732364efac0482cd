// SPDX-License-Identifier: GPL-3.0-or-later

/// Something a network has to do for a message.
public struct OutboxEntry: Identifiable, Hashable, Sendable {
  public enum Operation: Int, Hashable, Sendable {
    case send = 0
    case edit = 1
    case delete = 2
    /// Someone reacted to the message, not necessarily its sender; see `OutboxEntry.reaction`.
    case react = 3
  }

  /// How the network's attempt ended.
  public enum Outcome: Hashable, Sendable {
    /// The server has it.
    case sent
    /// It will not be tried again by itself; the reason is shown to the sender.
    case failed(String)
  }

  public var id: Int64
  /// The message as it was when the outbox was read. Give the entry back to `Store.settle`
  /// unchanged: a text that was edited meanwhile is noticed by the difference.
  public var message: Message
  public var operation: Operation
  /// With the operation `react`: who reacted, and with what now.
  public var reaction: Reaction?

  public init(id: Int64, message: Message, operation: Operation, reaction: Reaction? = nil) {
    self.id = id
    self.message = message
    self.operation = operation
    self.reaction = reaction
  }
}
