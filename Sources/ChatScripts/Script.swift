// SPDX-License-Identifier: GPL-3.0-or-later
import ChatPreferences
import ChatRendering
import Conversations
import StyledText

/// What commands for scripts work with (rule 11.3): the store, the person, standard output.
@MainActor
struct Script {
  let store: Store
  let me: Participant
  let settings: Settings
  let glyphs: Glyphs
  let output = StandardOutput()

  /// How to fold long bodies on a terminal (rule 12.5); nil for a file or a pipe, which gets whole
  /// bodies.
  var folding: BodyPreview? {
    StandardOutput.isTerminal ? BodyPreview(mostLines: settings.foldLines) : nil
  }

  /// The conversation that a command line names: a bare name is a room, `#room` and `@name` are a
  /// room and a person (rule 11.2).
  ///
  /// - Parameters:
  ///   - creates: whether to create a missing conversation (rule 11.7).
  ///   - joins: whether to enter a room.
  func conversation(
    _ name: String, creates: Bool = false, joins: Bool = false
  ) throws -> Conversation {
    do {
      let found = try known(name)
      guard creates || joins, found.kind == .room else { return found }
      guard found.network != nil else { return try joins ? entered(found) : found }
      // Nobody who was removed enters again by a script.
      return try store.writeDurablyIfNeeded {
        let membership = try $0.membership(of: me.id, in: found.id)
        return membership == .member || membership == .removed
          ? found
          : try $0.findOrCreateConversation(named: $0.fullName(of: found), for: me.id)
      }
    } catch let error as RuleError {
      switch error {
      case .noSuchRoom where creates, .noSuchParticipant where creates:
        let made = try store.writeDurably {
          try $0.findOrCreateConversation(named: name, for: me.id)
        }
        return try joins && made.network == nil && made.kind == .room ? entered(made) : made
      case .noSuchRoom, .noSuchParticipant: throw try onNetwork(name) ?? error
      default: throw error
      }
    }
  }

  /// Enters a room of this machine, and tells the others (rule 13.5).
  private func entered(_ room: Conversation) throws -> Conversation {
    try store.writeDurablyIfNeeded { try $0.join(me.id, room.id, isTold: true) }
    return room
  }

  private func known(_ name: String) throws -> Conversation {
    if name.hasPrefix("@") { return try chat(with: name) }
    if let room = try store.read({ try $0.room(name, for: me.id) }) { return room }
    // The room that every shell opens first exists even before anyone has opened it.
    if name == "lobby" || name == "#lobby" {
      return try store.writeDurablyIfNeeded { try $0.makeRoomHere(name, for: me.id) }
    }
    if !name.hasPrefix("#"),
      try store.read({
        try (name.contains("@") || $0.accounts(of: me.id).contains { $0.isNamed(in: name) })
          && $0.find(participant: name, for: me.id) != nil
      })
    {
      return try chat(with: name)
    }
    try store.read { try $0.refuseRemoved(room: name) }
    throw RuleError.noSuchRoom(name)
  }

  /// Says how to create a conversation for an address that an account of the person reaches; nil
  /// for any other name.
  private func onNetwork(_ name: String) throws -> Refusal? {
    guard try store.read({ try $0.accountReaching(name, of: me.id) }) != nil else { return nil }
    let shown = SafeText(line: name)
    return Refusal(
      name.hasPrefix("@")
        ? say("You have no chat with %1; hobnob send --create %1 begins one.", shown)
        : say("You have no room %1; hobnob send --create %1 enters it.", shown))
  }

  private func chat(with name: String) throws -> Conversation {
    guard let person = try store.read({ try $0.find(participant: name, for: me.id) }) else {
      throw RuleError.noSuchParticipant(name)
    }
    guard person.id != me.id else {
      throw Refusal(say("%1 is your own name; name somebody else.", SafeText(line: name)))
    }
    // A person whom the store does not know has no chats.
    guard !isNobody else { throw RuleError.noSuchRoom(name) }
    return try store.writeDurablyIfNeeded { try $0.directChat(me.id, with: person.id) }
  }

  /// Refuses to write into a network's room that the person is not in any more, with the reason:
  /// its name stays bound to it (rule 11.2).
  func requireEntry(to room: Conversation) throws {
    guard room.kind == .room, room.network != nil else { return }
    let (membership, reason, name) = try store.read {
      (
        try $0.membership(of: me.id, in: room.id),
        try $0.reasonForRemoval(of: me.id, from: room.id),
        SafeText(name: try $0.fullName(of: room))
      )
    }
    switch membership {
    case .member, .never: return
    case .removed:
      throw Refusal(
        say(
          "You are no longer in %1 (%2); to enter it again, type /join %1 in hobnob.", name,
          SafeText(line: reason)))
    case .left:
      throw Refusal(say("You left %1; to enter it again, type /join %1 in hobnob.", name))
    }
  }

  /// The message with number N or, for -N, the Nth newest, by any sender (rule 7.5).
  func message(_ typed: Int, in conversation: Conversation) throws -> Message {
    try store.read { try $0.message(named: typed, in: conversation.id, for: me.id) }
  }

  /// The message with number N or, for -N, the person's own Nth newest (rule 7.5).
  func messageToChange(
    _ number: Int, in conversation: Conversation, missing: RuleError
  ) throws -> Message {
    try requireEntry(to: conversation)
    return try store.read {
      try $0.message(toChange: number, in: conversation.id, by: me.id, missing: missing)
    }
  }

  /// Whether a message mentions this person, or is to them alone (rule 7.10).
  func isForMe(_ message: Message) -> Bool {
    message.names(me, settings.highlights)
      || message.kind != .notice
        && (try? store.read { try $0.conversation(message.conversation, for: me.id) })??.kind
          == .direct
  }

  /// The id of a person whom the store does not know; see `Launch.reader`.
  static let nobody = ID<Participant>(rawValue: 0)

  var isNobody: Bool { me.id == Self.nobody }

  /// This person's id; nil while the store does not know them. Another process may add them.
  var knownID: ID<Participant>? {
    get throws {
      isNobody ? try store.read { try $0.participant(ifKnown: me.identity) }?.id : me.id
    }
  }

  static func noSuchPerson(named name: String) -> Refusal {
    Refusal(say("No one named %1 has used this store.", SafeText(line: name)))
  }

  /// How many messages to keep in memory.
  nonisolated static let page = 200

  /// The message for a rule's error, for someone who has no prompt to type at; nil if the error's
  /// own words fit.
  func refusal(for error: RuleError) throws -> Refusal? {
    switch error {
    case .noSuchRoom(let name) where name.hasPrefix("@"):
      Refusal(say("There is no direct chat with %1.", SafeText(line: name)))
    case .noSuchRoom(let name) where !name.contains("@"):
      try noRoom(called: name)
    case .noSuchParticipant(let name):
      Self.noSuchPerson(named: name)
    case .notAMember(let name):
      Refusal(
        say(
          "You are not in %1; hobnob send --join enters a room and writes to it.",
          SafeText(name: name)))
    case .cannotReply(let name):
      Refusal(
        say(
          "The network of %1 cannot show which message you answer; send it without --reply.",
          SafeText(name: name)))
    default: nil
    }
  }

  private func noRoom(called name: String) throws -> Refusal {
    // Without its sign, a room's name needs no quotes in a shell; `##tea` keeps both.
    let bare = name.hasPrefix("#") ? String(name.dropFirst()) : name
    let shown = SafeText(line: name.hasPrefix("##") ? "'\(name)'" : bare)
    if let near = Conversation.nearest(
      to: name, among: try store.read { try $0.rooms(for: me.id) }.map(\.name))
    {
      return Refusal(
        say(
          "There is no room %1; did you mean %2? To make the room, run: hobnob open %3",
          SafeText(line: name.hasPrefix("#") ? name : "#" + name), SafeText(name: near), shown))
    }
    return Refusal(
      say(
        "There is no room %1; to make it, run hobnob open %1 or hobnob send --create %1.", shown)
    )
  }
}

extension Launch {
  /// Opens what a command for scripts needs, and closes it afterwards.
  ///
  /// - Parameter creates: whether to create a missing store or person; commands that only read
  ///   create none.
  func script(creates: Bool = false, _ body: (Script) throws -> Int32) throws -> Int32 {
    let rc = try loadRc { StandardError.say($0) }
    let store = try openStore(create: creates)
    defer { store.close() }
    var me = try creates ? participant(in: store, rc: rc) : reader(in: store, rc: rc)
    me.nicknames = try store.read { try $0.roomNicknames(of: me.id) }
    let script = Script(store: store, me: me, settings: rc.settings, glyphs: glyphs)
    do {
      let status = try body(script)
      try script.output.finish()
      return status
    } catch {
      // Results from before the error are still an answer.
      script.output.flush()
      throw try (error as? RuleError).flatMap { try script.refusal(for: $0) } ?? error
    }
  }
}
