// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Networks
import Sentences

/// An XMPP client as a value, without a connection or a store: events go in, effects come out.
///
/// Its parts have their own state; they report and send through the ``ClientContext``. What a
/// function of one part returns is for the other parts.
///
/// ```swift
/// var client = Client(account: anna, marks: marks, rooms: rooms)
/// for effect in client.handle(.up(jid: full, features: features), at: Clock.wall()) { … }
/// ```
struct Client: NetworkClient {
  var context: ClientContext
  var server = ServerFeatures()
  var roster = Roster()
  var rooms = Rooms()
  var bookmarks = Bookmarks()
  var archives: Archives
  var outbox = Outbox()
  var uploads = UploadQueue()
  var receipts = ReceiptRequests()
  var typing = TypingStates()
  /// Nil if this client cannot encrypt, as where it has no file for keys.
  var encryption: Encryption?
  /// Whether the owner was told of a stanza that this connection skipped.
  private var hasToldOfSkipped = false
  /// The abilities that were reported last.
  var toldAbilities: NetworkAbilities?

  /// - Parameters:
  ///   - account: the account's address; its resource is ignored.
  ///   - settings: `nick` is the nickname for rooms; without it, that is the local part of the
  ///     address.
  ///   - marks: the last `caughtUp` of each archive.
  ///   - newest: for each archive, when the newest message that it has delivered was sent.
  ///   - writtenTo: the people whom the owner has written to, the most recent first.
  ///   - rooms: the rooms to enter at the start.
  ///   - away: the owner's away message; nil if they are not away.
  ///   - encryption: the keys; nil to encrypt nothing.
  ///   - random: the source of ids.
  init(
    account: Address, settings: [String: String] = [:], marks: [String: String] = [:],
    newest: [String: Milliseconds] = [:], writtenTo: [String] = [], rooms: [WantedRoom] = [],
    away: String? = nil, encryption: Encryption? = nil,
    random: any RandomNumberGenerator = SystemRandomNumberGenerator()
  ) {
    let owner = Owner(account, nick: settings["nick"], away: away)
    context = ClientContext(owner: owner, random: random)
    self.encryption = encryption
    archives = Archives(marks: marks, newest: newest)
    for address in writtenTo.compactMap({ Address($0) }) {
      roster.noteOwnerWrote(to: address.bare)
    }
    for room in rooms { self.rooms.noteWanted(room, owner: owner) }
  }

  /// Reacts to an event.
  ///
  /// - Parameter now: what the wall clock shows, in milliseconds since 1970. It may jump.
  /// - Returns: what to do, in order. Events are stored before anything that relies on them is
  ///   sent. Only the request for an archive's next page is sent before, so that the server works
  ///   on it in the meantime.
  mutating func handle(_ event: ClientEvent, at now: Milliseconds) -> [ClientEffect] {
    context.clock.move(to: now)
    switch event {
    case .up(let jid, let features): connect(as: jid, features)
    case .down: disconnect(isTheirs: true)
    case .givenUp: disconnect(isTheirs: false)
    case .stanzas(let stanzas): for stanza in stanzas where context.isUp { handle(stanza) }
    case .part(let answer): if context.isUp { handle(part: answer) }
    case .skipped(let stanza, let bytes): if context.isUp { handleSkipped(stanza, bytes: bytes) }
    case .acknowledged(let entries): for id in entries { acknowledge(id) }
    case .uploaded(let entry, let result): finishUpload(entry, result)
    case .tried(let ids):
      outbox.stanzas.noteTried(ids)
      context.needsPump = true
    case .requests(let new): context.add(new)
    case .signals(let signals): if context.isUp { for signal in signals { handle(signal) } }
    case .tick: context.clock.woke()
    }
    for alarm in context.clock.takeDue() { handle(alarm) }
    if context.isUp {
      runRequests()
      sendPostponedMarkers()
      encrypt()
      pump()
    }
    if let update = encryption?.takeUpdate() {
      // The process stores the texts first, then writes the keys, and then sends.
      context.output.addFirst(.act(.keep(update)))
    }
    return context.takeEffects(status: context.isUp ? status : nil)
  }

  /// Changes the owner's nickname, from the next connection on, in all rooms without a nickname of
  /// their own.
  ///
  /// - Parameter wanted: nil for the local part of the address.
  mutating func setNick(_ wanted: String?) {
    let former = context.owner.nick
    context.owner.setNick(wanted)
    rooms.rename(from: former, to: context.owner.nick)
  }

  /// Continues from `now` as if no time had passed: answers that were not read in that time are not
  /// late.
  mutating func skip(to now: Milliseconds) { context.clock.skip(to: now) }

  // MARK: The connection

  private mutating func connect(as jid: Address, _ features: Element) {
    disconnect(isTheirs: false)
    context.owner.jid = jid
    server = ServerFeatures(stream: features)
    hasToldOfSkipped = false
    archives.beginAll()
    context.tell(.named(nick: context.owner.name))

    let (account, domain) = (context.owner.account, Address(domain: context.owner.account.domain))
    let info = Element("query", namespace: Feature.info)
    context.sendIQ("get", info, to: domain, .serverInfo)
    context.sendIQ("get", info, to: account, .accountInfo)
    roster.fetch(hasVersions: server.hasRosterVersions, in: &context)
    context.sendIQ("get", Element("query", namespace: Feature.items), to: domain, .items)
    bookmarks.fetch(in: &context)
    rooms.enterAll(in: &context)
  }

  /// - Parameter isTheirs: whether the server closed it; one of our stanzas may be the reason.
  private mutating func disconnect(isTheirs: Bool) {
    guard context.isUp else { return }
    context.disconnect()
    context.tell(.offline())
    typing = TypingStates()
    roster.forgetPresence()
    rooms.resetAll()
    archives.resetAll()
    outbox.noteBreak(at: context.clock.time, isTheirs: isTheirs)
    for id in outbox.connectionKillers {
      refuse(
        id,
        translated(
          "The server closed the connection each time hobnob sent this. It may be too long for the server."
        )
      )
    }
    uploads.disconnect()
    encryption?.disconnect()
  }

  /// Looks after the keys of the owner and of the people to whom lines wait.
  private mutating func encrypt() {
    encryption?.keep(rooms: rooms.byAddress.keys)
    guard encryption != nil, archives.isRead(.account) else { return }
    encryption?.publish(in: &context)
    guard context.needsPump else { return }
    let awaited = Set(outbox.stanzas.values.filter(\.isWaiting).map(\.destination))
    encryption?.watch(awaited: awaited)
    encryption?.renewLists(
      for: awaited, unless: { [roster] in roster.contacts[$0]?.isSeen == true }, in: &context)
    for destination in awaited { encryption?.noteWaiting(destination, in: &context) }
    encryption?.mend(in: &context)
    encryption?.answerInspections(in: &context)
    encryption?.announceUndecided(in: &context)
    encryption?.announceMembers(in: &context)
    encryption?.attend(to: server.abilities, in: &context)
  }

  private mutating func handle(_ alarm: Alarm) {
    switch alarm {
    case .iq(let id):
      if let iq = context.takeOverdueIQ(id) { dispatch(.silence, to: iq) }
    case .room(let address): rooms.byAddress[address]?.check(in: &context)
    case .archive(let key): archives.askNextPage(of: key, in: &context)
    case .upload: context.needsPump = true
    case .strangers: context.tell(.countStrangers)
    case .keys: context.needsPump = true
    }
  }

  private mutating func handle(_ stanza: Element) {
    guard stanza.namespace.isEmpty else { return }
    let from = stanza["from"].flatMap(Address.init)
    // A sender that is not a valid address is not the account either.
    guard from != nil || stanza["from"] == nil else { return }
    switch stanza.name {
    case "message": handleMessage(stanza, from)
    case "presence": if let from { handlePresence(stanza, from) }
    case "iq": handleIQ(stanza, from)
    default: break
    }
  }

  private mutating func handlePresence(_ stanza: Element, _ from: Address) {
    let room = from.bare
    if rooms[room] != nil { noteRoom(stanza, room) }
    guard rooms[room] != nil else { return roster.applyPresence(stanza, from: from, in: &context) }
    guard stanza["type"] == "error" else {
      return apply(
        rooms.byAddress[room]?.applyPresence(stanza, from: from, &typing, in: &context))
    }
    // The error is about another nickname that the owner asked for, or about the first one.
    if !answer(stanza["id"] ?? "", from: from, with: .error(StanzaError(stanza))) {
      rooms.byAddress[room]?.noteRefusal(stanza, in: &context)
    }
  }

  /// Handles a stanza that was too large to be read (rule 14.6): ends what waits for it.
  private mutating func handleSkipped(_ stanza: Element, bytes: Int) {
    let from = stanza["from"].flatMap(Address.init)
    switch (stanza.name, stanza["type"]) {
    case ("iq", "result"):
      if let id = stanza["id"], from != nil || stanza["from"] == nil {
        _ = answer(id, from: from, with: .error(StanzaError("too-large")))
      }
    // The attributes of these stanzas are enough.
    case ("iq", _), (_, "error"), ("presence", "unavailable"): handle(stanza)
    default: break
    }
    if hasToldOfSkipped { return }
    hasToldOfSkipped = true
    // Translators: what hobnob skipped, as in “hobnob skipped a message of 3 MB from ben”.
    let what: Remark =
      switch stanza.name {
      case "message": translated("a message")
      case "presence": translated("a status")
      default: translated("an answer")
      }
    let sender = Limits.bounded(from?.description) ?? context.owner.account.domain
    context.tell(
      .notice(
        filled(
          (
            "hobnob skipped %1 of %2 from %3, because it was too large or too complicated to read. Until it reconnects, hobnob will skip any more of these silently.",
            [what, Attachment.size(bytes), sender]
          ))))
  }

  // MARK: Rooms and the rest

  /// Takes what a room says about its members; asks it what it can do if that has changed.
  mutating func noteRoom(_ stanza: Element, _ room: Address) {
    if encryption?.noteRoom(stanza, room, in: &context) == true {
      rooms.byAddress[room]?.queryFeatures(in: &context)
    }
  }

  /// Tells the other parts what has happened to a room.
  mutating func apply(_ change: Room.Change?) {
    switch change {
    case .entered(let address, let isRequested):
      guard let room = rooms[address] else { return }
      if isRequested { bookmarks.keep(room, at: address, in: &context) }
      encryption?.askForMembers(of: address, in: &context)
      archives.beginRoom(room, at: address, in: &context)
      let early = rooms.byAddress[address]?.takeEarlyMessages() ?? []
      for message in early { deliver(message, .live) }
    case .lost(let address):
      archives.reset(.room(address))
      typing.forget(address)
    case nil: break
    }
  }

  mutating func apply(_ changes: [Bookmarks.Change]) {
    for change in changes { apply(rooms.follow(change, in: &context)) }
  }

  /// The state of the connection.
  var status: AccountStatus {
    guard context.isUp, let own = archives[.account], server.isKnown else { return .connecting }
    var (reading, messages, entering) = (own.isCatchingUp ? [own] : [], own.count, 0)
    for (address, room) in rooms.byAddress {
      if room.isEntering { entering += 1 }
      guard room.isEntered, let archive = archives[.room(address)], archive.isCatchingUp
      else { continue }
      reading.append(archive)
      messages += archive.count
    }
    if !reading.isEmpty {
      let percent = reading.compactMap { $0.percentDone(at: context.clock.wall) }.min()
      return .connected([
        .catchingUp(received: messages, percent: messages < Limits.manyMessages ? nil : percent)
      ])
    }
    if entering > 0 { return .connected([.entering(rooms: entering)]) }
    let isExploring = context.roomService == nil && context.isLookingForServices
    return .connected(isExploring ? [.exploring] : [])
  }
}
