// SPDX-License-Identifier: GPL-3.0-or-later
import ChatParts
import ChatPreferences
import ChatRendering
import Composer
import Conversations
import StyledText

/// `/join`, `/leave`, `/msg`, `/switch`, and the names that people know from IRC.
@MainActor
package struct ConversationCommands {
  let context: CommandContext

  package init(context: CommandContext) { self.context = context }
  private var me: ID<Participant> { context.me.id }
  private var networks: NetworkCommands { NetworkCommands(context: context) }

  func join(_ argument: String, _ snapshot: borrowing Snapshot) throws -> Step {
    let words = argument.split(whereSeparator: \.isWhitespace).map(String.init)
    if words.count > 2, words[words.count - 2] == Secrets.option {
      let name = words.dropLast(2).joined(separator: " ")
      guard words.count == 3 || isOneRoom(name, snapshot) else { throw usage("join") }
      return try join(name, password: words[words.count - 1], snapshot)
    }
    let isOne = isOneRoom(argument, snapshot)
    guard words.count == 1 || isOne else { throw usage("join") }
    var names = [argument]
    // Commas separate several rooms, as in irssi.
    if argument.contains(","), !isOne {
      names = argument.split(separator: ",").map(String.init)
    }
    guard let last = names.popLast() else { throw usage("join") }
    if names.isEmpty {
      let target = try room(named: last, snapshot)
      if case .undecided(let name, let account) = target {
        return question(aboutSideOf: name, account)
      }
      return try question(beforeJoining: last, snapshot) ?? join(target)
    }
    try refuseNearNames(names + [last], snapshot)
    let target = try room(named: last, snapshot)
    var others: [RoomToJoin] = []
    for name in names where name != last { others.append(try room(named: name, snapshot)) }
    return Step { transaction in
      var (rooms, effects) = ([(id: ID<Conversation>, name: SafeText)](), [Effect]())
      for other in others {
        let (room, isNew, more) = try join(other, transaction)
        // Several names may mean one room.
        if rooms.contains(where: { $0.id == room.id }) { continue }
        let name = SafeText(name: room.name)
        rooms.append((room.id, isNew ? say("%1 (new room)", name) : name))
        effects += more
      }
      let (conversation, isNew, more) = try join(target, transaction)
      rooms.removeAll { $0.id == conversation.id }
      let also = say("You are also in %1.", rooms.map(\.name).joinedAsList())
      return effects + more + (rooms.isEmpty ? [] : [.tell(also)])
        + [.open(conversation, isNew: isNew)]
    }
  }

  /// Whether a text is one room whatever blanks and commas it has: the name of a known room, or an
  /// address on a network where any text can be one.
  private func isOneRoom(_ text: String, _ snapshot: borrowing Snapshot) -> Bool {
    if (try? snapshot.room(text, for: me)) ?? nil != nil { return true }
    if let named = context.accounts.list.first(where: { $0.withoutKind(text) != nil }) {
      return named.rules.isOpaque
    }
    let isOpaque = networks.account(of: context.open.conversation)?.rules.isOpaque == true
    return isOpaque && text.contains(where: \.isWhitespace)
  }

  private func join(
    _ name: String, password: String, _ snapshot: borrowing Snapshot
  ) throws -> Step {
    // Only rooms on networks have passwords.
    let there = networks.accountWithSign.flatMap { account in
      name.hasPrefix("#") ? account.address(ofRoom: name).map { (account, $0) } : nil
    }
    guard let (account, address) = try networks.room(name, snapshot) ?? there else {
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
    /// A new name that may also mean a room on the account's network.
    case undecided(String, Account)
  }

  func room(named name: String, _ snapshot: borrowing Snapshot) throws -> RoomToJoin {
    if let (account, address) = try networks.room(name, snapshot) {
      return .network(account, address: address, password: "")
    }
    let local = try localRoom(named: name, snapshot)
    guard case .local(_, isNew: true) = local, name.hasPrefix("#"), context.isInteractive,
      Naming.nameHere(name) == nil, let account = networks.accountWithSign,
      let address = account.address(ofRoom: name)
    else { return local }
    switch context.accounts.roomSide(of: account) {
    case .network: return .network(account, address: address, password: "")
    case .here: return local
    case nil: return .undecided(name, account)
    }
  }

  /// The room of this machine that a name means.
  func localRoom(named name: String, _ snapshot: borrowing Snapshot) throws -> RoomToJoin {
    let bare = try Naming.checkedRoomHere(Naming.bare(Naming.nameHere(name) ?? name))
    let isNew = try snapshot.roomHere(named: bare) == nil
    if isNew, try snapshot.belongsToARemovedRoom(bare) {
      throw Refusal(say("#%1 was removed; /search still finds its messages.", SafeText(name: bare)))
    }
    return .local(name, isNew: isNew)
  }

  /// Joins a room and creates it if it is missing; on a network, as soon as the network allows.
  func join(
    _ room: RoomToJoin, _ transaction: borrowing DurableTransaction
  ) throws -> (room: Conversation, isNew: Bool, effects: [Effect]) {
    switch room {
    case .network(let account, let address, let password):
      let (room, effects) = try networks.join(
        address, password: password, of: account, transaction)
      return (room, false, effects)
    case .undecided(let name, let account):
      throw Refusal(
        say(
          "%1 may be on this machine or on %2; name it alone: /join %1", SafeText(name: name),
          SafeText(line: account.server)))
    case .local(let name, let isNew):
      let room = try transaction.makeRoomHere(name, for: me)
      try transaction.join(me, room.id, isTold: true)
      return (room, isNew, isNew ? networks.hint(forNewRoom: name) : [])
    }
  }

  private func join(_ room: RoomToJoin) -> Step {
    Step { transaction in
      let (room, isNew, effects) = try join(room, transaction)
      return effects + [.open(room, isNew: isNew)]
    }
  }

  // MARK: Leaving

  func leave(_ argument: String, _ snapshot: borrowing Snapshot) throws -> Step {
    // Only /part takes a reason.
    if argument.contains(where: \.isWhitespace), !isOneRoom(argument, snapshot) {
      throw usage("leave")
    }
    return try leave(argument, saying: "", snapshot)
  }

  /// `/part [ROOM [REASON]]`, as on IRC.
  func part(_ argument: String, _ snapshot: borrowing Snapshot) throws -> Step {
    // A room's name can have blanks.
    if (try? snapshot.room(argument, for: me, in: context.open.id)) ?? nil != nil {
      return try leave(argument, saying: "", snapshot)
    }
    let (name, reason) = argument.firstWord
    return try leave(name, saying: reason, snapshot)
  }

  /// - Parameter reason: for the people of a network's room; on this machine, nobody sees it.
  private func leave(
    _ name: String, saying reason: String, _ snapshot: borrowing Snapshot
  ) throws -> Step {
    let target: Conversation
    if name.isEmpty {
      target = try context.open.required()
    } else {
      if let step = try RequestsCommand(context: context).decline(name, snapshot) { return step }
      guard let room = try snapshot.room(name, for: me, in: context.open.id) else {
        throw RuleError.noSuchRoom(name)
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
    // Once left, the name may mean a room of this machine.
    let isShared =
      try target.network != nil
      && snapshot.roomHere(named: String(target.name.dropFirst())) != nil
    let name = SafeText(name: try isShared ? snapshot.fullName(of: target) : target.name)
    return Step { transaction in
      let effects = try networks.ask(.leave, in: target, text: reason, transaction)
      try transaction.leave(me, target.id)
      return effects + [
        .tell(say("You left %1; /join %1 enters it again.", name)),
        .left(target.id),
      ]
    }
  }

  // MARK: Going

  /// `/msg NAME` opens a direct chat; `/msg NAME TEXT` only sends there.
  func message(_ argument: String, _ snapshot: borrowing Snapshot) throws -> Step {
    let (name, text) = networks.personFirst(of: argument, snapshot)
    guard !name.isEmpty else { throw usage("msg") }
    guard let text = try outgoing(text, typed: "/msg " + argument) else {
      return try withDirectChat(named: name, snapshot) { [.open($0, isNew: false)] }
    }
    return try withDirectChat(named: name, snapshot) { [.send(text.to($0))] }
  }

  /// `/query NAME [TEXT]`: opens a direct chat, and sends there.
  func query(_ argument: String, _ snapshot: borrowing Snapshot) throws -> Step {
    let (name, text) = networks.personFirst(of: argument, snapshot)
    guard !name.isEmpty else { throw usage("query") }
    let send = try outgoing(text, typed: "/query " + argument).map { [Effect.send($0)] } ?? []
    return try withDirectChat(named: name, snapshot) { [.open($0, isNew: false)] + send }
  }

  /// `/notice WHOM TEXT`: sends a notice to a person or a room.
  func sendNotice(_ argument: String, _ snapshot: borrowing Snapshot) throws -> Step {
    let (name, text) = argument.firstWord
    guard !name.isEmpty, let text = try outgoing(text, .notice, typed: "/notice " + argument)
    else { throw usage("notice") }
    let rules = context.accounts.present(in: context.network, for: name)?.rules
    let isRoom = name.hasPrefix("#") || rules?.hasRoomSign(name) == true
    if isRoom || name.contains("@"), !name.hasPrefix("@"),
      let room = try snapshot.room(name, for: me, in: context.open.id)
    {
      return Step([.send(text.to(room))])
    }
    if isRoom { throw RuleError.noSuchRoom(name) }
    return try withDirectChat(named: name, snapshot) { [.send(text.to($0))] }
  }

  /// The text of a command; nil if it is blank.
  private func outgoing(
    _ text: String, _ kind: Message.Kind = .text, typed: String
  ) throws -> OutgoingText? {
    guard text.contains(where: { !$0.isWhitespace }) else { return nil }
    try context.scene.checkLength(of: text)
    return OutgoingText(body: text, kind: kind, typed: typed)
  }

  /// A step with the direct chat with somebody, which is created if it is missing.
  private func withDirectChat(
    named name: String, _ snapshot: borrowing Snapshot,
    _ effects: @escaping (Conversation) -> [Effect]
  ) throws -> Step {
    // On some networks, no person's address looks like a room's.
    if let rules = context.accounts.present(in: context.network, for: name)?.rules,
      rules.hasRoomSign(name)
    {
      guard try snapshot.room(name, for: me, in: context.open.id) != nil else {
        throw RuleError.noSuchRoom(name)
      }
      throw try nobody(named: name, snapshot)
    }
    if let (account, address) = try networks.personOnNetwork(name, snapshot) {
      return Step { effects(try $0.networkChat(with: address, of: account)) }
    }
    guard let person = try networks.known(name, snapshot) else {
      throw try nobody(named: name, snapshot)
    }
    guard person.id != me else { throw Refusal(say("That is you.")) }
    return Step { effects(try $0.directChat(me, with: person.id)) }
  }

  /// `/win N`: the conversation with a number in `/list`.
  func goToNumber(_ argument: String, _ snapshot: borrowing Snapshot) throws -> Step {
    guard let number = Int(written: argument, in: 1...Int.max) else { throw usage("win") }
    guard let found = try Navigator.conversation(number, for: me, snapshot) else {
      throw Refusal(say("/list has no number %1.", SafeText(number)))
    }
    return Step([.open(found, isNew: false)])
  }

  func switchTo(_ argument: String, _ snapshot: borrowing Snapshot) throws -> Step {
    guard !argument.isEmpty else { throw usage("switch") }
    if let move = ["-": Move.last, "+1": .next, "-1": .previous][argument] {
      var navigator = context.navigator
      let (found, _) = try navigator.target(
        of: move, for: context.me, context.settings.highlights, snapshot)
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
