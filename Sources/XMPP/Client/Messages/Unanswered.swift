// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// Messages of others whose senders want to know how far they have come (XEP-0184, XEP-0333).
struct Unanswered: Sendable {
  struct Wish: Sendable {
    var name: MessageIDs
    /// A receipt is wanted and not sent yet.
    var wantsReceipt: Bool
    var isMarkable: Bool
  }

  /// By place, oldest first.
  private(set) var wishes: [NetworkPlace: [Wish]] = [:]
  /// What was said to be seen last.
  private var shown: [NetworkPlace: MessageIDs] = [:]
  /// What was seen last while it could not be said yet.
  private var unsaid: [NetworkPlace: NetworkSignal] = [:]

  mutating func keep(_ signal: NetworkSignal, of place: NetworkPlace) {
    if unsaid.count < Limits.unansweredPlaces { unsaid[place] = signal }
  }

  mutating func takeUnsaid() -> [NetworkSignal] {
    defer { unsaid = [:] }
    return Array(unsaid.values)
  }

  mutating func add(_ wish: Wish, in place: NetworkPlace) {
    if wishes[place] == nil, wishes.count >= Limits.unansweredPlaces {
      wishes[wishes.keys.first ?? place] = nil
    }
    wishes[place, default: []].append(wish)
    if wishes[place]?.count ?? 0 > Limits.unanswered { wishes[place]?.removeFirst() }
  }

  /// The owner has, or has seen, all up to a message.
  ///
  /// - Returns: whom a receipt is for, and the message whose marker goes out; the wishes are done.
  mutating func reach(
    _ name: MessageIDs, in place: NetworkPlace, _ state: DeliveryState
  ) -> (receipts: [String], marker: MessageIDs?) {
    let known = wishes[place] ?? []
    guard let last = known.lastIndex(where: { Unanswered.isSame($0.name, name) }) else {
      // It came before this program was started.
      guard state == .seen, noteShown(name, in: place) else { return ([], nil) }
      return ([], name)
    }
    let receipts = known[...last].filter(\.wantsReceipt).compactMap(\.name.origin)
    if state < .seen {
      for index in known[...last].indices { wishes[place]?[index].wantsReceipt = false }
      return (receipts, nil)
    }
    wishes[place]?.removeSubrange(...last)
    if wishes[place]?.isEmpty == true { wishes[place] = nil }
    let marker = known[...last].last(where: \.isMarkable)?.name
    guard let marker, noteShown(marker, in: place) else { return (receipts, nil) }
    return (receipts, marker)
  }

  private mutating func noteShown(_ name: MessageIDs, in place: NetworkPlace) -> Bool {
    if shown[place] == name { return false }
    if shown.count >= Limits.unansweredPlaces, shown[place] == nil {
      shown[shown.keys.first ?? place] = nil
    }
    shown[place] = name
    return true
  }

  private static func isSame(_ one: MessageIDs, _ other: MessageIDs) -> Bool {
    if let archive = one.archive, let wanted = other.archive { return archive == wanted }
    return one.origin != nil && one.origin == other.origin
  }
}

extension Client {
  /// Remembers that the sender of a message wants to know of it. Another device answers for what was
  /// sent to it.
  mutating func noteUnanswered(
    _ heard: IncomingMessage, _ name: MessageIDs, by speaker: NetworkUser, in place: NetworkPlace
  ) {
    guard !speaker.isOwner, !heard.isPast, heard.source == .live || heard.source.isFromArchive
    else { return }
    var isRoom = false
    if case .room = place { isRoom = true }
    unanswered.add(
      Unanswered.Wish(
        name: name, wantsReceipt: !isRoom && heard.message.has("request", Feature.receipts),
        isMarkable: heard.message.has("markable", Feature.markers)),
      in: place)
  }

  mutating func handle(_ signal: NetworkSignal) {
    guard isUp else { return }
    switch signal {
    case .typing(let place, let isTyping): typing(isTyping, in: place)
    case .reached(let place, let name, let speaker, let state):
      if speaker.isOwner || state < .delivered { return }
      if state == .seen, isComing(place) { return unanswered.keep(signal, of: place) }
      reached(name, in: place, state)
    }
  }

  /// Whether it is not known yet who may know, or the owner is not there yet.
  private func isComing(_ place: NetworkPlace) -> Bool {
    switch place {
    case .room(let name): Address(name).flatMap { rooms[$0] }.map { !$0.isEntered } ?? false
    case .direct: !roster.isKnown
    }
  }

  /// What was seen while the connection was made.
  mutating func sayWhatWasSeen() {
    for signal in unanswered.takeUnsaid() { handle(signal) }
  }

  /// Where a signal may go: into a room the owner is in, and to those who may know of the owner.
  private func recipient(of place: NetworkPlace) -> (to: Address, type: String)? {
    switch place {
    case .room(let name):
      guard let address = Address(name), rooms[address]?.isEntered == true else { return nil }
      return (address, "groupchat")
    case .direct(let name):
      guard let address = Address(name)?.bare, roster.mayKnow(address) else { return nil }
      return (address, "chat")
    }
  }

  /// Only changes are told (XEP-0085, 5.3).
  private mutating func typing(_ isTyping: Bool, in place: NetworkPlace) {
    guard let (to, type) = recipient(of: place), typesIn.contains(place) != isTyping else { return }
    if isTyping { typesIn.insert(place) } else { typesIn.remove(place) }
    let state = Element(isTyping ? "composing" : "paused", namespace: Feature.typing)
    send(
      Element(
        "message", ["to": to.description, "type": type, "id": newID()],
        children: [state, Element("no-store", namespace: Feature.hints)]))
  }

  private mutating func reached(
    _ name: MessageIDs, in place: NetworkPlace, _ state: DeliveryState
  ) {
    guard let (to, type) = recipient(of: place) else { return }
    let (receipts, marker) = unanswered.reach(name, in: place, state)
    for id in receipts {
      send(signal(Element("received", namespace: Feature.receipts, ["id": id]), to, type))
    }
    guard let marker else { return }
    let id = type == "groupchat" ? marker.archive : marker.origin
    guard let id else { return }
    send(signal(Element("displayed", namespace: Feature.markers, ["id": id]), to, type))
  }

  private mutating func signal(_ payload: Element, _ to: Address, _ type: String) -> Element {
    Element(
      "message", ["to": to.description, "type": type, "id": newID()],
      children: [payload, Element("store", namespace: Feature.hints)])
  }
}
