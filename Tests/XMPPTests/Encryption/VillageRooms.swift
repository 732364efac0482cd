// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Networks

@testable import XMPP

/// A room in the village, with what a server tells of it (XEP-0045).
struct VillageRoom {
  var features = ["muc_membersonly", "muc_nonanonymous"]
  var affiliations: [Address: String] = [:]
  /// Whether it refuses to list its members.
  var hidesLists = false
  /// The devices that are in it; the local part of the account is the nickname.
  var occupants: [Address] = []

  static let address = Address("tea@rooms.example.org")!
  var address: Address { Self.address }

  func place(_ full: Address) -> Address { address.withResource(full.local) }

  func answer(to iq: Element, _ payload: Element) -> [Element]? {
    if payload.namespace == Feature.info {
      return [
        Element(
          "query", namespace: Feature.info,
          children: features.map { Element("feature", namespace: Feature.info, ["var": $0]) })
      ]
    }
    guard payload.namespace == Feature.roomAdmin, !hidesLists,
      let wanted = payload.first("item", Feature.roomAdmin)?["affiliation"]
    else { return nil }
    let items = affiliations.filter { $0.value == wanted }.map {
      Element(
        "item", namespace: Feature.roomAdmin,
        ["affiliation": wanted, "jid": $0.key.description])
    }
    return [Element("query", namespace: Feature.roomAdmin, children: items)]
  }

  func user(_ account: Address, codes: [String] = []) -> Element {
    let item = Element(
      "item", namespace: Feature.roomUser,
      ["affiliation": affiliations[account.bare] ?? "none", "jid": account.description])
    return Element(
      "x", namespace: Feature.roomUser,
      children: [item] + codes.map { Element("status", namespace: Feature.roomUser, ["code": $0]) })
  }

  func presence(of full: Address, to reader: Address) -> Element {
    Element(
      "presence", ["from": place(full).description, "to": reader.description],
      children: [user(full, codes: full == reader ? ["110"] : [])])
  }

  var subject: Element {
    Element(
      "message", ["from": address.description, "type": "groupchat"],
      children: [Element("subject", text: "tea")])
  }
}
