// SPDX-License-Identifier: GPL-3.0-or-later
import ChatParts
import ChatPreferences
import ChatRendering
import Conversations
import StyledText

/// `/topic`, `/invite`, `/room`: commands about the conversation itself (rule 10).
@MainActor
struct RoomCommands {
  let context: CommandContext
  private var networks: NetworkCommands { NetworkCommands(context: context) }

  // MARK: The room

  /// The longest topic, in characters: a topic is a line, not a long text.
  private static let topicLimit = 300

  func topic(_ argument: String, _ snapshot: borrowing Snapshot) throws -> Step {
    let conversation = try context.open.required()
    guard !argument.isEmpty else {
      return .answer(
        [
          conversation.topic.isEmpty
            ? StyledLine(say("%1 has no topic.", SafeText(name: conversation.name)), .dim)
            : conversation.topicLine
        ])
    }
    guard argument.count <= Self.topicLimit else {
      throw Refusal(
        say(
          "A topic can have at most %1 characters; this one has %2.", SafeText(Self.topicLimit),
          SafeText(argument.count)))
    }
    let wanted = argument == "-" ? "" : argument
    if conversation.kind == .room, networks.carries(conversation) {
      return Step { try networks.ask(.topic, in: conversation, text: wanted, $0) }
    }
    return .change { _ = try $0.setTopic(wanted, of: conversation.id, by: context.me.id) }
  }

  func invitePerson(_ argument: String, _ snapshot: borrowing Snapshot) throws -> Step {
    guard let argument = networks.onlyPerson(argument, snapshot) else { throw usage("invite") }
    let conversation = try context.open.required()
    if conversation.kind == .room, conversation.network != nil, networks.carries(conversation) {
      let address = try networks.contactAddress(named: argument, snapshot).address
      return Step { try networks.ask(.invite, in: conversation, person: address, $0) }
    }
    // Only people of this machine can be in a room of it.
    let name = argument.contains("@") ? argument : argument + "@"
    guard let person = try snapshot.find(participant: name, for: context.me.id) else {
      throw RuleError.noSuchParticipant(argument)
    }
    return Step {
      guard try $0.inviteToRoom(person.id, to: conversation.id, by: context.me.id) else {
        return [
          .tell(
            say(
              "%1 is in %2 already.", SafeText(name: person.name),
              SafeText(name: conversation.name)))
        ]
      }
      return [.catchUp]
    }
  }

  /// `/room rename NAME`, `/room remove`.
  func room(_ argument: String, _ snapshot: borrowing Snapshot) throws -> Step {
    let words = argument.split(whereSeparator: \.isWhitespace).map(String.init)
    let conversation = try context.open.requiredAsMember()
    switch words.first {
    case "rename" where words.count == 2:
      return .change { _ = try $0.rename(conversation.id, to: words[1], by: context.me.id) }
    case "remove" where words.count == 1:
      try snapshot.requireMaker(of: conversation.id, context.me.id)
      try context.requireTerminal("/room remove")
      return .ask(
        Question(
          say("Remove %1? /search still finds its messages.", SafeText(name: conversation.name)),
          [("y", say("yes"), .removal(conversation.id))], otherwise: say("any other key: no")))
    default: throw usage("room")
    }
  }

  func remove(_ room: ID<Conversation>) -> Step {
    .change([.left(room)]) { try $0.remove(room, by: context.me.id) }
  }
}
