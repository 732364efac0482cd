// SPDX-License-Identifier: GPL-3.0-or-later
import Sentences

/// What each line means, for people who write a program.
package enum BridgeMeaning {
  /// - Parameter type: of a line that a program writes.
  package static func ofProgramLine(_ type: String) -> String? {
    fromProgram[type].map { translated($0) }
  }

  /// By the types of `BridgeTable.fromProgram`.
  static let fromProgram: [String: StaticString] = [
    "hello": "the network introduces itself and says what it can do",
    "up": "logged in: hobnob hands over what waits",
    "down": "not connected; unless it is final, hobnob starts the program again later",
    "status": "what the program is doing",
    "message": "a message",
    "edited": "somebody changed the text of a message",
    "deleted": "somebody deleted a message",
    "removed": "a moderator removed a message",
    "reaction": "somebody reacted to a message, or no longer does",
    "sent": "the network has this entry",
    "part": "the network has a part of this entry",
    "failed": "the network does not take this entry",
    "bounced": "the network returned a message that it had taken",
    "receipt": "somebody received or saw messages",
    "read": "the owner has read so far on another device",
    "typing": "somebody is typing, or no longer is",
    "room": "the owner is in this room now",
    "left": "the owner has left this room",
    "lost": "the owner is no longer in this room",
    "here": "somebody is in the room",
    "gone": "somebody left the room",
    "renamed": "somebody has another name",
    "ranked": "somebody has another rank in the room",
    "topic": "the room's topic",
    "invited": "somebody invites the owner to a room",
    "person": "a person: the name, whether online, whether a contact",
    "wants_contact": "somebody wants to be a contact of the owner",
    "notice": "something to tell the owner",
    "can": "what is possible in this conversation",
    "answer": "how a request ended; without a text, it was done",
    "ask": "a question to the owner",
    "keep": "a value to give back at the next start",
    "mark": "the store has everything up to here, once this is stored",
    "page": "what follows in this batch is a page of older messages",
    "gap": "messages are missing that the network will not send",
    "begin": "what follows is stored together",
    "commit": "the end of what is stored together",
    "offline": "nobody is known to be online any more",
  ]
}
