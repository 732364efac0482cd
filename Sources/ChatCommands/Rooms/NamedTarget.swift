// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// What a person means by a name: `@name`, `#room`, or a bare name, which is a room (rule 11.2), or
/// else a person.
enum NamedTarget {
  case conversation(Conversation)
  case person(Participant)
}

extension Access {
  /// - Parameter open: the conversation where the person types it.
  /// - Throws: `RuleError.noSuchRoom`, `.noSuchParticipant`.
  func target(
    named name: String, for me: ID<Participant>, in open: ID<Conversation>? = nil
  ) throws -> NamedTarget {
    if name.hasPrefix("@") {
      guard let person = try find(participant: name, for: me, in: open), person.id != me else {
        throw RuleError.noSuchParticipant(name)
      }
      return .person(person)
    }
    if let room = try room(name, for: me, in: open) { return .conversation(room) }
    if !name.hasPrefix("#"), let person = try find(participant: name, for: me, in: open),
      person.id != me
    {
      return .person(person)
    }
    throw RuleError.noSuchRoom(name)
  }
}

extension DurableTransaction {
  /// The conversation that a person means by a name: a room, or the direct chat with somebody.
  package func conversation(meantBy name: String, me: ID<Participant>) throws -> Conversation {
    switch try target(named: name, for: me) {
    case .conversation(let found): found
    case .person(let person): try directChat(me, with: person.id)
    }
  }
}
