// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Sentences

/// What an XMPP client does, without a connection and without a store: events in, effects out.
///
/// ```swift
/// var client = Client(account: anna, marks: marks, rooms: rooms)
/// for effect in client.handle(.up(jid: full, features: features), at: Clock.wall()) { … }
/// ```
package struct Client {
  /// Whose it is, without a resource.
  let account: Address
  /// The nickname for rooms that have none of their own.
  private(set) var nick: String
  /// The full address while there is a connection.
  var jid: Address?

  var clock = ClientClock()
  var random: any RandomNumberGenerator
  /// What this turn has brought so far.
  var turn = Turn()

  var questions: [String: Question] = [:]
  var server = ServerFeatures()
  var roster = Roster()
  var rooms: [Address: Room] = [:]
  /// By archive: "" is the account's own, the others are rooms'.
  var archives: [String: Archive] = [:]
  var queries: [String: ArchiveQuery] = [:]
  var outbox = Outbox()
  var uploads = Uploads()
  var requests = Requests()
  var unanswered = Unanswered()
  var bookmarks = Bookmarks()
  /// Whether the owner was told of a stanza that this connection skipped.
  var hasToldOfSkipped = false
  /// Who types where.
  var typists: Set<Typist> = []
  /// Where the others were told that the owner types.
  var typesIn: Set<NetworkPlace> = []
  /// The owner's own presence.
  var away: String?

  /// - Parameters:
  ///   - account: the account's address; its resource says nothing.
  ///   - settings: `nick`, the nickname for rooms; else it is the local part of the address.
  ///   - marks: the last `caughtUp` of each archive.
  ///   - told: when the newest message was made that each archive has told.
  ///   - writtenTo: whom the owner has written to before, the latest first.
  ///   - rooms: where to be from the start.
  ///   - away: what the owner left word of, nil when they are not away.
  ///   - random: where ids come from.
  package init(
    account: Address, settings: [String: String] = [:], marks: [String: String] = [:],
    told: [String: Milliseconds] = [:], writtenTo: [String] = [], rooms: [WantedRoom] = [],
    away: String? = nil,
    random: any RandomNumberGenerator = SystemRandomNumberGenerator()
  ) {
    self.account = account.bare
    self.away = away
    nick = Client.nick(settings["nick"], of: account)
    self.random = random
    for (key, mark) in marks {
      archives[key] = Archive(mark: mark)
      archives[key]?.knownUntil = told[key] ?? .min
    }
    for address in writtenTo.compactMap({ Address($0) }) { roster.ownerWrote(to: address.bare) }
    for room in rooms {
      guard let address = Address(room.address), address.resource.isEmpty else { continue }
      self.rooms[address] = Room(
        nick: room.nick.isEmpty ? nick : room.nick, password: room.password)
    }
  }

  /// Takes an event in.
  ///
  /// - Parameter now: what the clock on the wall shows, in milliseconds since 1970. It may jump.
  /// - Returns: what is to be done, in order. What came in is stored before anything is sent that
  ///   says so; the question for the next page of an archive goes before, for the server to work on
  ///   it meanwhile.
  package mutating func handle(_ event: ClientEvent, at now: Milliseconds) -> [ClientEffect] {
    clock.move(to: now)
    switch event {
    case .up(let jid, let features): up(jid, features)
    case .down: down(isTheirs: true)
    case .givenUp: down(isTheirs: false)
    case .stanza(let stanza): if jid != nil { handle(stanza) }
    case .part(let answer): if jid != nil { handle(part: answer) }
    case .skipped(let stanza, let bytes): if jid != nil { handleSkipped(stanza, bytes: bytes) }
    case .acknowledged(let entries): acknowledged(entries)
    case .uploaded(let entry, let failure): uploaded(entry, failure)
    case .outbox(let entries): take(entries)
    case .requests(let new): take(new)
    case .signals(let signals): for signal in signals { handle(signal) }
    case .tick: clock.woke()
    }
    runAlarms()
    if jid != nil { pump() }
    return finishTurn()
  }

  private static func nick(_ wanted: String?, of account: Address) -> String {
    if let wanted, !wanted.isEmpty { return wanted }
    return account.local.isEmpty ? account.domain : account.local
  }

  /// Changes the owner's nickname at the next connection, in all rooms that have none of their own.
  ///
  /// - Parameter wanted: nil for the local part of the address.
  package mutating func setNick(_ wanted: String?) {
    let former = nick
    nick = Client.nick(wanted, of: account)
    for (address, room) in rooms where room.wantedNick == former {
      rooms[address]?.wantedNick = nick
      if !room.isInside { rooms[address]?.nick = nick }
    }
  }

  /// Time in which nothing that came was read does not count.
  package mutating func skip(to now: Milliseconds) { clock.skip(to: now) }

  private mutating func handle(_ stanza: Element) {
    guard stanza.namespace.isEmpty else { return }
    switch stanza.name {
    case "message": handleMessage(stanza)
    case "presence": handlePresence(stanza)
    case "iq": handleQuery(stanza)
    default: break
    }
  }

  /// A stanza was too large to be read (rule 14.6); nobody has to wait for it.
  private mutating func handleSkipped(_ stanza: Element, bytes: Int) {
    let from = stanza["from"].flatMap(Address.init)
    switch (stanza.name, stanza["type"]) {
    case ("iq", "result"):
      if let id = stanza["id"], from != nil || stanza["from"] == nil {
        _ = answer(id, from: from, with: .error(StanzaError("too-large")))
      }
    // Their attributes say what matters.
    case ("iq", _), (_, "error"), ("presence", "unavailable"): handle(stanza)
    default: break
    }
    if hasToldOfSkipped { return }
    hasToldOfSkipped = true
    let what = ["message": "a message", "presence": "a status"][stanza.name] ?? "an answer"
    let sender = Client.word(from?.description) ?? account.domain
    tell(
      .notice(
        filled(
          (
            "hobnob skipped %1 of %2 from %3, which was too large or too complicated to read. Until it reconnects, it skips others without a notice.",
            [what, Attachment.size(bytes), sender]
          ))))
  }

  private mutating func finishTurn() -> [ClientEffect] {
    var effects = turn.early
    if !turn.news.isEmpty { effects.append(.store(turn.news)) }
    effects += turn.effects
    if let status, status != turn.toldStatus {
      effects.append(.status(status))
    }
    turn = Turn(toldStatus: status)
    if let time = clock.wakeToTell() { effects.append(.wake(at: time)) }
    return effects
  }

  private var status: ClientStatus? {
    guard jid != nil else { return nil }
    guard let own = archives[""], server.isAnswered else { return .connecting }
    var (under, messages, entering) = (own.isCatchingUp ? [own] : [], own.count, 0)
    for (address, room) in rooms {
      if room.isEntering { entering += 1 }
      guard room.isEntered, let archive = archives[address.description], archive.isCatchingUp
      else { continue }
      under.append(archive)
      messages += archive.count
    }
    if !under.isEmpty {
      let percent = under.compactMap { $0.percent(at: clock.wall) }.min()
      return .catchingUp(
        messages: messages, percent: messages < Limits.manyMessages ? nil : percent)
    }
    if entering > 0 { return .entering(rooms: entering) }
    return server.rooms == nil && isLookingForServices ? .exploring : .ready
  }

  /// What one event brings.
  struct Turn {
    var news: [NetworkEvent] = []
    var effects: [ClientEffect] = []
    /// What is done before the news is stored.
    var early: [ClientEffect] = []
    /// The last status that was told.
    var toldStatus: ClientStatus?
  }
}

// What every part of a client uses.
extension Client {
  var isUp: Bool { jid != nil }

  mutating func tell(_ news: NetworkEvent) { turn.news.append(news) }

  mutating func send(_ stanza: Element, payload: OutboxEntry.ID? = nil) {
    turn.effects.append(.send(stanza, payload: payload))
  }

  /// 64 random bits in letters.
  mutating func newID() -> String {
    let bits = random.next()
    return "h" + String(bits, radix: 36)
  }

  /// Whether a stanza comes from the owner's account at their own server (RFC 6120, 8.1.2.1).
  ///
  /// - Parameter from: as it says; nil where it says nothing.
  func isFromAccount(_ from: Address?) -> Bool { from == nil || from == account }
}
