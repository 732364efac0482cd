// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import StyledText

/// How a command line names a conversation (rule 11.2).
extension Launch {
  /// A bare name is a room, `#room` and `@name` are what they say.
  func find(_ name: String, in store: Store, for me: Participant) throws -> Conversation {
    if name.hasPrefix("@") {
      guard let person = try store.find(participant: name) else {
        throw RuleError.noSuchParticipant(name)
      }
      guard person.id != me.id else {
        throw Refusal(say("%1 is you yourself.", SafeText(line: name)))
      }
      return try store.direct(me.id, with: person.id)
    }
    // The room that every shell opens first is there before anyone has opened one.
    let isLobby = name == "lobby" || name == "#lobby"
    guard let room = try store.room(name, create: isLobby) else { throw RuleError.noSuchRoom(name) }
    return room
  }
}
