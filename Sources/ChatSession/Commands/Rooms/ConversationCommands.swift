// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import StyledText

/// `/join`, `/leave`, `/msg`, `/switch`.
@MainActor
struct ConversationCommands {
  let context: CommandContext
  private var me: ID<Participant> { context.me.id }
  private var networks: NetworkCommands { NetworkCommands(context: context) }

  func join(_ argument: String, _ snapshot: borrowing Snapshot) throws -> Step {
    let words = argument.split(whereSeparator: \.isWhitespace).map(String.init)
    if words.count == 3, words[1] == Secrets.option {
      return try join(words[0], password: words[2], snapshot)
    }
    // A room on a network can have blanks and commas in its name.
    let isKnown = ((try? snapshot.room(argument, for: me)) ?? nil) != nil
    guard words.count == 1 || isKnown else { throw usage("join") }
    var names = [argument]
    // Commas separate several rooms, as in irssi.
    if argument.contains(","), !isKnown {
      names = argument.split(separator: ",").map(String.init)
    }
    guard let last = names.popLast() else { throw usage("join") }
    if names.isEmpty {
      if let question = try question(beforeJoining: last, snapshot) { return question }
      return try join(room(named: last, snapshot))
    }
    try refuseNearNames(names + [last], snapshot)
    let target = try room(named: last, snapshot)
    var others: [RoomToJoin] = []
    for name in names where name != last { others.append(try room(named: name, snapshot)) }
    return Step { transaction in
      var (names, outcomes) = ([SafeText](), [Outcome]())
      for other in others {
        let (room, isNew, more) = try join(other, transaction)
        let name = SafeText(name: room.name)
        names.append(isNew ? say("%1 (new room)", name) : name)
        outcomes += more
      }
      let (conversation, isNew, more) = try join(target, transaction)
      return outcomes + more + [
        .tell(say("You are also in %1.", names.joinedAsList())),
        .open(conversation, isNew: isNew),
      ]
    }
  }

  private func join(
    _ name: String, password: String, _ snapshot: borrowing Snapshot
  ) throws -> Step {
    guard let (account, address) = try networks.room(name, snapshot) else {
      throw Refusal(
        say(
          "%1 is a room on this machine; such rooms have no passwords.", SafeText(name: name)))
    }
    return join(.network(account, address: address, password: password))
  }

  // MARK: Joining

  /// The room that a name means.
  enum RoomToJoin {
    case network(Account, address: String, password: String)
    /// On this machine, created if it is missing.
    case local(String, isNew: Bool)
  }

  func room(named name: String, _ snapshot: borrowing Snapshot) throws -> RoomToJoin {
    if let (account, address) = try networks.room(name, snapshot) {
      return .network(account, address: address, password: "")
    }
    return try localRoom(named: name, snapshot)
  }

  /// The room of this machine that a name means.
  func localRoom(named name: String, _ snapshot: borrowing Snapshot) throws -> RoomToJoin {
    let isNew = try snapshot.room(name, for: me) == nil
    let bare = name.hasPrefix("#") ? String(name.dropFirst()) : name
    if isNew, try snapshot.belongsToARemovedRoom(bare) {
      throw Refusal(say("#%1 was removed; /search still finds its messages.", SafeText(name: bare)))
    }
    return .local(name, isNew: isNew)
  }

  /// Joins a room and creates it if it is missing; on a network, as soon as the network allows.
  func join(
    _ room: RoomToJoin, _ transaction: borrowing DurableTransaction
  ) throws -> (room: Conversation, isNew: Bool, outcomes: [Outcome]) {
    switch room {
    case .network(let account, let address, let password):
      let (room, outcomes) = try networks.join(
        address, password: password, of: account, transaction)
      return (room, false, outcomes)
    case .local(let name, let isNew):
      let room = try transaction.makeRoom(name, for: me)
      try transaction.join(me, room.id, isTold: true)
      return (room, isNew, isNew ? networks.hint(forNewRoom: name) : [])
    }
  }

  private func join(_ room: RoomToJoin) -> Step {
    Step { transaction in
      let (room, isNew, outcomes) = try join(room, transaction)
      return outcomes + [.open(room, isNew: isNew)]
    }
  }

  // MARK: Leaving

  func leave(_ argument: String, _ snapshot: borrowing Snapshot) throws -> Step {
    let target: Conversation
    if argument.isEmpty {
      target = try context.open.required()
    } else {
      // IRC has reasons for leaving; hobnob has none.
      if argument.contains(where: \.isWhitespace) { throw usage("leave") }
      if let step = try RequestsCommand(context: context).decline(argument, snapshot) {
        return step
      }
      guard let room = try snapshot.room(argument, for: me) else {
        throw RuleError.noSuchRoom(argument)
      }
      target = room
    }
    guard target.kind == .room else {
      throw Refusal(
        say(
          "%1 is a direct chat, and you cannot leave it; /switch goes elsewhere.",
          SafeText(name: target.name)))
    }
    guard try snapshot.isMember(me, of: target.id) else {
      throw RuleError.notAMember(target.name)
    }
    return Step { transaction in
      let outcomes = try networks.ask(.leave, in: target, transaction)
      try transaction.leave(me, target.id)
      return outcomes + [
        .tell(say("You left %1; /join %1 enters it again.", SafeText(name: target.name))),
        .left(target.id),
      ]
    }
  }

  // MARK: Going

  func message(_ argument: String, _ snapshot: borrowing Snapshot) throws -> Step {
    let name = argument.prefix { !$0.isWhitespace }
    guard !name.isEmpty else { throw usage("msg") }
    let text = argument.dropFirst(name.count).drop { $0.isWhitespace }
    try context.checkLength(of: String(text))
    let send: [Outcome] =
      text.isEmpty ? [] : [.send(OutgoingText(body: String(text), typed: "/msg " + argument))]
    return try open(directChatWith: String(name), then: send, snapshot)
  }

  private func open(
    directChatWith name: String, then more: [Outcome], _ snapshot: borrowing Snapshot
  ) throws -> Step {
    // On some networks, no person's address looks like a room's.
    if let rules = context.accounts.present(in: context.network, for: name)?.rules,
      rules.domain == nil, rules.isRoomAddress(name)
    {
      guard try snapshot.room(name, for: me) != nil else { throw RuleError.noSuchRoom(name) }
      throw try nobody(named: name, snapshot)
    }
    if let (account, address) = try networks.personOnNetwork(name, snapshot) {
      return Step {
        [.open(try $0.networkChat(with: address, of: account), isNew: false)] + more
      }
    }
    guard let person = try networks.known(name, snapshot) else {
      throw try nobody(named: name, snapshot)
    }
    guard person.id != me else { throw Refusal(say("That is you.")) }
    return Step { [.open(try $0.directChat(me, with: person.id), isNew: false)] + more }
  }

  /// `/notice WHOM TEXT`: opens the conversation and sends a notice there.
  func sendNotice(_ argument: String, _ snapshot: borrowing Snapshot) throws -> Step {
    let name = String(argument.prefix { !$0.isWhitespace })
    let text = argument.dropFirst(name.count).drop { $0.isWhitespace }
    guard !name.isEmpty, text.contains(where: { !$0.isWhitespace }) else { throw usage("notice") }
    try context.checkLength(of: String(text))
    let send = [
      Outcome.send(
        OutgoingText(body: String(text), kind: .notice, typed: "/notice " + argument))
    ]
    if let (account, address) = try? networks.room(name, snapshot),
      let room = try snapshot.room(address, of: account.network, for: me)
    {
      return Step([.open(room, isNew: false)] + send)
    }
    if name.hasPrefix("#") {
      guard let room = try snapshot.room(name, for: me) else { throw RuleError.noSuchRoom(name) }
      return Step([.open(room, isNew: false)] + send)
    }
    return try open(directChatWith: name, then: send, snapshot)
  }

  func switchTo(_ argument: String, _ snapshot: borrowing Snapshot) throws -> Step {
    guard !argument.isEmpty else { throw usage("switch") }
    if let move = ["-": Move.last, "+1": .next, "-1": .previous][argument] {
      var switcher = context.switcher
      let (found, _) = try switcher.target(
        of: move, from: context.open.conversation, for: context.me,
        context.settings.highlights, snapshot)
      guard let found else {
        throw Refusal(say("There is no other conversation to go to."))
      }
      return Step([.open(found, isNew: false)])
    }
    switch try nameMatch(for: argument, snapshot) {
    case .named(.conversation(let found)): return Step([.open(found, isNew: false)])
    case .named(.person(let person)):
      return Step { [.open(try $0.directChat(me, with: person.id), isNew: false)] }
    case .near(let near): return ask(near, for: argument)
    }
  }
}
