// SPDX-License-Identifier: GPL-3.0-or-later
import ChatPreferences
import Conversations
import StyledText

/// The conversations that an agent may see (rule 11.9): all are on this machine.
@MainActor
struct AgentRooms {
  private let script: Script
  /// Nil for all rooms that the agent has joined.
  private let named: [ID<Conversation>]?

  /// Enters the rooms with these names.
  ///
  /// - Parameter names: of `--rooms`; none for all rooms that the agent has joined.
  /// - Throws: ``Refusal`` for a conversation on a network.
  init(_ script: Script, named names: [String] = []) throws {
    self.script = script
    let found = try names.map { name in
      guard try script.conversation(name).network == nil else {
        throw Refusal(
          say("%1 is on a network; hobnob mcp serves this machine only.", SafeText(line: name)))
      }
      return try script.conversation(name, joins: true).id
    }
    named = found.isEmpty ? nil : found
  }

  func all() throws -> [Conversation] {
    try script.store.read { snapshot in
      try (named ?? snapshot.joined(by: script.me.id))
        .compactMap { try snapshot.conversation($0, for: script.me.id) }
        .filter { $0.network == nil && !$0.isRemoved && (named != nil || $0.kind == .room) }
    }
  }

  /// The conversation with this name, with or without its sign.
  ///
  /// - Throws: ``Refusal`` if there is none among the allowed ones, whatever else the store has.
  func conversation(_ name: String) throws -> Conversation {
    let all = try all()
    if let found = all.first(where: {
      Naming.same($0.name, name) || $0.kind == .room && Naming.same($0.name, "#" + name)
    }) {
      return found
    }
    throw Refusal(
      all.isEmpty
        ? say("You are in no room.")
        : say(
          "%1 is not one of your conversations: %2.", SafeText(line: name),
          all.map { SafeText(name: $0.name) }.joinedAsList()))
  }

  /// Shows the others that the agent is a program, and that it has their messages (rule 7.3).
  func takePart() throws {
    let all = try all()
    try script.store.writeIfNeeded { transaction in
      for each in all { try transaction.markAsProgram(script.me.id, in: each.id) }
      guard script.settings.receipts else { return }
      try transaction.noteDelivered(
        to: script.me.id,
        upTo: Dictionary(uniqueKeysWithValues: all.map { ($0.id, $0.lastNumber) }))
    }
  }
}
