// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Networks
import Sentences

// What the owner does with contacts, and with people who want to be contacts.
extension Roster {
  /// Carries out `.subscribe`, `.approve` or `.unsubscribe`.
  mutating func run(
    _ request: NetworkRequest, for person: Address, in context: inout ClientContext
  ) {
    let contact = contacts[person]
    switch request.verb {
    case .subscribe where contact?.isSeen == true && request.text.isEmpty,
      .approve where contact?.subscription == "both":
      context.answer(
        request, filled(("%1 is already a contact.", [person.description])))
    case .unsubscribe: removeContact(request, person, in: &context)
    case .approve:
      context.send(Element("presence", ["type": "subscribed", "to": person.description]))
      // An owner who accepts a contact wants to see that person's presence as well.
      addContact(request, person, in: &context)
    default: addContact(request, person, in: &context)
    }
  }

  private func addContact(
    _ request: NetworkRequest, _ person: Address, in context: inout ClientContext
  ) {
    var item = Element("item", namespace: Feature.roster, ["jid": person.description])
    let name = request.text.isEmpty ? contacts[person]?.name ?? "" : request.text
    if !name.isEmpty { item["name"] = name }
    context.sendIQ(
      "set", Element("query", namespace: Feature.roster, children: [item]), .contact(request))
  }

  /// Handles the answer to adding a new contact.
  mutating func finishAdding(
    _ request: NetworkRequest, _ answer: IQRequest.Answer, in context: inout ClientContext
  ) {
    var sentence = answer.failure(at: request.target)
    if sentence.isEmpty, let person = Address(request.target)?.bare {
      noteOwnerAsked(person)
      context.send(Element("presence", ["type": "subscribe", "to": person.description]))
      // The server may not have reported yet that they asked.
      let hasAsked = removeAsker(person)
      if hasAsked, request.verb == .subscribe {
        // To add somebody who has asked is to accept them.
        context.send(Element("presence", ["type": "subscribed", "to": person.description]))
      }
      sentence = filled(
        (
          hasAsked
            ? "%1 is a contact now."
            : "hobnob asked %1; until they accept, neither of you sees whether the other is online.",
          [request.target]
        ))
    }
    context.answer(request, sentence)
  }

  private mutating func removeContact(
    _ request: NetworkRequest, _ person: Address, in context: inout ClientContext
  ) {
    removeAsker(person)
    guard contacts[person] != nil else {
      // If the person has only asked, decline.
      context.send(Element("presence", ["type": "unsubscribed", "to": person.description]))
      return context.answer(request, "")
    }
    let item = Element(
      "item", namespace: Feature.roster,
      ["jid": person.description, "subscription": "remove"])
    context.sendIQ(
      "set", Element("query", namespace: Feature.roster, children: [item]), .request(request))
  }

  /// Refuses everybody who wants to be a contact.
  mutating func declineAll(in context: inout ClientContext) {
    for asker in askers {
      context.send(Element("presence", ["type": "unsubscribed", "to": asker.description]))
      removeAsker(asker)
    }
  }

  /// Who wants to be a contact, as a sentence.
  var askersSentence: Remark {
    let askers = askers.map(\.description).sorted()
    if askers.isEmpty { return translated("You have no contact requests.") }
    return filled(
      (
        "These people want to be your contacts: %1. /contact accept ADDRESS accepts one.",
        [Roster.list(askers)]
      ))
  }

  /// Whom the owner has blocked (XEP-0191, 3.2), as a sentence.
  static func blockedSentence(_ answer: IQRequest.Answer, of account: Address) -> Remark {
    guard case .result(let answer) = answer else { return answer.failure(at: account.domain) }
    let items = answer.first("blocklist", Feature.blocking)?.children ?? []
    let blocked = items.compactMap { $0["jid"].flatMap(Address.init)?.description }
    return blocked.isEmpty
      ? translated("You have blocked nobody.") : filled(("You have blocked %1.", [list(blocked)]))
  }

  private static func list(_ names: [String]) -> Remark {
    let more = names.count - Limits.listed
    return names.prefix(Limits.listed).map { Remark($0) }.joinedAsList()
      + (more > 0 ? filled((" and %1 more", [String(more)])) : "")
  }
}
