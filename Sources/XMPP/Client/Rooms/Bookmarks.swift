// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// The rooms that all of the owner's devices are in (XEP-0402).
struct Bookmarks: Sendable {
  /// What another device did with a bookmark.
  enum Change {
    /// - Parameter nick: nil for the account's own nickname.
    case wanted(Address, nick: String?, password: String)
    case unwanted(Address)
  }

  /// The bookmarks as the account keeps them, including what other clients added to them.
  private var bookmarks: [Address: Element] = [:]

  func fetch(in context: inout ClientContext) {
    let items = Element("items", namespace: Feature.publishing, ["node": Feature.bookmarks])
    context.sendIQ(
      "get", Element("pubsub", namespace: Feature.publishing, children: [items]), .bookmarks)
  }

  mutating func apply(_ answer: IQRequest.Answer) -> [Change] {
    guard case .result(let answer) = answer,
      let items = answer.first("pubsub", Feature.publishing)?.first("items", Feature.publishing),
      items["node"] == Feature.bookmarks
    else { return [] }
    bookmarks = [:]
    return items.children.prefix(Limits.rooms).filter { $0.name == "item" }.compactMap { add($0) }
  }

  /// Applies changes that another device made; the caller has checked that the account reports
  /// them.
  mutating func applyEvent(_ event: Element) -> [Change] {
    guard let items = event.first("items", Feature.publishingEvents),
      items["node"] == Feature.bookmarks
    else { return [] }
    return items.children.prefix(Limits.rooms).compactMap { item in
      if item.name == "item" { return add(item) }
      guard item.name == "retract", let room = item["id"].flatMap(Address.init) else { return nil }
      bookmarks[room] = nil
      return .unwanted(room)
    }
  }

  private mutating func add(_ item: Element) -> Change? {
    guard let room = item["id"].flatMap(Address.init), room.resource.isEmpty, !room.local.isEmpty,
      let conference = item.first("conference", Feature.bookmarks),
      bookmarks[room] != nil || bookmarks.count < Limits.rooms
    else { return nil }
    let wasWanted = bookmarks[room].map(Bookmarks.isWanted) ?? false
    bookmarks[room] = conference
    guard Bookmarks.isWanted(conference) else { return wasWanted ? .unwanted(room) : nil }
    return .wanted(
      room, nick: Limits.bounded(conference.first("nick", Feature.bookmarks)?.text),
      password: conference.first("password", Feature.bookmarks)?.text ?? "")
  }

  private static func isWanted(_ conference: Element) -> Bool {
    ["true", "1"].contains(conference["autojoin"])
  }

  /// Remembers that the owner wants to be in a room.
  mutating func keep(_ room: Room, at address: Address, in context: inout ClientContext) {
    var conference = bookmarks[address] ?? Element("conference", namespace: Feature.bookmarks)
    conference["autojoin"] = "true"
    conference.nodes.removeAll {
      if case .element(let child) = $0 { ["nick", "password"].contains(child.name) } else { true }
    }
    if room.wantedNick != context.owner.nick {
      conference.add(Element("nick", namespace: Feature.bookmarks, text: room.wantedNick))
    }
    if !room.password.isEmpty {
      conference.add(Element("password", namespace: Feature.bookmarks, text: room.password))
    }
    guard bookmarks[address] != conference else { return }
    bookmarks[address] = conference
    publish(address, conference, isPlain: false, in: &context)
  }

  /// Remembers that the owner left a room for good; the rest of the bookmark stays.
  mutating func drop(_ address: Address, in context: inout ClientContext) {
    guard var conference = bookmarks[address], Bookmarks.isWanted(conference) else { return }
    conference["autojoin"] = "false"
    bookmarks[address] = conference
    publish(address, conference, isPlain: false, in: &context)
  }

  /// Handles the answer to storing a bookmark.
  func finishPublishing(
    _ address: Address, isPlain: Bool, _ answer: IQRequest.Answer, in context: inout ClientContext
  ) {
    guard case .error = answer, !isPlain, let conference = bookmarks[address] else { return }
    publish(address, conference, isPlain: true, in: &context)
  }

  /// - Parameter isPlain: whether to leave out the options that some servers do not know. The
  ///   option that makes it private is always included.
  private func publish(
    _ address: Address, _ conference: Element, isPlain: Bool, in context: inout ClientContext
  ) {
    let item = Element(
      "item", namespace: Feature.publishing, ["id": address.description], children: [conference])
    let publish = Element(
      "publish", namespace: Feature.publishing, ["node": Feature.bookmarks], children: [item])
    var options = [("pubsub#persist_items", "true"), ("pubsub#access_model", "whitelist")]
    if !isPlain {
      options += [("pubsub#max_items", "max"), ("pubsub#send_last_published_item", "never")]
    }
    let form = Element.form(Feature.publishingOptions, options)
    let payload = Element(
      "pubsub", namespace: Feature.publishing,
      children: [
        publish, Element("publish-options", namespace: Feature.publishing, children: [form]),
      ])
    context.sendIQ("set", payload, .bookmark(address, isPlain: isPlain))
  }
}
