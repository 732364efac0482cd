// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// Someone who types somewhere.
struct Typist: Hashable, Sendable {
  var identity: String
  var place: NetworkPlace
}

// What a message says, once it is clear who says it where.
extension Client {
  mutating func interpret(
    _ heard: IncomingMessage, _ name: MessageIDs, by speaker: NetworkUser, _ from: Address,
    in place: NetworkPlace
  ) {
    let message = heard.message
    if came(back: heard, name, by: speaker, from, in: place) { return }
    if retracted(heard, by: speaker, from, in: place) { return }
    let isReaction = reacted(heard, name, by: speaker, in: place)
    if !heard.isPast { reached(message, by: speaker, in: place) }
    if heard.source.isLive, !speaker.isOwner { typed(message, by: speaker, in: place) }

    let text = MessageText(message)
    // A reaction is written out for programs that know none (XEP-0444, 5).
    guard !text.body.isEmpty, !isReaction else { return }
    endTyping(of: speaker, in: place)
    if let original = message.first("replace", Feature.correction) {
      guard let id = Client.word(original["id"]) else { return }
      tell(
        .edited(
          MessageIDs(origin: id), by: speaker, in: place, body: text.body, at: heard.time,
          change: name))
      return
    }
    let answers = text.answers.map { both($0.id, in: place) }
    tell(
      .messageReceived(
        NetworkMessage(
          name: name, speaker: speaker, body: text.body, kind: text.kind, time: heard.time,
          answers: answers, answersSpeaker: text.answers.flatMap { answered($0.to, in: place) },
          links: text.links, isPast: heard.isPast),
        in: place))
    noteUnanswered(heard, name, by: speaker, in: place)
    if case .direct = place, !speaker.isOwner, roster.contacts[from.bare] == nil,
      !roster.acquaintances.contains(from.bare)
    {
      countStrangersLater()
    }
  }

  /// The name of a message that another one refers to. In a room it is the id that the room gave;
  /// some programs take the sender's for it.
  private func both(_ id: String, in place: NetworkPlace) -> MessageIDs {
    if case .room = place { return MessageIDs(origin: id, archive: id) }
    return MessageIDs(origin: id)
  }

  /// Who wrote what is answered, as the answer tells.
  private func answered(_ to: Address?, in place: NetworkPlace) -> NetworkUser? {
    guard let to else { return nil }
    switch place {
    case .direct(let other):
      guard to.bare == account || to.bare.description == other else { return nil }
      return NetworkUser(
        identity: to.bare.description, name: roster.contacts[to.bare]?.name ?? "",
        isOwner: to.bare == account)
    case .room(let address):
      guard to.bare.description == address, let room = rooms[to.bare] else { return nil }
      return room.speaker(to, occupantID: room.occupants[to.resource]?.occupantID, isLive: true)
    }
  }

  /// XEP-0424, as it is and as it was, and a moderator's by XEP-0425 (0.3 and 0.2), which the room tells itself.
  private mutating func retracted(
    _ heard: IncomingMessage, by speaker: NetworkUser, _ from: Address, in place: NetworkPlace
  ) -> Bool {
    let message = heard.message
    let former = message.first("apply-to", Feature.fastening)
    var retraction = message.first("retract", Feature.retraction)
    var moderation = retraction?.first("moderated", Feature.moderation)
    if retraction == nil, let former {
      moderation = former.first("moderated", Feature.formerModeration)
      if moderation != nil || former.has("retract", Feature.formerRetraction) {
        retraction = former
      }
    }
    guard let retraction else { return false }
    guard let id = Client.word(retraction["id"]) else { return true }
    if let moderation {
      // Only the room itself may speak for its moderators.
      guard case .room(let address) = place, from.description == address else { return true }
      let reason =
        retraction.first("reason", Feature.retraction)
        ?? moderation.first("reason", Feature.formerModeration)
      let moderator = moderation["by"].flatMap(Address.init)
      tell(
        .removed(
          archive: id, room: address,
          Removal(
            moderator: moderator.flatMap { $0.bare == from ? $0.resource : nil } ?? "",
            reason: String((reason?.text ?? "").prefix(Limits.reason))), at: heard.time))
      return true
    }
    tell(.retracted(both(id, in: place), by: speaker, in: place, at: heard.time))
    return true
  }

  /// XEP-0444.
  private mutating func reacted(
    _ heard: IncomingMessage, _ name: MessageIDs, by speaker: NetworkUser, in place: NetworkPlace
  ) -> Bool {
    guard let reactions = heard.message.first("reactions", Feature.reactions) else { return false }
    guard let id = Client.word(reactions["id"]) else { return true }
    var emoji: [String] = []
    for child in reactions.children.prefix(Limits.reactions) where child.name == "reaction" {
      let text = child.text
      guard !text.isEmpty, text.utf8.count <= Limits.reactionBytes, !emoji.contains(text)
      else { continue }
      emoji.append(text)
    }
    tell(
      .reacted(
        both(id, in: place), author: nil, by: speaker, in: place, emoji: emoji, at: heard.time,
        change: name))
    return true
  }

  /// Receipts (XEP-0184) and markers (XEP-0333).
  private mutating func reached(
    _ message: Element, by speaker: NetworkUser, in place: NetworkPlace
  ) {
    var isRoom = false
    if case .room = place { isRoom = true }
    let marks: [(String, String, DeliveryState)] = [
      ("received", Feature.receipts, .delivered), ("received", Feature.markers, .delivered),
      ("displayed", Feature.markers, .seen), ("acknowledged", Feature.markers, .seen),
    ]
    for (name, namespace, state) in marks {
      guard let id = Client.word(message.first(name, namespace)?["id"]) else { continue }
      if speaker.isOwner {
        if state == .seen { tell(.read(both(id, in: place), in: place)) }
      } else if !isRoom || state == .seen {
        tell(.receipt(both(id, in: place), by: speaker, in: place, state))
      }
    }
  }

  /// XEP-0085.
  private mutating func typed(_ message: Element, by speaker: NetworkUser, in place: NetworkPlace) {
    let states = message.children.filter { $0.namespace == Feature.typing }
    guard let state = states.first?.name else { return }
    if state != "composing" {
      endTyping(of: speaker, in: place)
      return
    }
    let typist = Typist(identity: speaker.identity, place: place)
    guard !message.has("body"), typists.count < Limits.typists else { return }
    typists.insert(typist)
    tell(.typing(speaker, in: place, true))
  }

  mutating func endTyping(of speaker: NetworkUser, in place: NetworkPlace) {
    let typist = Typist(identity: speaker.identity, place: place)
    if typists.remove(typist) != nil { tell(.typing(speaker, in: place, false)) }
  }
}
