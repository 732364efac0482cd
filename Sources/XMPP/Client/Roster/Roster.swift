// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Networks

/// The owner's contacts (RFC 6121, 2).
struct Roster: Sendable {
  struct Contact: Sendable {
    var name = ""
    /// Who sees whose presence: `none`, `to`, `from` or `both`.
    var subscription = "none"
    /// The devices that are online, each with its away message, or nil if it is not away.
    var devices: [String: String?] = [:]

    /// Whether they may see that the owner is online.
    var seesOwner: Bool { subscription == "from" || subscription == "both" }

    /// Whether the owner may see that they are online.
    var isSeen: Bool { subscription == "to" || subscription == "both" }

    /// Their away message; nil if at least one of their devices is not away.
    var away: String? {
      if devices.values.contains(nil) { return nil }
      return devices.min { $0.key < $1.key }?.value ?? nil
    }
  }

  private(set) var contacts: [Address: Contact] = [:]
  /// Whether the server has answered the request for the roster.
  private(set) var isKnown = false
  /// While the full list of contacts arrives in parts: the contacts in the parts so far.
  private var named: Set<Address> = []
  /// The version that the server gave the roster known here (`ver`); nil if it gave none.
  private(set) var version: String?
  /// The people whom the owner wrote to; they know that the owner exists.
  private(set) var acquaintances: Set<Address> = []
  /// The people who want to be contacts; the server sends their requests again at every
  /// connection.
  private(set) var askers: Set<Address> = []
  /// The people whom the owner asked to be contacts: if they ask as well, hobnob agrees by itself.
  private var asked: Set<Address> = []

  /// Forgets who is online.
  mutating func forgetPresence() {
    for address in Array(contacts.keys) { contacts[address]?.devices = [:] }
  }

  /// A person, with the name that they have in the roster.
  func user(_ address: Address) -> NetworkUser {
    NetworkUser(identity: address.description, name: contacts[address]?.name ?? "")
  }

  /// Whether the client may tell someone which of their messages it has received and shown.
  func mayKnow(_ address: Address) -> Bool {
    contacts[address]?.seesOwner == true || acquaintances.contains(address)
  }

  mutating func noteOwnerWrote(to address: Address) {
    if acquaintances.count < Limits.acquaintances { acquaintances.insert(address) }
  }

  // MARK: What the server says

  mutating func fetch(hasVersions: Bool, in context: inout ClientContext) {
    var query = Element("query", namespace: Feature.roster)
    if hasVersions { query["ver"] = version ?? "" }
    named = []
    context.sendIQ("get", query, .roster)
  }

  mutating func apply(_ answer: IQRequest.Answer, in context: inout ClientContext) {
    isKnown = true
    guard case .result(let answer) = answer else { return }
    guard let query = answer.first("query", Feature.roster) else {
      // Nothing has changed since the version in the request.
      for address in contacts.keys.sorted(by: { "\($0)" < "\($1)" }) {
        tellContact(address, in: &context)
      }
      return
    }
    applyPart(query, in: &context)
    for address in contacts.keys where !named.contains(address) {
      contacts[address] = nil
      context.tell(.contactRemoved(NetworkUser(identity: address.description)))
    }
    named = []
    version = query["ver"]
  }

  /// Applies one part of the full list of contacts, which may arrive in several.
  mutating func applyPart(_ query: Element, in context: inout ClientContext) {
    for item in query.children where item["subscription"] != "remove" {
      guard let address = applyItem(item) else { continue }
      named.insert(address)
      tellContact(address, in: &context)
    }
  }

  /// Applies a change that the server reports (RFC 6121, 2.1.6); the caller has checked that it
  /// comes from the server.
  mutating func applyPush(_ query: Element, in context: inout ClientContext) {
    guard let item = query.children.first else { return }
    if let version = query["ver"] { self.version = version }
    let former = item["jid"].flatMap(Address.init).flatMap { contacts[$0] }
    guard let address = applyItem(item) else { return }
    let user = NetworkUser(identity: address.description)
    // Tell the owner that this person accepted. Not if `from` becomes `both`: this person asked
    // first, the owner accepted, and hobnob asked back by itself.
    if let contact = contacts[address], contact.subscription == "to", former?.isSeen == false {
      context.tell(.answeredContact(user, isYes: true))
    }
    if contacts[address] == nil {
      context.tell(.contactRemoved(user))
    } else {
      tellContact(address, in: &context)
    }
  }

  /// Applies what the server says about one contact.
  ///
  /// - Returns: the contact's address; nil if the item is not a contact.
  private mutating func applyItem(_ item: Element) -> Address? {
    guard item.name == "item", let address = item["jid"].flatMap(Address.init),
      address.resource.isEmpty
    else { return nil }
    if item["subscription"] == "remove" {
      contacts[address] = nil
      asked.remove(address)
      return address
    }
    guard contacts[address] != nil || contacts.count < Limits.contacts else { return nil }
    let subscription = item["subscription"] ?? "none"
    contacts[address, default: Contact()].name =
      String((item["name"] ?? "").prefix(Limits.identifier))
    contacts[address]?.subscription = subscription
    // `ask` means that they have not answered the owner's request yet. Without it, forget the
    // request, unless they agreed and may still ask in return (`to`).
    if item["ask"] == "subscribe" {
      noteOwnerAsked(address)
    } else if subscription != "to" {
      asked.remove(address)
    }
    return address
  }

  private func tellContact(_ address: Address, in context: inout ClientContext) {
    let contact = contacts[address] ?? Contact()
    context.tell(
      .contact(
        user(address),
        isOnline: contact.isSeen || !contact.devices.isEmpty ? !contact.devices.isEmpty : nil,
        away: contact.away))
  }

  // MARK: Presence

  /// Applies the presence of a person, outside rooms.
  mutating func applyPresence(
    _ stanza: Element, from: Address, in context: inout ClientContext
  ) {
    let person = from.bare
    guard person != context.owner.account else { return }
    switch stanza["type"] {
    case nil, "unavailable": noteDevice(stanza, from, in: &context)
    case "subscribe":
      if mayGrant(person) {
        context.send(Element("presence", ["type": "subscribed", "to": person.description]))
      } else {
        if askers.count < Limits.contacts { askers.insert(person) }
        var asker = user(person)
        if asker.name.isEmpty {
          asker.name = Limits.bounded(stanza.first("nick", Feature.nick)?.text) ?? ""
        }
        context.tell(.wantsContact(asker))
        context.countStrangersLater()
      }
    case "unsubscribe": askers.remove(person)
    case "unsubscribed" where contacts[person] != nil:
      context.tell(.answeredContact(NetworkUser(identity: person.description), isYes: false))
    default: break
    }
  }

  /// Whether hobnob accepts a contact request by itself: if the owner asked that person first (this
  /// counts only once), or if they see the owner already.
  private mutating func mayGrant(_ address: Address) -> Bool {
    asked.remove(address) != nil || contacts[address]?.seesOwner == true
  }

  private mutating func noteDevice(
    _ stanza: Element, _ from: Address, in context: inout ClientContext
  ) {
    guard let former = contacts[from.bare] else { return }
    var contact = former
    if stanza["type"] == "unavailable" {
      contact.devices.removeValue(forKey: from.resource)
      if from.resource.isEmpty { contact.devices = [:] }
    } else {
      guard contact.devices[from.resource] != nil || contact.devices.count < Limits.devices
      else { return }
      contact.devices.updateValue(stanza.awayText, forKey: from.resource)
    }
    contacts[from.bare] = contact
    if contact.away != former.away || contact.devices.isEmpty != former.devices.isEmpty {
      tellContact(from.bare, in: &context)
    }
  }

  // MARK: What the owner asks for

  mutating func noteOwnerAsked(_ address: Address) {
    if asked.count < Limits.contacts { asked.insert(address) }
  }

  /// - Returns: whether they had asked to be a contact.
  @discardableResult
  mutating func removeAsker(_ address: Address) -> Bool { askers.remove(address) != nil }
}
