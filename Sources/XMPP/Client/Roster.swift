// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// The owner's contacts (RFC 6121, 2).
struct Roster: Sendable {
  struct Contact: Sendable {
    var name = ""
    /// `none`, `to`, `from` or `both`: who sees whom.
    var subscription = "none"
    /// By device: what its presence says.
    var devices: [String: Device] = [:]

    struct Device: Hashable, Sendable {
      /// What they left word of, nil when they are not away (RFC 6121, 4.7.2).
      var away: String?

      init(_ presence: Element) {
        guard ["away", "xa", "dnd"].contains(presence.first("show")?.text) else { return }
        away = String((presence.first("status")?.text ?? "").prefix(Limits.word))
      }
    }

    /// Whether they may see that the owner is there.
    var seesOwner: Bool { subscription == "from" || subscription == "both" }

    /// Whether the owner may see that they are there.
    var isSeen: Bool { subscription == "to" || subscription == "both" }

    /// Someone is as much there as the most awake of their devices.
    var away: String? {
      if devices.values.contains(where: { $0.away == nil }) { return nil }
      return devices.min { $0.key < $1.key }?.value.away
    }
  }

  var contacts: [Address: Contact] = [:]
  /// Whether the server has told who is in it.
  var isKnown = false
  /// The contacts that a full list has named so far.
  fileprivate var named: Set<Address> = []
  /// What the server calls the state that is known; nil before the first.
  var version: String?
  /// Whom the owner wrote to: they know that the owner is there.
  var acquaintances: Set<Address> = []
  /// Who wants to be a contact; the server says it again with every connection.
  var askers: Set<Address> = []
  /// Whom the owner asked to be a contact: if they ask too, hobnob agrees by itself.
  private(set) var asked: Set<Address> = []

  mutating func forgetPresence() {
    for address in Array(contacts.keys) { contacts[address]?.devices = [:] }
  }

  /// Whether someone may be told what the owner's program has and shows.
  func mayKnow(_ address: Address) -> Bool {
    contacts[address]?.seesOwner == true || acquaintances.contains(address)
  }

  mutating func ownerWrote(to address: Address) {
    if acquaintances.count < Limits.acquaintances { acquaintances.insert(address) }
  }

  mutating func ownerAsked(_ address: Address) {
    if asked.count < Limits.contacts { asked.insert(address) }
  }

  /// Whether hobnob accepts a contact request by itself: once if the owner asked that person first,
  /// and always if they see the owner already.
  mutating func mayGrant(_ address: Address) -> Bool {
    asked.remove(address) != nil || contacts[address]?.seesOwner == true
  }

  /// Takes in what the server says of one contact.
  ///
  /// - Returns: their address; nil if it is no contact.
  fileprivate mutating func take(_ item: Element) -> Address? {
    guard item.name == "item", let address = item["jid"].flatMap(Address.init),
      address.resource.isEmpty
    else { return nil }
    if item["subscription"] == "remove" {
      contacts[address] = nil
      asked.remove(address)
      return address
    }
    guard contacts[address] != nil || contacts.count < Limits.contacts else { return nil }
    var contact = contacts[address] ?? Contact()
    contact.name = String((item["name"] ?? "").prefix(Limits.word))
    contact.subscription = item["subscription"] ?? "none"
    contacts[address] = contact
    // The server says that it waits for their yes; or it has another answer than that.
    if item["ask"] == "subscribe" {
      ownerAsked(address)
    } else if contact.subscription != "to" {
      asked.remove(address)
    }
    return address
  }
}

extension Client {
  mutating func askForRoster() {
    var query = Element("query", namespace: Feature.roster)
    if server.hasRosterVersions { query["ver"] = roster.version ?? "" }
    roster.named = []
    ask("get", query, .roster)
  }

  mutating func rosterCame(_ answer: Question.Answer) {
    roster.isKnown = true
    defer { sayWhatWasSeen() }
    guard case .result(let answer) = answer else { return }
    guard let query = answer.first("query", Feature.roster) else {
      // Nothing has changed since the version that was named.
      for address in roster.contacts.keys.sorted(by: { "\($0)" < "\($1)" }) { tellContact(address) }
      return
    }
    list(query)
    for address in roster.contacts.keys where !roster.named.contains(address) {
      roster.contacts[address] = nil
      tell(.contactRemoved(NetworkUser(identity: address.description)))
    }
    roster.named = []
    roster.version = query["ver"]
  }

  /// Takes in contacts of an answer that names them all.
  mutating func list(_ query: Element) {
    for item in query.children where item["subscription"] != "remove" {
      guard let address = roster.take(item) else { continue }
      roster.named.insert(address)
      tellContact(address)
    }
  }

  /// The server tells a change (RFC 6121, 2.1.6); who says it has been looked at.
  mutating func rosterChanged(_ query: Element) {
    guard let item = query.children.first else { return }
    if let version = query["ver"] { roster.version = version }
    let former = item["jid"].flatMap(Address.init).flatMap { roster.contacts[$0] }
    guard let address = roster.take(item) else { return }
    // Whoever was let in first is asked in return, and need not be told of twice.
    if let contact = roster.contacts[address], contact.subscription == "to", former?.isSeen == false
    {
      tell(.answeredContact(NetworkUser(identity: address.description), isYes: true))
    }
    if roster.contacts[address] == nil {
      tell(.contactRemoved(NetworkUser(identity: address.description)))
    } else {
      tellContact(address)
    }
  }

  private mutating func tellContact(_ address: Address) {
    let contact = roster.contacts[address] ?? Roster.Contact()
    tell(
      .contact(
        NetworkUser(identity: address.description, name: contact.name),
        isOnline: contact.isSeen || !contact.devices.isEmpty ? !contact.devices.isEmpty : nil,
        away: contact.away))
  }

  mutating func handlePresence(_ stanza: Element) {
    guard let from = stanza["from"].flatMap(Address.init) else { return }
    if rooms[from.bare] != nil {
      handleRoomPresence(stanza, from)
      return
    }
    guard from.bare != account else { return }
    switch stanza["type"] {
    case nil, "unavailable": contactPresence(stanza, from)
    case "subscribe":
      if roster.mayGrant(from.bare) {
        send(Element("presence", ["type": "subscribed", "to": from.bare.description]))
      } else {
        if roster.askers.count < Limits.contacts { roster.askers.insert(from.bare) }
        let name = roster.contacts[from.bare]?.name ?? ""
        tell(.wantsContact(NetworkUser(identity: from.bare.description, name: name)))
        countStrangersLater()
      }
    case "unsubscribe": roster.askers.remove(from.bare)
    case "unsubscribed" where roster.contacts[from.bare] != nil:
      tell(.answeredContact(NetworkUser(identity: from.bare.description), isYes: false))
    default: break
    }
  }

  private mutating func contactPresence(_ stanza: Element, _ from: Address) {
    guard let former = roster.contacts[from.bare] else { return }
    var contact = former
    if stanza["type"] == "unavailable" {
      contact.devices[from.resource] = nil
      if from.resource.isEmpty { contact.devices = [:] }
    } else {
      guard contact.devices[from.resource] != nil || contact.devices.count < Limits.devices
      else { return }
      contact.devices[from.resource] = Roster.Contact.Device(stanza)
    }
    roster.contacts[from.bare] = contact
    if contact.away != former.away || contact.devices.isEmpty != former.devices.isEmpty {
      tellContact(from.bare)
    }
  }

  /// Tells the server, and each room, that the owner is there.
  mutating func sendPresence() {
    send(ownPresence())
    for (address, room) in rooms where room.isEntered {
      var presence = ownPresence()
      presence["to"] =
        Address(
          local: address.local, domain: address.domain, resource: room.nick
        ).description
      send(presence)
    }
  }

  func ownPresence() -> Element {
    var presence = Element("presence")
    if let away {
      presence.add(Element("show", text: "away"))
      if !away.isEmpty { presence.add(Element("status", text: away)) }
    }
    presence.add(OwnFeatures.element)
    return presence
  }
}
