// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// The rooms that all of the owner's devices are in (XEP-0402).
struct Bookmarks: Sendable {
  /// As the account keeps them: other programs have put things into them that stay there.
  var kept: [Address: Element] = [:]
}

extension Client {
  mutating func askForBookmarks() {
    let items = Element("items", namespace: Feature.publishing, ["node": Feature.bookmarks])
    ask(
      "get", Element("pubsub", namespace: Feature.publishing, children: [items]), .bookmarks)
  }

  mutating func bookmarksCame(_ answer: Question.Answer) {
    guard case .result(let answer) = answer,
      let items = answer.first("pubsub", Feature.publishing)?.first("items", Feature.publishing),
      items["node"] == Feature.bookmarks
    else { return }
    bookmarks.kept = [:]
    for item in items.children.prefix(Limits.rooms) where item.name == "item" { take(item) }
  }

  /// Another device changed one; who says so has been looked at.
  mutating func bookmarksChanged(_ event: Element) {
    guard let items = event.first("items", Feature.publishingEvents),
      items["node"] == Feature.bookmarks
    else { return }
    for item in items.children.prefix(Limits.rooms) {
      if item.name == "item" {
        take(item)
      } else if item.name == "retract", let room = item["id"].flatMap(Address.init) {
        bookmarks.kept[room] = nil
        leave(room)
      }
    }
  }

  private mutating func take(_ item: Element) {
    guard let room = item["id"].flatMap(Address.init), room.resource.isEmpty, !room.local.isEmpty,
      let conference = item.first("conference", Feature.bookmarks),
      bookmarks.kept[room] != nil || bookmarks.kept.count < Limits.rooms
    else { return }
    let was = bookmarks.kept[room].map(Client.isWanted) ?? false
    bookmarks.kept[room] = conference
    let isWanted = Client.isWanted(conference)
    let password = conference.first("password", Feature.bookmarks)?.text ?? ""
    if isWanted, rooms[room] == nil, rooms.count < Limits.rooms {
      let chosen = conference.first("nick", Feature.bookmarks)?.text ?? ""
      rooms[room] = Room(nick: Client.word(chosen) ?? nick, password: password)
      enter(room)
    } else if isWanted, rooms[room]?.password.isEmpty == true, !password.isEmpty {
      // A process that has just begun knows no passwords.
      rooms[room]?.password = password
      if rooms[room]?.isInside == false { enter(room) }
    } else if !isWanted, was {
      leave(room)
    }
  }

  private static func isWanted(_ conference: Element) -> Bool {
    ["true", "1"].contains(conference["autojoin"])
  }

  /// Remembers that the owner wants to be in a room.
  mutating func keepBookmark(_ address: Address) {
    guard let room = rooms[address] else { return }
    var conference =
      bookmarks.kept[address] ?? Element("conference", namespace: Feature.bookmarks)
    conference["autojoin"] = "true"
    conference.nodes.removeAll {
      if case .element(let child) = $0 { ["nick", "password"].contains(child.name) } else { true }
    }
    if room.wantedNick != nick {
      conference.add(Element("nick", namespace: Feature.bookmarks, text: room.wantedNick))
    }
    if !room.password.isEmpty {
      conference.add(Element("password", namespace: Feature.bookmarks, text: room.password))
    }
    guard bookmarks.kept[address] != conference else { return }
    bookmarks.kept[address] = conference
    publish(address, conference, isPlain: false)
  }

  /// Remembers that the owner left a room for good; what stands in the bookmark stays.
  mutating func dropBookmark(_ address: Address) {
    guard var conference = bookmarks.kept[address], Client.isWanted(conference) else { return }
    conference["autojoin"] = "false"
    bookmarks.kept[address] = conference
    publish(address, conference, isPlain: false)
  }

  /// - Parameter isPlain: without the options that some servers do not know. That only the owner may
  ///   read it is never left out.
  private mutating func publish(_ address: Address, _ conference: Element, isPlain: Bool) {
    let item = Element(
      "item", namespace: Feature.publishing, ["id": address.description], children: [conference])
    let publish = Element(
      "publish", namespace: Feature.publishing, ["node": Feature.bookmarks], children: [item])
    var options = [
      ("FORM_TYPE", Feature.publishingOptions), ("pubsub#persist_items", "true"),
      ("pubsub#access_model", "whitelist"),
    ]
    if !isPlain {
      options += [("pubsub#max_items", "max"), ("pubsub#send_last_published_item", "never")]
    }
    let form = Element(
      "x", namespace: Feature.forms, ["type": "submit"],
      children: options.map { name, value in
        Element(
          "field", namespace: Feature.forms, ["var": name],
          children: [Element("value", namespace: Feature.forms, text: value)])
      })
    let payload = Element(
      "pubsub", namespace: Feature.publishing,
      children: [
        publish, Element("publish-options", namespace: Feature.publishing, children: [form]),
      ])
    ask("set", payload, .bookmark(address, isPlain: isPlain))
  }

  mutating func bookmarkIsKept(_ answer: Question.Answer, _ address: Address, isPlain: Bool) {
    guard case .error = answer, !isPlain, let conference = bookmarks.kept[address] else { return }
    publish(address, conference, isPlain: true)
  }
}
