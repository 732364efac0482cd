// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Networks
import Sentences

/// The rooms that the owner is in or wants to be in, and the people in them.
struct Rooms: Sendable {
  /// The most people of one room whom the client remembers.
  static let mostMembers = 100_000
  static let most = 1_000
  /// How many milliseconds the client waits for the server to let the owner into a room.
  static let patience: Milliseconds = 120_000
  /// After how many milliseconds without another name a list counts as complete, since some servers
  /// never send its end (366).
  private static let pauseInNames: Milliseconds = 10_000

  /// By folded name.
  var byAddress: [String: Room] = [:]
  var people = People()
  /// The people who left in the last netsplit, each with a room: `ben #tea`.
  var split: Set<String> = []
  var splitAt: Milliseconds = 0
  /// The people who have left and are about to return with a new host, each with a room.
  var changingHosts: Set<String> = []

  subscript(_ address: String) -> Room? { byAddress[address] }

  /// How many rooms the owner is entering.
  var entering: Int { byAddress.values.count(where: \.isEntering) }

  mutating func noteWanted(_ address: String, _ names: ScopedNames) {
    byAddress[address] = Room(name: names.plain(address), isWanted: true)
  }

  /// The passwords of the rooms that the owner wants to be in, by address.
  var keys: [String: String] {
    byAddress.reduce(into: [:]) {
      if $1.value.isWanted, !$1.value.key.isEmpty { $0[$1.key] = $1.value.key }
    }
  }

  /// Reads passwords from the fact `keys`: `ROOM PASSWORD ROOM PASSWORD`. Neither has a blank.
  static func keys(_ fact: String?) -> [String: String] {
    let words = (fact ?? "").split(separator: " ").map(String.init)
    return Dictionary(
      stride(from: 1, to: words.count, by: 2).map { (words[$0 - 1], words[$0]) }
    ) { $1 }
  }

  static func fact(_ keys: [String: String]) -> String {
    keys.filter { !($0.key + $0.value).contains(where: \.isWhitespace) }
      .sorted { $0.key < $1.key }.map { $0.key + " " + $0.value }.joined(separator: " ")
  }

  mutating func note(keys: [String: String]) {
    for (address, key) in keys where byAddress[address]?.key.isEmpty == true {
      byAddress[address]?.key = key
    }
  }

  mutating func resetAll() {
    byAddress = byAddress.compactMapValues {
      $0.isWanted ? Room(name: $0.name, key: $0.key, isWanted: true, modes: $0.modes) : nil
    }
    people.forgetAll()
    changingHosts = []
  }

  // MARK: Entering and leaving

  /// Enters all wanted rooms; one line enters several that have no passwords.
  mutating func enterAll(in context: inout IRCContext) {
    let rooms = byAddress.values.filter { $0.state == .outside }.sorted { $0.name < $1.name }
    for room in rooms where !room.key.isEmpty {
      context.send(IRCLine("JOIN", [room.name, room.key]))
    }
    let most = context.support.targets(of: "JOIN")
    for names in rooms.filter(\.key.isEmpty).map(\.name).packed(",", most: most) {
      context.send(IRCLine("JOIN", [names]))
    }
    expectAll(in: &context)
  }

  /// Waits until the owner is in all wanted rooms. A bouncer enters them by itself.
  mutating func expectAll(in context: inout IRCContext) {
    for (address, room) in byAddress where room.state == .outside {
      byAddress[address]?.state = .entering
    }
    waitForEntries(&context)
  }

  private func waitForEntries(_ context: inout IRCContext) {
    if entering > 0 { context.clock.set(.entering, in: Self.patience) }
  }

  /// Treats the lists of names as complete, since no more names have arrived for a while.
  mutating func endLists(in context: inout IRCContext) {
    for room in byAddress.values where room.state == .listing {
      _ = noteEndOfNames(room.name, in: &context)
    }
  }

  /// Stops waiting for entries.
  mutating func endWaiting(in context: inout IRCContext) {
    if context.waiting.has("JOIN") { return waitForEntries(&context) }
    for (address, room) in byAddress {
      switch room.state {
      // The owner may have left the room with another program.
      case .entering where context.isBouncersNetwork && room.requests.isEmpty:
        byAddress[address]?.state = .outside
        context.requests.resume()
      case .entering: refuse(address, translated("The server does not answer."), in: &context)
      case .outside, .listing, .entered, .refused: break
      }
    }
  }

  mutating func join(_ request: NetworkRequest, in context: inout IRCContext) {
    let address = context.fold(request.target)
    if let room = byAddress[address], room.isInside { return context.answer(request, "") }
    guard byAddress.count < Self.most || byAddress[address] != nil else {
      return context.answer(request, translated("You are in too many rooms."))
    }
    var room = byAddress[address] ?? Room(name: context.names.plain(request.target))
    if !request.secret.isEmpty { room.key = request.secret }
    room.requests.append(request)
    byAddress[address] = room
    enter(room, at: address, in: &context)
  }

  private mutating func enter(_ room: Room, at address: String, in context: inout IRCContext) {
    byAddress[address]?.state = .entering
    waitForEntries(&context)
    context.enter(room.name, key: room.key)
  }

  /// Tries again to enter the rooms that are only for people who are logged in.
  mutating func enterAfterLogin(in context: inout IRCContext) {
    let refusal = IRCLine("477", [])
    for (address, room) in byAddress
    where room.isWanted && room.state == .refused(Self.refusal(of: room.name, refusal)) {
      enter(room, at: address, in: &context)
    }
  }

  mutating func leave(_ request: NetworkRequest, in context: inout IRCContext) {
    let address = context.fold(request.target)
    if let room = byAddress.removeValue(forKey: address) {
      removeMembers(of: room)
      for other in room.requests { context.answer(other, "") }
      if room.isInside || room.state == .entering {
        context.send(IRCLine("PART", [room.name] + (request.text.isEmpty ? [] : [request.text])))
      }
    }
    context.tell(.left(room: address, reason: nil))
    context.answer(request, "")
    context.requests.resume()
  }

  private mutating func removeMembers(of room: Room) {
    for member in room.members.nicks { people.leaveRoom(member) }
  }

  /// Notes that the owner is in a room now; the names follow.
  mutating func noteEntry(into name: String, in context: inout IRCContext) {
    let address = context.fold(name)
    guard context.isRoom(name), byAddress.count < Self.most || byAddress[address] != nil else {
      return
    }
    var room = byAddress[address] ?? Room(name: name)
    removeMembers(of: room)
    (room.name, room.members, room.state) = (name, RoomMembers(), .listing)
    byAddress[address] = room
    context.clock.set(.names, in: Self.pauseInNames)
  }

  /// Notes the server's refusal to let the owner in.
  ///
  /// - Returns: whether the line is about a room that the owner is entering.
  mutating func noteRefusal(
    _ name: String, _ line: IRCLine, in context: inout IRCContext
  ) -> Bool {
    let address = context.fold(name)
    guard let room = byAddress[address], room.state == .entering else { return false }
    refuse(address, Self.refusal(of: room.name, line), in: &context)
    return true
  }

  private mutating func refuse(
    _ address: String, _ sentence: Remark, in context: inout IRCContext
  ) {
    guard let room = byAddress[address] else { return }
    byAddress[address]?.state = .refused(sentence)
    byAddress[address]?.requests = []
    context.tell(
      room.isWanted
        ? .lost(room: address, reason: sentence) : .left(room: address, reason: sentence))
    for request in room.requests { context.answer(request, sentence) }
    context.requests.resume()
  }

  private static func refusal(of room: String, _ line: IRCLine) -> Remark {
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
    guard let room = byAddress[from], room.state == .entering, context.isRoom(to) else { return }
    byAddress[from] = nil
    let sentence: Remark = filled(("%1 redirected you to %2.", [room.name, to]))
    let address = context.fold(to)
    context.tell(
      .forwarded(room: from, to: address, reason: room.requests.isEmpty ? sentence : nil))
    for request in room.requests { context.answer(request, sentence) }
    // The outbox now refuses messages to the former room.
    context.requests.resume()
    if byAddress[address]?.isInside == true { return }
    byAddress[address, default: Room(name: to)].state = .entering
  }

  // MARK: Names

  /// Notes some names of a room (353).
  ///
  /// - Returns: whether the owner has just entered it.
  mutating func noteNames(_ line: IRCLine, in context: inout IRCContext) -> Bool {
    let address = context.fold(line.parameters.dropLast().last ?? "")
    guard byAddress[address]?.state == .listing, let names = line.parameters.last else {
      return false
    }
    context.clock.set(.names, in: Self.pauseInNames)
    let signs = context.support.ranks.signs
    for word in names.split(separator: " ") {
      let ranks = word.prefix { signs.contains($0) }
      let nick = IRCLine.Source(word.dropFirst(ranks.count)).nick
      if context.isMe(nick) { byAddress[address]?.ownSigns = String(ranks) }
      if nick.isEmpty || context.isMe(nick) { continue }
      add(nick, String(ranks), to: address, context.names)
    }
    return true
  }

  mutating func add(
    _ nick: String, _ ranks: String, to address: String, _ names: ScopedNames
  ) {
    let folded = names.fold(nick)
    guard let count = byAddress[address]?.members.nicks.count, count < Self.mostMembers
    else { return }
    people.note(nick, names)
    if byAddress[address]?.members[folded] == nil { people.enterRoom(folded) }
    byAddress[address]?.members[folded] = ranks
  }

  /// Notes the end of the names (366): the owner is in the room.
  ///
  /// - Returns: whether the owner has just entered.
  mutating func noteEndOfNames(_ name: String, in context: inout IRCContext) -> Bool {
    let address = context.fold(name)
    guard let room = byAddress[address], room.state == .listing else { return false }
    byAddress[address]?.state = .entered
    byAddress[address]?.isWanted = true
    byAddress[address]?.requests = []
    tellEntry(into: room, at: address, in: &context)
    for request in room.requests { context.answer(request, "") }
    context.requests.resume()
    return true
  }

  private func tellEntry(into room: Room, at address: String, in context: inout IRCContext) {
    context.tell(.joined(room: address, nick: context.nick))
    for nick in room.members.nicks { tellPresence(of: nick, in: address, &context) }
    if !room.ownSigns.isEmpty { tellOwnRank(in: address, &context) }
    // The name with its capitals, as in #Tea.
    if room.name != context.names.plain(address) {
      context.tell(.roomNamed(room: address, name: room.name + context.names.scope))
    }
  }

  // MARK: Leaving

  /// Notes that the owner is no longer in a room.
  ///
  /// - Parameter reason: a sentence; nil if the owner left it.
  mutating func noteOwnDeparture(from name: String, _ reason: Remark?, in context: inout IRCContext)
  {
    let address = context.fold(name)
    guard let room = byAddress.removeValue(forKey: address) else { return }
    removeMembers(of: room)
    context.tell(.left(room: address, reason: reason))
    context.requests.resume()
  }

  /// Notes another name of a room (IRCv3 channel-rename).
  ///
  /// - Parameter nick: who gave it; a server may have.
  mutating func rename(
    _ name: String, to new: String, by nick: String, in context: inout IRCContext
  ) {
    let (former, address) = (context.fold(name), context.fold(new))
    guard context.isRoom(new), former == address || byAddress[address]?.isInside != true,
      var room = byAddress.removeValue(forKey: former)
    else { return }
    room.name = new
    byAddress[address] = room
    if former != address {
      context.tell(
        .roomMoved(
          room: former, to: address, by: nick.contains(".") ? nil : people.user(nick, context),
          words: filled(("%1 is now called %2.", [name, new]))))
    }
    guard room.state == .entered else { return }
    tellEntry(into: room, at: address, in: &context)
  }
}
