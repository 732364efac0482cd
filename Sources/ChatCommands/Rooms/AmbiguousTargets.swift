// SPDX-License-Identifier: GPL-3.0-or-later
import ChatParts
import ChatPreferences
import Composer
import Conversations
import StyledText

/// A name that does not exist but resembles one that does: at a prompt, hobnob asks which you mean.
extension ConversationCommands {
  /// Asks before creating a room whose name resembles another's; nil if nobody can answer or no
  /// name is similar.
  func question(beforeJoining name: String, _ snapshot: borrowing Snapshot) throws -> Step? {
    guard let near = try near(toRoom: name, snapshot) else { return nil }
    return .ask(Self.question(aboutRoom: name, near: near, making: .room(name)))
  }

  private static func question(
    aboutRoom name: String, near: String, making intent: Intent
  ) -> Question {
    let shown = SafeText(name: signed(name))
    return Question(
      say("There is no room %1.", shown),
      [
        ("y", say("join %1", SafeText(name: near)), .room(near)),
        ("m", say("make %1", shown), intent),
      ], otherwise: say("any other key: neither"))
  }

  /// Asks whether a new name with the sign of a network's rooms means a room there or here; hobnob
  /// remembers the answer for that sign (rule 11.2).
  func question(aboutSideOf name: String, _ account: Account) -> Step {
    .ask(
      Question(
        say("Where is %1? hobnob asks only once.", SafeText(name: Self.signed(name))),
        [
          ("n", say("on %1", SafeText(line: account.server)), .roomSide(name, .network)),
          ("m", say("on this machine"), .roomSide(name, .here)),
        ], otherwise: say("any other key: neither")))
  }

  /// Asks which of several rooms or people of one name a command line means; nil if nobody can
  /// answer, or if the name is not the command's first argument.
  package static func question(
    aboutMeaningOf name: String, _ candidates: [String], in line: String
  ) -> Step? {
    let command = line.prefix { !$0.isWhitespace }
    let rest = line.dropFirst(command.count)
    let blanks = rest.prefix(while: \.isWhitespace)
    let argument = rest.dropFirst(blanks.count)
    let sign = !name.hasPrefix("@") && argument.hasPrefix("@") ? "@" : ""
    guard argument.hasPrefix(sign + name), candidates.count < 10 else { return nil }
    let after = argument.dropFirst(sign.count + name.count)
    let answers = candidates.enumerated().map { index, candidate -> Question.Answer in
      (
        Character(String(index + 1)), SafeText(name: sign + candidate),
        .line(command + blanks + sign + candidate + after)
      )
    }
    return .ask(
      Question(
        say("Which %1?", SafeText(name: sign + name)), answers,
        otherwise: say("any other key: none")))
  }

  /// Asks whether to make the room that the command line names (rule 11.7).
  ///
  /// - Parameter subcommand: one with a similar name, which you may mean.
  package func question(
    aboutRoom name: String, subcommand: String?, _ snapshot: borrowing Snapshot
  ) throws -> Question {
    let shown = SafeText(name: Self.signed(name))
    if let subcommand {
      return Question(
        say(
          "There is no room %1; did you mean hobnob %2?", shown, SafeText(line: subcommand)),
        [("y", say("make %1", shown), .newRoom(name))], otherwise: say("any other key: stay here"))
    }
    let rooms = try snapshot.rooms(for: context.me.id).map(\.name)
    if let near = Conversation.nearest(to: name, among: rooms) {
      return Self.question(aboutRoom: name, near: near, making: .newRoom(name))
    }
    return Question(
      say("There is no room %1.", shown), [("y", say("make it"), .newRoom(name))],
      otherwise: say("any other key: stay here"))
  }

  /// Refuses a list of rooms to join if a name in it is similar to an existing one, since hobnob
  /// does not ask about each.
  ///
  /// - Throws: if one of the names cannot be a room's, so that you join all or none.
  func refuseNearNames(_ names: [String], _ snapshot: borrowing Snapshot) throws {
    for name in names {
      guard let near = try near(toRoom: name, snapshot) else { continue }
      throw Refusal(
        say(
          "There is no room %1. Did you mean %2? To create %1, name it alone: /join %1",
          SafeText(name: Self.signed(name)), SafeText(name: near)))
    }
  }

  /// - Returns: nil for an existing room, for the full name of one of this machine, or for a room on
  ///   a network, where nobody knows all rooms.
  /// - Throws: for an invalid room name.
  private func near(toRoom name: String, _ snapshot: borrowing Snapshot) throws -> String? {
    guard case .local(_, isNew: true) = try room(named: name, snapshot), context.isInteractive,
      // Nobody types a full name by mistake.
      Naming.nameHere(name) == nil
    else { return nil }
    return Conversation.nearest(
      to: name, among: try snapshot.rooms(for: context.me.id).map(\.name))
  }

  /// What a typed name means.
  enum NameMatch {
    case named(NamedTarget)
    /// A similar name exists: ask about it.
    case near(String)
  }

  /// Finds a conversation or a person by name, or by the number in `/list` if no room or person has
  /// that name.
  ///
  /// - Throws: a ``Refusal`` if no name matches, and none is similar.
  func nameMatch(for name: String, _ snapshot: borrowing Snapshot) throws -> NameMatch {
    do {
      return .named(try snapshot.target(named: name, for: context.me.id, in: context.open.id))
    } catch let error as RuleError {
      switch error {
      case .noSuchRoom, .noSuchParticipant: break
      default: throw error
      }
      if name.allSatisfy({ $0.isASCII && $0.isNumber }), let number = Int(name) {
        if let found = try Navigator.conversation(
          number, for: context.me.id, snapshot)
        {
          return .named(.conversation(found))
        }
        throw Refusal(
          say("There is no room named %1, and /list has no number %1.", SafeText(number)))
      }
      let mine = try snapshot.listing(for: context.me.id).map(\.conversation.name)
      let all = try mine + snapshot.rooms(for: context.me.id).map(\.name) + otherPeople(snapshot)
      guard context.isInteractive,
        let near = Conversation.nearest(to: name, among: all, beginning: true)
      else { throw error }
      return .near(near)
    }
  }

  /// Asks whether you mean the similar name.
  func ask(_ near: String, for name: String) -> Step {
    Step([
      .holdDraft,
      .ask(
        Question(
          say("There is no %1.", SafeText(name: Self.signed(name))),
          [("y", say("go to %1", SafeText(name: near)), .conversation(near))],
          otherwise: say("any other key: stay"))),
    ])
  }

  /// The names of everyone except the person, with `@`.
  private func otherPeople(_ snapshot: borrowing Snapshot) throws -> [String] {
    try snapshot.participants(for: context.me.id).filter { $0.id != context.me.id }.map {
      "@" + $0.name
    }
  }

  /// The message for an unknown addressee: who or what you may mean.
  ///
  /// - Throws: `RuleError.ambiguous` for a word that may be a server or a name on one.
  func nobody(named name: String, _ snapshot: borrowing Snapshot) throws -> Refusal {
    if !name.hasPrefix("@"),
      let room = try snapshot.room(name, for: context.me.id, in: context.open.id)
    {
      let command: SafeText =
        try snapshot.isMember(context.me.id, of: room.id) ? "/switch" : "/join"
      return Refusal(
        say("%1 is a room; %2 %1 goes there.", SafeText(name: room.name), command))
    }
    let bare = name.hasPrefix("@") ? String(name.dropFirst()) : name
    let shown = SafeText(name: bare)
    if let near = Conversation.nearest(
      to: "@" + bare, among: try otherPeople(snapshot), beginning: true)
    {
      return Refusal(
        say(
          "There is no one named %1; did you mean /msg %2?", shown,
          SafeText(name: String(near.dropFirst()))))
    }
    if let account = context.accounts.forStranger(named: bare, from: context.network),
      let address = try snapshot.address(ofPerson: bare, on: account)
    {
      return Refusal(
        say(
          "No one named %1 has used this store; for somebody on %2, type /msg %3.", shown,
          SafeText(line: account.server), SafeText(line: account.fullWord(for: address))))
    }
    return Refusal(say("No one named %1 has used this store.", shown))
  }

  /// The step that an answer to a question leads to.
  package func step(for intent: Intent, _ snapshot: borrowing Snapshot) throws -> Step {
    switch intent {
    case .room(let name): return try goTo(room(named: name, snapshot))
    case .newRoom(let name): return try goTo(localRoom(named: name, snapshot))
    case .roomSide(let name, let side): return try goTo(roomNamed: name, on: side, snapshot)
    case .conversation(let name):
      return Step {
        [.openKeepingDraft(try $0.conversation(meantBy: name, me: context.me.id), isNew: false)]
      }
    case .keep(let conversation, let age):
      return KeepCommand(context: context).set(age, in: conversation)
    case .removal(let room): return RoomCommands(context: context).remove(room)
    case .unencrypted(let conversation):
      return EncryptCommand(context: context).ask("off", in: conversation)
    case .deviceRemoval(let number, let account):
      return DeviceCommands(context: context).remove(number, of: account)
    // These are about the line: the session or its shell carries them out.
    case .line, .attach, .paste, .clear, .send, .nothing, .typing: return Step()
    }
  }

  private func goTo(
    roomNamed name: String, on side: RoomSide, _ snapshot: borrowing Snapshot
  ) throws -> Step {
    guard let account = NetworkCommands(context: context).accountWithSign,
      let address = account.address(ofRoom: name)
    else { return try goTo(localRoom(named: name, snapshot)) }
    var step = try goTo(
      side == .network
        ? .network(account, address: address, password: "") : localRoom(named: name, snapshot))
    guard var settings = context.accounts.ownSettings(of: account) else { return step }
    settings.values[RoomSide.option] = side.rawValue
    let change = step.change
    step.change = { [settings] transaction in
      try context.accounts.set(settings, of: account, transaction)
      return try change?(transaction) ?? []
    }
    return step
  }

  private func goTo(_ room: RoomToJoin) throws -> Step {
    if case .undecided(let name, let account) = room {
      return question(aboutSideOf: name, account)
    }
    return Step { transaction in
      let (room, isNew, effects) = try join(room, transaction)
      return effects + [.openKeepingDraft(room, isNew: isNew)]
    }
  }

  /// The name, with `#` if it has no sign.
  private static func signed(_ name: String) -> String {
    name.hasPrefix("#") || name.hasPrefix("@") ? name : "#" + name
  }
}
