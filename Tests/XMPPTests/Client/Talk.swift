// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Networks
import Repeatable

@testable import NetworkInbox
@testable import XMPP

/// The client of anna@example.org, and a server whose state the test sets.
struct Talk {
  static let account = Address(local: "anna", domain: "example.org")
  static let full = Address(local: "anna", domain: "example.org", resource: "shell")
  static let start: Milliseconds = 1_780_000_000_000

  var client: Client
  var now = Talk.start
  /// What the client did, in order.
  var effects: [ClientEffect] = []

  // What the server has.
  var accountFeatures = [Feature.archive, Feature.ids]
  var streamFeatures = "<features/>"
  /// The size of the largest accepted file in bytes; negative if it accepts none.
  var upload = -1
  /// The times of archived messages that differ from the usual one.
  var stamps: [String: String] = [:]
  var roster = ""
  var bookmarks = ""
  /// The ids and messages of each archive, oldest first.
  var archives: [String: [(id: String, message: String)]] = [:]
  /// Archived messages that are too large to be read.
  var giants: Set<String> = []
  /// The features of each room; a room without an entry does not exist.
  var roomFeatures: [String: [String]] = [:]
  /// The name that every room gives itself, as an attribute.
  var roomName = ""
  /// The people in each room, with their occupant ids.
  var occupants: [String: [(nick: String, id: String?)]] = [:]
  /// Requests that the server does not answer.
  var ignores: (Element) -> Bool = { _ in false }
  private var served = 0
  /// The outbox that the client was told last.
  private var entries: [OutboxEntry] = []

  init(
    settings: [String: String] = [:], marks: [String: String] = ["": "m0"],
    writtenTo: [String] = [], rooms: [WantedRoom] = [], away: String? = nil, seed: UInt64 = 1
  ) {
    client = Client(
      account: Talk.account, settings: settings, marks: marks, writtenTo: writtenTo, rooms: rooms,
      away: away, random: FixedRandom(seed: seed))
    archives[""] = [("m0", "<message/>")]
  }

  // MARK: What a test does

  @discardableResult
  mutating func handle(_ event: ClientEvent) -> [ClientEffect] {
    var new = client.handle(event, at: now)
    while let index = new.firstIndex(of: .wantsOutbox) {
      new.remove(at: index)
      new += client.handle(.tried(client.admit(entries, at: now)), at: now)
    }
    effects += new
    return new
  }

  /// The process hands over what the client admits of the outbox.
  @discardableResult
  mutating func outbox(_ entries: [OutboxEntry]) -> [ClientEffect] {
    self.entries = entries
    return handle(.tried(client.admit(entries, at: now)))
  }

  /// The client receives a stanza.
  ///
  /// - Returns: the events to store.
  @discardableResult
  mutating func hear(_ xml: String) -> [NetworkEvent] { hear(Element(xml: xml)) }

  @discardableResult
  mutating func hear(_ stanza: Element) -> [NetworkEvent] {
    handle(.stanza(stanza)).news
  }

  mutating func wait(_ milliseconds: Milliseconds) {
    now += milliseconds
    handle(.tick)
  }

  /// Logs in, and lets the server answer everything.
  mutating func logIn() {
    handle(.up(jid: Talk.full, features: Element(xml: streamFeatures)))
    serve()
  }

  /// Logs in and clears the recorded output.
  static func ready(
    rooms: [WantedRoom] = [], _ change: (inout Talk) -> Void = { _ in }
  ) -> Talk {
    var talk = Talk(rooms: rooms)
    change(&talk)
    talk.logIn()
    talk.forget()
    return talk
  }

  /// Enters room@muc.example.org, whose people have ids or only nicknames.
  static func inRoom(
    hasIDs: Bool = true, hasArchive: Bool = true, _ change: (inout Talk) -> Void = { _ in }
  ) -> Talk {
    ready(rooms: [WantedRoom(address: "room@muc.example.org", nick: "anna")]) { talk in
      talk.roomFeatures["room@muc.example.org"] =
        [Feature.ids] + (hasIDs ? [Feature.occupantIDs] : [])
        + (hasArchive ? [Feature.archive] : [])
      talk.occupants["room@muc.example.org"] = [("ben", hasIDs ? "id-ben" : nil)]
      change(&talk)
    }
  }

  mutating func forget() {
    served = 0
    effects = []
  }

  var news: [NetworkEvent] { effects.news }
  var sent: [Element] {
    effects.compactMap { if case .act(.send(let stanza, _)) = $0 { stanza } else { nil } }
  }
  var messages: [Element] { sent.filter { $0.name == "message" } }
  var batches: [[NetworkEvent]] {
    effects.compactMap { if case .store(let news) = $0 { news } else { nil } }
  }
  var statuses: [AccountStatus] {
    effects.compactMap { if case .status(let status) = $0 { status } else { nil } }
  }
  var hangUps: [String] {
    effects.compactMap { if case .act(.hangUp(let reason)) = $0 { reason.text } else { nil } }
  }

  // MARK: The server

  /// Answers the client's new requests, and those that follow from the answers.
  mutating func serve() {
    while true {
      let open = sent.dropFirst(served)
      guard let stanza = open.first else { return }
      served += 1
      if ignores(stanza) { continue }
      if stanza.name == "presence" { enter(stanza) }
      if stanza.name == "iq", let payload = stanza.children.first { answer(stanza, payload) }
    }
  }

  private mutating func answer(_ iq: Element, _ payload: Element) {
    let to = iq["to"] ?? ""
    switch (payload.name, payload.namespace) {
    case ("query", Feature.info):
      if to == "anna@example.org" { result(iq, info(accountFeatures)) }
      if to == "example.org" { result(iq, info([Feature.blocking])) }
      if to == "muc.example.org" {
        result(iq, info([Feature.rooms], identity: "category='conference' type='text'"))
      }
      if to == "files.example.org" {
        result(
          iq,
          "<query xmlns='\(Feature.info)'><feature var='\(Feature.upload)'/><x xmlns="
            + "'\(Feature.forms)'><field var='FORM_TYPE'><value>\(Feature.upload)</value></field>"
            + "<field var='max-file-size'><value>\(upload)</value></field></x></query>")
      }
      if to.hasSuffix("@muc.example.org") {
        if let features = roomFeatures[to] {
          result(iq, info(features, identity: "category='conference' type='text'" + roomName))
        } else {
          error(iq, "item-not-found")
        }
      }
    case ("query", Feature.items):
      let files = upload < 0 ? "" : "<item jid='files.example.org'/>"
      result(
        iq, "<query xmlns='\(Feature.items)'><item jid='muc.example.org'/>\(files)</query>")
    case ("query", Feature.roster) where iq["type"] == "get":
      result(iq, "<query xmlns='\(Feature.roster)' ver='v1'>\(roster)</query>")
    case ("pubsub", Feature.publishing) where iq["type"] == "get":
      result(
        iq,
        "<pubsub xmlns='\(Feature.publishing)'><items node='\(Feature.bookmarks)'>\(bookmarks)"
          + "</items></pubsub>")
    case ("query", Feature.archive): page(iq, payload)
    default: if iq["type"] == "set" { result(iq, "") }
    }
  }

  mutating func result(_ iq: Element, _ xml: String) {
    var answer = Element(xml: "<iq type='result'>\(xml)</iq>")
    answer["id"] = iq["id"]
    answer["from"] = iq["to"]
    handle(.stanza(answer))
  }

  mutating func error(_ stanza: Element, _ condition: String, type: String = "cancel") {
    var answer = Element(
      xml:
        "<\(stanza.name) type='error'><error type='\(type)'><\(condition) xmlns="
        + "'\(Namespace.stanzaErrors)'/></error></\(stanza.name)>")
    answer["id"] = stanza["id"]
    answer["from"] = stanza["to"]
    handle(.stanza(answer))
  }

  private func info(_ features: [String], identity: String = "category='server' type='im'")
    -> String
  {
    "<query xmlns='\(Feature.info)'><identity \(identity)/>"
      + features.map { "<feature var='\($0)'/>" }.joined() + "</query>"
  }

  private mutating func page(_ iq: Element, _ query: Element) {
    let owner = iq["to"] ?? ""
    let all = archives[owner] ?? []
    let set = query.first("set", Feature.pages)
    let most = Int(set?.first("max", Feature.pages)?.text ?? "") ?? 0
    var page = all[...]
    var isComplete = true
    if let after = set?.first("after", Feature.pages)?.text {
      guard let place = all.firstIndex(where: { $0.id == after }) else {
        return error(iq, "item-not-found")
      }
      let rest = all[(place + 1)...]
      page = rest.prefix(most)
      isComplete = rest.count <= most
    } else if let before = set?.first("before", Feature.pages)?.text {
      let end = all.firstIndex { $0.id == before } ?? all.count
      page = all[..<end].suffix(most)
      isComplete = page.startIndex == 0
    } else {
      page = all.prefix(most)
      isComplete = all.count <= most
    }
    for (id, message) in page {
      if giants.contains(id) {
        handle(.skipped(Element("message", owner.isEmpty ? [:] : ["from": owner]), bytes: 2 << 20))
        continue
      }
      hear(
        "<message\(owner.isEmpty ? "" : " from='\(owner)'")><result xmlns='\(Feature.archive)' "
          + "queryid='\(query["queryid"] ?? "")' id='\(id)'><forwarded xmlns='\(Feature.forwarding)'>"
          + "<delay xmlns='\(Feature.delay)' stamp='\(stamps[id] ?? "2026-05-01T10:00:00Z")'/>"
          + message.replacingPrefix("<message", with: "<message xmlns='jabber:client'")
          + "</forwarded></result></message>")
    }
    let ends =
      (page.first.map { "<first index='0'>\($0.id)</first>" } ?? "")
      + (page.last.map { "<last>\($0.id)</last>" } ?? "")
    result(
      iq,
      "<fin xmlns='\(Feature.archive)' complete='\(isComplete)'><set xmlns='\(Feature.pages)'>"
        + "\(ends)</set></fin>")
  }

  private mutating func enter(_ presence: Element) {
    guard let to = presence["to"].flatMap(Address.init), presence.has("x", Feature.rooms)
    else { return }
    let room = to.bare.description
    for (nick, id) in occupants[room] ?? [] {
      hear(Talk.presence("\(room)/\(nick)", id: id))
    }
    let hasIDs = roomFeatures[room]?.contains(Feature.occupantIDs) == true
    let isNew = roomFeatures[room] == nil
    if isNew { roomFeatures[room] = [Feature.ids] }
    hear(
      Talk.presence(
        to.description, id: hasIDs ? "id-anna" : nil, codes: ["110"] + (isNew ? ["201"] : [])))
  }

  static func presence(
    _ from: String, id: String? = nil, codes: [String] = [], type: String? = nil, item: String = ""
  ) -> String {
    "<presence from='\(from)'\(type.map { " type='\($0)'" } ?? "")>"
      + (id.map { "<occupant-id xmlns='\(Feature.occupantIDs)' id='\($0)'/>" } ?? "")
      + "<x xmlns='\(Feature.roomUser)'>\(item)"
      + codes.map { "<status code='\($0)'/>" }.joined() + "</x></presence>"
  }
}

extension ClientEvent {
  /// A stanza that arrives alone.
  static func stanza(_ stanza: Element) -> ClientEvent { .stanzas([stanza]) }
}

extension [ClientEffect] {
  var news: [NetworkEvent] {
    reduce(into: []) { if case .store(let news) = $1 { $0 += news } }
  }
}

extension String {
  func replacingPrefix(_ prefix: String, with other: String) -> String {
    hasPrefix(prefix) ? other + dropFirst(prefix.count) : self
  }
}

extension [NetworkEvent] {
  /// What was said, as `who: text`.
  var said: [String] {
    compactMap {
      guard case .messageReceived(let message, _) = $0 else { return nil }
      return "\(message.speaker.isOwner ? "I" : message.speaker.identity): \(message.body)"
    }
  }

  var marks: [String] {
    compactMap { if case .caughtUp(_, let mark) = $0 { mark } else { nil } }
  }

  var accepted: [OutboxEntry.ID] {
    compactMap { if case .accepted(let entry, _, _) = $0 { entry.id } else { nil } }
  }

  var refusals: [String] {
    compactMap { if case .refused(_, let reason, _) = $0 { reason.text } else { nil } }
  }
}

extension [NetworkEvent] {
  /// The messages that failed although they may have arrived.
  var doubtful: [OutboxEntry.ID] {
    compactMap {
      if case .refused(let entry, _, mayHaveArrived: true) = $0 { entry.id } else { nil }
    }
  }
}

extension OutboxEntry {
  /// An outbox entry of the owner.
  static func test(
    _ id: Int64, _ body: String = "hello",
    to place: ConversationAddress = .direct("ben@example.org"),
    operation: Operation = .send, uid: String? = nil, kind: Message.Kind = .text,
    archive: String? = nil, reaction: String? = nil, answers: NetworkQuote? = nil
  ) -> OutboxEntry {
    let uid = uid ?? "uid\(id)"
    let message = Message(
      id: Conversations.ID(rawValue: id), uid: uid, conversation: Conversations.ID(rawValue: 1),
      number: Int(id),
      sender: Conversations.ID(rawValue: 1), senderName: "anna", senderIdentity: "1000", body: body,
      kind: kind,
      createdAt: Talk.start, state: .sending)
    return OutboxEntry(
      id: id, message: message, operation: operation,
      reaction: reaction.map {
        OutgoingReaction(
          participant: Conversations.ID(rawValue: 1), emoji: $0, isRemoved: $0.isEmpty,
          all: $0.split(separator: " ").map(String.init))
      },
      conversation: place, name: MessageIDs(origin: uid, archive: archive), answers: answers)
  }
}
