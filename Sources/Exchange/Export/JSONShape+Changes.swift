// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

extension JSONShape {
  /// The reaction of `?2` with the emoji `?3` to the message with the row `?1`.
  fileprivate static let oneReaction = """
    SELECT \(line(JSONTable.reaction, [
      .uid: "lower(hex(m.uid))", .conversation: conversationObject("c"), .number: "m.number",
      .time: time("r.at"), .sender: personObject("p"),
      .name: Participant.name(of: "p", in: "m.conversation"), .emoji: "r.emoji",
      .removed: "iif(r.removed, json('true'), NULL)", .failure: "json(\(value("r.failure")))",
    ]))
    FROM reaction r JOIN message m ON m.id = r.message
    JOIN conversation c ON c.id = m.conversation JOIN participant p ON p.id = r.participant
    WHERE r.message = ?1 AND r.participant = ?2 AND r.emoji = ?3
    """

  /// That `?2` has received the messages up to the number `?3` in the conversation `?1`, and seen
  /// those up to `?4`.
  fileprivate static let reached = """
    SELECT \(line(JSONTable.reader, [
      .conversation: conversationObject("c"), .participant: personObject("p"),
      .delivered: "nullif(?3, 0)", .seen: "nullif(?4, 0)",
    ]))
    FROM conversation c JOIN participant p ON p.id = ?2 WHERE c.id = ?1
    """
}

extension OrderedChange {
  /// The type of the line for it, and the word for what changed.
  fileprivate var line: (type: JSONType, word: JSONTable.Change) {
    switch what {
    case .new: (JSONTable.message, .new)
    case .edited: (JSONTable.message, .edited)
    case .deleted: (JSONTable.message, .deleted)
    case .state: (JSONTable.message, .state)
    case .event: (JSONTable.event, .new)
    case .reached: (JSONTable.reader, .state)
    case .reaction(_, _, let isRemoved): (JSONTable.reaction, isRemoved ? .deleted : .new)
    }
  }
}

extension Access {
  /// A change as one line of JSON: the object of hobnob-json(5), with the members `change` and
  /// `position`. Nil if what changed no longer exists.
  package func jsonLine(of change: OrderedChange) throws -> String? {
    let object: String? =
      switch change.what {
      case .new(let message), .edited(let message), .deleted(let message), .state(let message):
        try jsonLine(of: message)
      case .reaction(let message, let emoji, _):
        try database.first(
          JSONShape.oneReaction, message, change.person, emoji, read: JSONShape.line)
      case .event: try jsonLine(ofEvent: change.position)
      case .reached(let delivered, let seen):
        try database.first(
          JSONShape.reached, change.conversation, change.person, delivered, seen,
          read: JSONShape.line)
      }
    let line = change.line
    return object.map {
      line.type.adding(
        [.change: .text(line.word.rawValue), .position: .integer(change.position)], to: $0)
    }
  }
}
