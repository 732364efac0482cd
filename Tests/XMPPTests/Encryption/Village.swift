// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Networks
import OMEMO
import Testing

@testable import XMPP

/// Clients that encrypt, each a device of an account, and a server that passes on what they send.
struct Village {
  static let anna = Address("anna@example.org")!
  static let ben = Address("ben@example.org")!

  var now: Milliseconds = 1_780_000_000_000
  private var clients: [Address: Client] = [:]
  /// What accounts publish: the items of each node.
  var nodes: [Address: [String: [(id: String, payload: Element)]]] = [:]
  /// The messages that went over the wire.
  private(set) var messages: [Element] = []
  /// What each device has to store.
  private(set) var news: [Address: [NetworkEvent]] = [:]
  /// What each device has kept, as after a crash.
  private(set) var kept: [Address: KeyBook] = [:]
  /// How many messages went out before what they rely on was kept.
  private(set) var unkept = 0
  /// The versions in which others see devices.
  var versions: Set<OMEMOVersion> = Set(OMEMOVersion.allCases)
  /// Whether everybody learns what others publish; otherwise they have to ask.
  var areContacts = true
  /// The condition with which the server refuses a question.
  var refuses: (Element) -> String? = { _ in nil }
  /// The village's only room, if it has one.
  var room: VillageRoom?
  /// What devices have asked the server.
  private(set) var questions: [Element] = []
  /// The requests for a place to upload a file.
  var slots: [Element] { questions.filter { $0.first("request", Feature.upload) != nil } }
  /// The uploads that have begun; each ends at once, unless uploads are held.
  private(set) var uploads: [FileUpload] = []
  var holdsUploads = false
  /// Questions that the server does not answer.
  var ignores: (Element) -> Bool = { _ in false }
  /// Whether messages get lost on their way to the server.
  var losesMessages = false
  private var waiting: [(Address, ClientEvent)] = []
  private var entries: [Address: [OutboxEntry]] = [:]
  let library: OMEMOLibrary

  init() throws { library = try OMEMOLibrary.loaded.get() }

  // MARK: What a test does

  /// Connects a device.
  ///
  /// - Parameters:
  ///   - book: its keys; nil for new ones.
  ///   - encrypts: whether it has OMEMO.
  mutating func connect(
    _ account: Address, as resource: String = "one", _ book: KeyBook? = nil, encrypts: Bool = true
  ) throws {
    let full = account.withResource(resource)
    let keys = try book ?? KeyBook(own: OwnDevice(library, time: UInt64(now)))
    clients[full] = Client(
      account: account, marks: ["": "m0"],
      rooms: room == nil
        ? [] : [WantedRoom(address: VillageRoom.address.description, nick: account.local)],
      encryption: encrypts ? Encryption(keys, library) : nil)
    reconnect(account, as: resource)
  }

  /// Connects a device whose process has gone on.
  mutating func reconnect(_ account: Address, as resource: String = "one") {
    let full = account.withResource(resource)
    tell(full, .up(jid: full, features: Element("features")))
  }

  mutating func disconnect(_ account: Address, as resource: String = "one") {
    tell(account.withResource(resource), .down)
  }

  /// A device's process dies. Returns what it had kept.
  mutating func kill(_ account: Address, as resource: String = "one") -> KeyBook? {
    clients[account.withResource(resource)] = nil
    return kept[account.withResource(resource)]
  }

  mutating func say(
    _ id: Int64, _ text: String, from account: Address, to other: Address,
    as resource: String = "one",
    operation: OutboxEntry.Operation = .send, uid: String? = nil, files: [String] = [],
    _ change: (inout OutboxEntry) -> Void = { _ in }
  ) {
    let full = account.withResource(resource)
    var entry = OutboxEntry.test(
      id, text,
      to: other == VillageRoom.address
        ? .room(other.description) : .direct(other.description), operation: operation, uid: uid)
    entry.message.attachments = files.map {
      Attachment(
        hash: String(repeating: "ab", count: 32), name: $0, type: "image/png", bytes: 1_000)
    }
    change(&entry)
    entries[full, default: []].append(entry)
    offer(full)
  }

  /// A held upload ends.
  mutating func finish(_ upload: FileUpload, of account: Address) {
    tell(account.withResource("one"), .uploaded(upload.entry, .success(Self.link(to: upload))))
  }

  /// Asks a device's network something, as a shell does.
  ///
  /// - Returns: the answer; nil if there is none yet.
  mutating func ask(
    _ verb: NetworkRequest.Verb, _ target: String = "", _ text: String = "", of account: Address,
    as resource: String = "one", person: String = ""
  ) -> String? {
    let full = account.withResource(resource)
    lastRequest += 1
    let id = lastRequest
    tell(
      full,
      .requests([NetworkRequest(id: id, verb: verb, target: target, person: person, text: text)]))
    for case .answered(let request, let text) in news[full] ?? [] where request.id == id {
      return text.text
    }
    return nil
  }

  /// The messages that a device got.
  func received(_ account: Address, as resource: String = "one") -> [NetworkMessage] {
    (news[account.withResource(resource)] ?? []).compactMap { event in
      if case .messageReceived(let message, _) = event { message } else { nil }
    }
  }

  /// What a device's owner is told, with a bell if it rings, and what happens in the room.
  func told(_ account: Address, as resource: String = "one") -> [String] {
    (news[account.withResource(resource)] ?? []).compactMap { event -> String? in
      switch event {
      case .notice(let text): text.text
      case .alert(let text): "\u{7}" + text.text
      case .moderated(let text, _, _, _): text.text
      default: nil
      }
    }
  }

  /// The words in the status line for the conversation with somebody, or in the room.
  func state(_ account: Address, with other: Address) -> Abilities.Encryption? {
    (news[account.withResource("one")] ?? []).compactMap { event -> Abilities.Encryption? in
      guard case .abilitiesHere(let here, let place) = event, place.address == other.description
      else { return nil }
      return here?.encryption
    }.last
  }

  mutating func open(_ places: [ConversationAddress], of account: Address) {
    tell(account.withResource("one"), .signals([.open(places)]))
  }

  private var lastRequest: Int64 = 0

  mutating func wait(_ milliseconds: Milliseconds) {
    now += milliseconds
    for full in clients.keys { tell(full, .tick) }
  }

  /// Delivers a message that went over the wire once more, or a changed one.
  mutating func deliver(_ message: Element, to account: Address, as resource: String = "one") {
    tell(account.withResource(resource), .stanza(message))
  }

  mutating func change(
    _ account: Address, as resource: String = "one", _ body: (inout Encryption) -> Void
  ) {
    let full = account.withResource(resource)
    if var encryption = clients[full]?.encryption {
      body(&encryption)
      clients[full]?.encryption = encryption
    }
    offer(full)
  }

  func encryption(of account: Address, as resource: String = "one") -> Encryption? {
    clients[account.withResource(resource)]?.encryption
  }

  /// The texts that a device got, with a mark for those that were encrypted.
  func read(_ account: Address, as resource: String = "one") -> [String] {
    (news[account.withResource(resource)] ?? []).compactMap { event in
      guard case .messageReceived(let message, _) = event else { return nil }
      // The store drops it.
      if message.isRepetition { return nil }
      if message.kind == .unreadable { return "?" }
      return message.body + (message.encryption == .none ? " (plain)" : "")
    }
  }

  // MARK: The server

  private mutating func offer(_ full: Address) {
    guard let chosen = clients[full]?.admit(entries[full] ?? [], at: now) else { return }
    tell(full, .tried(chosen))
  }

  private mutating func tell(_ full: Address, _ event: ClientEvent) {
    let isIdle = waiting.isEmpty
    waiting.append((full, event))
    if isIdle { run() }
  }

  private mutating func run() {
    while let (full, event) = waiting.first {
      for effect in clients[full]?.handle(event, at: now) ?? [] { carryOut(effect, of: full) }
      waiting.removeFirst()
    }
  }

  private mutating func carryOut(_ effect: ClientEffect, of full: Address) {
    switch effect {
    case .store(let events):
      news[full, default: []] += events
      let ended = events.accepted
      entries[full]?.removeAll { ended.contains($0.id) }
    case .wantsOutbox:
      guard let chosen = clients[full]?.admit(entries[full] ?? [], at: now) else { return }
      waiting.append((full, .tried(chosen)))
    case .act(.keep(let update)):
      kept[full] = update.book
    case .upload(let upload):
      uploads.append(upload)
      if !holdsUploads {
        waiting.append((full, .uploaded(upload.entry, .success(Self.link(to: upload)))))
      }
    case .act(.send(let stanza, let payload)):
      var stanza = stanza
      stanza["from"] = full.description
      if stanza.name == "iq" { answer(stanza, for: full) }
      if stanza.name == "message" { pass(stanza, from: full) }
      if stanza.name == "presence", stanza["to"] == room?.place(full).description {
        enter(full)
      }
      if let payload, !losesMessages { waiting.append((full, .acknowledged([payload]))) }
    default: break
    }
  }

  private static func link(to upload: FileUpload) -> String {
    let address = upload.link ?? ""
    return upload.isSealed ? FileCipher.newLink(to: address)?.text ?? "" : address
  }

  private mutating func pass(_ message: Element, from full: Address) {
    messages.append(message)
    if let book = clients[full]?.encryption?.book, kept[full]?.sessions != book.sessions {
      unkept += 1
    }
    if losesMessages { return }
    let to = Address(message["to"] ?? "")?.bare
    if let room, to == room.address {
      var message = message
      message["from"] = room.place(full).description
      for occupant in room.occupants {
        message["to"] = occupant.description
        waiting.append((occupant, .stanza(message)))
      }
      return
    }
    for device in clients.keys.sorted(by: { $0.description < $1.description }) {
      if device.bare == to, device != full { waiting.append((device, .stanza(message))) }
      if device.bare == full.bare, device != full, to != full.bare {
        var copy = Element("message", ["from": full.bare.description])
        copy.add(
          Element(
            "sent", namespace: Feature.carbons,
            children: [Element("forwarded", namespace: Feature.forwarding, children: [message])]))
        waiting.append((device, .stanza(copy)))
      }
    }
  }

  /// A line in the room, as somebody in it gets it.
  func reflected(_ message: Element, from account: Address) -> Element {
    var message = message
    message["from"] = room?.address.withResource(account.local).description
    return message
  }

  private mutating func enter(_ full: Address) {
    guard let room, !room.occupants.contains(full) else { return }
    for other in room.occupants {
      waiting.append((full, .stanza(room.presence(of: other, to: full))))
      waiting.append((other, .stanza(room.presence(of: full, to: other))))
    }
    waiting.append((full, .stanza(room.presence(of: full, to: full))))
    waiting.append((full, .stanza(room.subject)))
    self.room?.occupants.append(full)
  }

  /// Lets everybody in the room know something that the room itself says.
  mutating func announce(inRoom stanza: Element) {
    for occupant in room?.occupants ?? [] { tell(occupant, .stanza(stanza)) }
  }

  /// Lets the room say that its settings have changed.
  mutating func announceChange() {
    let status = Element("status", namespace: Feature.roomUser, ["code": "104"])
    let user = Element("x", namespace: Feature.roomUser, children: [status])
    announce(
      inRoom: Element(
        "message", ["from": VillageRoom.address.description, "type": "groupchat"],
        children: [user]))
  }

  private mutating func answer(_ iq: Element, for full: Address) {
    questions.append(iq)
    guard !ignores(iq), let payload = iq.children.first, ["get", "set"].contains(iq["type"])
    else { return }
    let account = iq["to"].flatMap(Address.init)?.bare ?? full.bare
    var answer = Element("iq", ["type": "result", "id": iq["id"] ?? ""])
    answer["from"] = iq["to"]
    if let condition = refuses(iq) {
      answer["type"] = "error"
      answer.add(StanzaError.errorElement(condition))
    } else if let room, account == room.address {
      if let found = room.answer(to: iq, payload) {
        for element in found { answer.add(element) }
      } else {
        answer["type"] = "error"
        answer.add(StanzaError.errorElement("forbidden"))
      }
    } else if payload.name == "pubsub" {
      if let publish = payload.first("publish", Feature.publishing) {
        store(publish, at: account)
      } else if let items = payload.first("items", Feature.publishing) {
        let wanted = items.first("item", Feature.publishing)?["id"]
        let found = self.items(items["node"] ?? "", of: account, for: full)?
          .filter { wanted ?? $0.id == $0.id }
        if let found {
          answer.add(
            Element(
              "pubsub", namespace: Feature.publishing,
              children: [
                Element(
                  "items", namespace: Feature.publishing, ["node": items["node"] ?? ""],
                  children: found.map(Self.item))
              ]))
        } else {
          answer["type"] = "error"
          answer.add(StanzaError.errorElement("item-not-found"))
        }
      }
    } else if payload.namespace == Feature.archive {
      // Nothing was written while somebody was away.
      answer.add(Element("fin", namespace: Feature.archive, ["complete": "true"]))
    } else if payload.name == "query" {
      var query = Self.services(payload.namespace, of: iq["to"])
      query.add(Element("feature", ["var": Feature.archive]))
      answer.add(query)
    } else if payload.name == "request" {
      answer = Self.slot(for: iq)
    }
    waiting.append((full, .stanza(answer)))
  }

  /// What the server, or its service for files, says that it has.
  private static func services(_ namespace: String, of address: String?) -> Element {
    let services = Element("query", namespace: namespace)
    let child: Element? =
      switch (namespace, address) {
      case (Feature.items, Self.anna.domain):
        Element("item", namespace: namespace, ["jid": "files.example.org"])
      case (Feature.info, "files.example.org"):
        Element("feature", namespace: namespace, ["var": Feature.upload])
      default: nil
      }
    return child.map { Element("query", namespace: namespace, children: [$0]) } ?? services
  }

  /// The answer to a request for a place to upload a file.
  static func slot(for request: Element) -> Element {
    let name = request.first("request", Feature.upload)?["filename"] ?? ""
    let places = ["put", "get"].map {
      Element(
        $0, namespace: Feature.upload, ["url": "https://files.example.org/\($0)/\(name)"])
    }
    return Element(
      "iq",
      ["type": "result", "id": request["id"] ?? "", "from": request["to"] ?? ""],
      children: [Element("slot", namespace: Feature.upload, children: places)])
  }

  private static func item(_ item: (id: String, payload: Element)) -> Element {
    Element("item", namespace: Feature.publishing, ["id": item.id], children: [item.payload])
  }

  /// Stores an item, and tells all clients.
  private mutating func store(_ publish: Element, at account: Address) {
    guard let item = publish.first("item", Feature.publishing), let id = item["id"],
      let payload = item.children.first, let node = publish["node"]
    else { return }
    nodes[account, default: [:]][node, default: []].removeAll { $0.id == id }
    nodes[account, default: [:]][node, default: []].append((id, payload))
    announce(node, of: account)
  }

  /// Tells all clients what a node of an account has now.
  mutating func announce(_ node: String, of account: Address) {
    let isIdle = waiting.isEmpty
    for device in clients.keys where areContacts || device.bare == account {
      guard let item = items(node, of: account, for: device)?.last else { continue }
      waiting.append((device, .stanza(Self.event(node, of: account, item))))
    }
    if isIdle { run() }
  }

  /// The items of a node that somebody sees.
  private func items(
    _ node: String, of account: Address, for full: Address
  ) -> [(id: String, payload: Element)]? {
    let hidden = OMEMOVersion.allCases.first { $0.listNode == node && !versions.contains($0) }
    let items = nodes[account]?[node]
    guard let hidden, full.bare != account else { return items }
    return items.map { $0.map { ($0.id, hidden.list([])) } }
  }

  static func event(
    _ node: String, of account: Address, _ item: (id: String, payload: Element)
  ) -> Element {
    Element(
      "message", ["from": account.description, "type": "headline"],
      children: [
        Element(
          "event", namespace: Feature.publishingEvents,
          children: [
            Element(
              "items", namespace: Feature.publishingEvents, ["node": node],
              children: [Self.item(item)])
          ])
      ])
  }
}
