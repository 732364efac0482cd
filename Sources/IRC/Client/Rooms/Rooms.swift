// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Networks
import Sentences

/// The rooms that the owner is in or wants to be in, and the people in them.
struct Rooms: Sendable {
  /// People of one room whom the client remembers.
  private static let mostMembers = 100_000
  private static let most = 1_000

  /// By folded name.
  private(set) var byAddress: [String: Room] = [:]
  /// The people of a netsplit, and those who come back, whose lines arrive one by one.
  var people = People()

  subscript(_ address: String) -> Room? { byAddress[address] }

  var count: (entering: Int, entered: Int) {
    byAddress.values.reduce(into: (0, 0)) {
      switch $1.state {
      case .entering, .listing: $0.0 += 1
      case .entered: $0.1 += 1
      case .outside, .refused: break
      }
    }
  }

  mutating func noteWanted(_ address: String, _ names: ScopedNames) {
    byAddress[address] = Room(name: names.plain(address))
  }

  mutating func resetAll() {
    for (address, room) in byAddress {
      byAddress[address]?.members = [:]
      if case .refused = room.state { continue }
      byAddress[address]?.state = .outside
    }
    people.removeAll()
  }

  // MARK: Entering and leaving

  /// Enters all wanted rooms, several with one line.
  mutating func enterAll(in context: inout IRCContext) {
    let wanted = byAddress.filter { $0.value.state == .outside }
    // Keys belong to the first rooms of a line.
    let rooms = wanted.sorted {
      ($0.value.key.isEmpty ? 1 : 0, $0.key) < ($1.value.key.isEmpty ? 1 : 0, $1.key)
    }
    var names: [String] = []
    var keys: [String] = []
    func line() -> IRCLine {
      IRCLine(
        "JOIN",
        [names.joined(separator: ",")] + (keys.isEmpty ? [] : [keys.joined(separator: ",")]))
    }
    for (address, room) in rooms {
      names.append(room.name)
      if !room.key.isEmpty { keys.append(room.key) }
      if names.count > 1,
        line().text.utf8.count > 500 || names.count > context.support.targets(of: "JOIN")
      {
        names.removeLast()
        if !room.key.isEmpty { keys.removeLast() }
        context.send(line())
        names = [room.name]
        keys = room.key.isEmpty ? [] : [room.key]
      }
      byAddress[address]?.state = .entering
    }
    if !names.isEmpty { context.send(line()) }
  }

  mutating func join(_ request: NetworkRequest, in context: inout IRCContext) {
    let address = context.fold(request.target)
    if let room = byAddress[address], room.isInside { return context.answer(request, "") }
    guard byAddress.count < Self.most || byAddress[address] != nil else {
      return context.answer(request, translated("You are in too many rooms."))
    }
    var room = byAddress[address] ?? Room(name: context.names.plain(request.target))
    if !request.secret.isEmpty { room.key = request.secret }
    room.request = request
    room.state = .entering
    byAddress[address] = room
    context.send(IRCLine("JOIN", [room.name] + (room.key.isEmpty ? [] : [room.key])))
  }

  mutating func leave(_ request: NetworkRequest, in context: inout IRCContext) {
    let address = context.fold(request.target)
    if let room = byAddress.removeValue(forKey: address) {
      removeMembers(of: room)
      if room.isInside || room.state == .entering { context.send(IRCLine("PART", [room.name])) }
    }
    context.tell(.left(room: address, reason: nil))
    context.answer(request, "")
  }

  private mutating func removeMembers(of room: Room) {
    for member in room.members.keys { people.leaveRoom(member) }
  }

  /// Notes that the owner is in a room now; the names follow.
  mutating func noteEntry(into name: String, in context: inout IRCContext) {
    let address = context.fold(name)
    if let former = byAddress[address] { removeMembers(of: former) }
    byAddress[address, default: Room(name: name)].name = name
    byAddress[address]?.members = [:]
    byAddress[address]?.state = .listing
  }

  /// Notes the server's refusal to let the owner in.
  ///
  /// - Returns: whether the line is about a room that the owner is entering.
  mutating func noteRefusal(_ line: IRCLine, in context: inout IRCContext) -> Bool {
    let address = context.fold(line[1])
    guard let room = byAddress[address], room.state == .entering else { return false }
    let sentence = Self.refusal(of: room.name, line)
    byAddress[address]?.state = .refused(sentence)
    byAddress[address]?.request = nil
    context.needsPump = true
    if let request = room.request {
      // Nobody was in it before.
      context.tell(.left(room: address, reason: sentence))
      context.answer(request, sentence)
    } else {
      context.tell(.lost(room: address, reason: sentence))
    }
    return true
  }

  private static func refusal(of room: String, _ line: IRCLine) -> String {
    let words = line.parameters.last ?? ""
    let sentence: Sentence =
      switch line.command {
      case "471": ("%1 is full.", [room])
      case "473": ("You need an invitation to enter %1.", [room])
      case "474": ("%1 has banned you.", [room])
      case "475": ("%1 has a password: /join %1 --password PASSWORD", [room])
      case "477": ("%1 is only for people who are logged in to an account of the network.", [room])
      case "489": ("%1 is only for people with an encrypted connection.", [room])
      case "405", "407": ("You are in too many rooms.", [])
      case "403", "476", "479": ("The server has no room %1 (%2).", [room, words])
      default: ("You cannot enter %1 (%2).", [room, words])
      }
    return filled(sentence)
  }

  /// Follows the server to another room.
  mutating func forward(_ line: IRCLine, in context: inout IRCContext) {
    let (from, to) = (context.fold(line[1]), line[2])
    guard let room = byAddress.removeValue(forKey: from) else { return }
    let sentence = filled(("%1 sent you to %2.", [room.name, to]))
    context.tell(.left(room: from, reason: room.request == nil ? sentence : nil))
    if let request = room.request { context.answer(request, sentence) }
    if byAddress[context.fold(to)] == nil { byAddress[context.fold(to)] = Room(name: to) }
    byAddress[context.fold(to)]?.state = .entering
  }

  // MARK: Names

  /// Notes some names of a room (353).
  mutating func noteNames(_ line: IRCLine, in context: IRCContext) {
    let address = context.fold(line.parameters.dropLast().last ?? "")
    guard byAddress[address]?.state == .listing, let names = line.parameters.last else { return }
    let signs = context.support.ranks.signs
    for word in names.split(separator: " ") {
      let ranks = word.prefix { signs.contains($0) }
      let nick = IRCLine.Source(word.dropFirst(ranks.count)).nick
      if nick.isEmpty || context.isMe(nick) { continue }
      add(nick, String(ranks), to: address, context.names)
    }
  }

  private mutating func add(
    _ nick: String, _ ranks: String, to address: String, _ names: ScopedNames
  ) {
    let folded = names.fold(nick)
    guard let room = byAddress[address], room.members.count < Self.mostMembers else { return }
    people.note(nick, names)
    if byAddress[address]?.members.updateValue(ranks, forKey: folded) == nil {
      people.enterRoom(folded)
    }
  }

  /// Notes the end of the names (366): the owner is in the room.
  ///
  /// - Returns: whether the owner has just entered.
  mutating func noteEndOfNames(_ name: String, in context: inout IRCContext) -> Bool {
    let address = context.fold(name)
    guard let room = byAddress[address], room.state == .listing else { return false }
    context.tell(.joined(room: address, nick: context.nick))
    tellMembers(of: room, at: address, in: &context)
    // The name with its capitals, as in #Tea.
    if room.name != context.names.plain(address) {
      context.tell(.roomNamed(room: address, name: room.name + context.names.scope))
    }
    byAddress[address]?.state = .entered
    byAddress[address]?.wasInside = true
    if let request = room.request {
      byAddress[address]?.request = nil
      context.answer(request, "")
    }
    context.needsPump = true
    return true
  }

  private func tellMembers(of room: Room, at address: String, in context: inout IRCContext) {
    for (nick, signs) in room.members {
      guard let person = people[nick] else { continue }
      context.tell(
        .present(
          people.user(person.nick, context), room: address, rank: context.rank(for: signs)))
    }
  }

  // MARK: What people do

  mutating func noteJoin(of line: IRCLine, _ nick: String, in context: inout IRCContext) {
    let address = context.fold(line[0])
    guard byAddress[address]?.isInside == true else { return }
    if context.has("extended-join"), line.parameters.count > 1 {
      noteLogin(of: nick, People.Login(line[1]), in: &context)
    }
    add(nick, "", to: address, context.names)
    if byAddress[address]?.state == .entered {
      context.tell(.present(people.user(nick, context), room: address))
    }
  }

  mutating func noteLogin(
    of nick: String, _ login: People.Login, in context: inout IRCContext
  ) {
    if let event = people.setLogin(of: nick, login, in: context) { context.tell(event) }
  }

  /// Notes that somebody left a room, or was removed.
  mutating func noteDeparture(
    of nick: String, from name: String, removal: String?, in context: inout IRCContext
  ) {
    let (address, folded) = (context.fold(name), context.fold(nick))
    guard byAddress[address]?.members.removeValue(forKey: folded) != nil else { return }
    context.tell(.absent(people.user(nick, context), room: address, removal: removal))
    people.leaveRoom(folded)
  }

  /// Notes that the owner is no longer in a room.
  ///
  /// - Parameter reason: a sentence; nil if the owner left it.
  mutating func noteOwnDeparture(from name: String, _ reason: String?, in context: inout IRCContext)
  {
    let address = context.fold(name)
    guard let room = byAddress.removeValue(forKey: address) else { return }
    removeMembers(of: room)
    context.tell(.left(room: address, reason: reason))
    context.needsPump = true
  }

  /// Notes that somebody left the network.
  mutating func noteQuit(of nick: String, removal: String?, in context: inout IRCContext) {
    let folded = context.fold(nick)
    let user = people.user(nick, context)
    for (address, room) in byAddress where room.members[folded] != nil {
      byAddress[address]?.members[folded] = nil
      context.tell(.absent(user, room: address, removal: removal))
    }
    people.remove(folded)
  }

  /// Notes a new nick of somebody else.
  mutating func noteNick(of nick: String, _ new: String, in context: inout IRCContext) {
    let (former, folded) = (context.fold(nick), context.fold(new))
    people.note(nick, context.names)
    people.rename(nick, to: new, context.names)
    for (address, room) in byAddress {
      guard let ranks = room.members[former] else { continue }
      byAddress[address]?.members[former] = nil
      byAddress[address]?.members[folded] = ranks
    }
    context.tell(.renamed(people.user(new, context), room: nil, former: nick))
  }

  // MARK: Modes

  /// Notes the modes of a room, or a change to them.
  mutating func noteModes(
    _ name: String, _ words: ArraySlice<String>, in context: inout IRCContext
  ) {
    let address = context.fold(name)
    guard byAddress[address] != nil, let first = words.first else { return }
    let ranks = context.support.ranks
    var (isSet, arguments) = (true, words.dropFirst())
    for mode in first {
      if mode == "+" || mode == "-" {
        isSet = mode == "+"
        continue
      }
      let argument =
        context.support.hasParameter(mode, isSet: isSet) ? arguments.popFirst() : nil
      if let rank = ranks.modes.firstIndex(of: mode) {
        guard let nick = argument.map({ context.fold($0) }),
          var signs = byAddress[address]?.members[nick]
        else { continue }
        signs.removeAll { $0 == ranks.signs[rank] }
        if isSet { signs.append(ranks.signs[rank]) }
        byAddress[address]?.members[nick] = signs
        if let person = people[nick] {
          context.tell(
            .ranked(
              people.user(person.nick, context), room: address, rank: context.rank(for: signs)))
        }
      } else if let former = byAddress[address]?.modes {
        byAddress[address]?.modes = former.filter { $0 != mode } + (isSet ? String(mode) : "")
      }
      if mode == "k", let argument, argument != "*" {
        byAddress[address]?.key = isSet ? argument : ""
      }
    }
  }

  mutating func setModes(_ name: String, _ modes: String, in context: IRCContext) {
    byAddress[context.fold(name)]?.modes = modes.filter { $0 != "+" }
  }

  mutating func rename(_ name: String, to new: String, in context: inout IRCContext) {
    let (former, address) = (context.fold(name), context.fold(new))
    guard var room = byAddress.removeValue(forKey: former) else { return }
    room.name = new
    byAddress[address] = room
    context.tell(
      .left(room: former, reason: filled(("%1 is called %2 now.", [name, new]))))
    context.tell(.joined(room: address, nick: context.nick))
    tellMembers(of: room, at: address, in: &context)
  }
}
