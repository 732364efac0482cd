// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox

/// A message whose sender and conversation are known.
struct AddressedMessage: Sendable {
  var incoming: IncomingMessage
  var sender: NetworkUser
  /// The address that it came from. In a room, the resource is the sender's nickname.
  var from: Address
  var conversation: ConversationAddress

  var stanza: Element { incoming.stanza }
  var ids: MessageIDs { incoming.ids }

  /// The address of the person or the room that the conversation is with.
  var place: Address? {
    switch conversation {
    case .direct(let name), .room(let name): Address(name)?.bare
    }
  }

  var isInRoom: Bool { if case .room = conversation { true } else { false } }

  /// The ids of the message that this one refers to. In a room it should use the id that the room
  /// gave; some clients use the sender's id instead.
  func reference(_ id: String) -> MessageIDs {
    MessageIDs(origin: id, archive: isInRoom ? id : nil)
  }

  /// The retraction in the message (XEP-0424, current and earlier version), by its author or by a
  /// moderator (XEP-0425, 0.3 and 0.2), which the room itself sends.
  ///
  /// - Returns: nil if the message has none; an empty array if it does not count.
  var retraction: [NetworkEvent]? {
    let former = stanza.first("apply-to", Feature.fastening)
    var retraction = stanza.first("retract", Feature.retraction)
    var moderation = retraction?.first("moderated", Feature.moderation)
    if retraction == nil, let former {
      moderation = former.first("moderated", Feature.formerModeration)
      if moderation != nil || former.has("retract", Feature.formerRetraction) {
        retraction = former
      }
    }
    guard let retraction else { return nil }
    guard let id = Limits.bounded(retraction["id"]) else { return [] }
    guard let moderation else {
      return [.retracted(reference(id), by: sender, in: conversation, at: incoming.time)]
    }
    // Only the room itself may speak for its moderators.
    guard case .room(let address) = conversation, from.description == address else { return [] }
    let reason =
      retraction.first("reason", Feature.retraction)
      ?? moderation.first("reason", Feature.formerModeration)
    let moderator = moderation["by"].flatMap(Address.init)
    return [
      .removed(
        archive: id, room: address,
        Removal(
          moderator: moderator.flatMap { $0.bare == from ? $0.resource : nil } ?? "",
          reason: String((reason?.text ?? "").prefix(Limits.reason))), at: incoming.time)
    ]
  }

  /// Reactions (XEP-0444).
  ///
  /// - Returns: nil if the message has none; an empty array if it does not count.
  var reaction: [NetworkEvent]? {
    guard let reactions = stanza.first("reactions", Feature.reactions) else { return nil }
    guard let id = Limits.bounded(reactions["id"]) else { return [] }
    var emoji: [String] = []
    for child in reactions.children.prefix(Limits.reactions) where child.name == "reaction" {
      let text = child.text
      guard !text.isEmpty, text.utf8.count <= Limits.reactionBytes, !emoji.contains(text)
      else { continue }
      emoji.append(text)
    }
    return [
      .reacted(
        reference(id), author: nil, by: sender, in: conversation, emoji: .all(emoji),
        at: incoming.time, change: ids)
    ]
  }

  /// The receipts (XEP-0184) and markers (XEP-0333) in the message.
  var receipts: [NetworkEvent] {
    let marks: [(String, String, DeliveryState)] = [
      ("received", Feature.receipts, .delivered), ("received", Feature.markers, .delivered),
      ("displayed", Feature.markers, .seen), ("acknowledged", Feature.markers, .seen),
    ]
    return marks.compactMap { name, namespace, state in
      guard let id = Limits.bounded(stanza.first(name, namespace)?["id"]) else { return nil }
      if sender.isOwner {
        return state == .seen ? .read(reference(id), in: conversation) : nil
      }
      return isInRoom && state != .seen
        ? nil : .receipt(reference(id), by: sender, in: conversation, state)
    }
  }

  /// The text, as a new message or a correction (XEP-0308); nil for a correction that does not say
  /// which message it corrects. An encrypted correction is a new message: the text that it
  /// replaces stays.
  ///
  /// - Parameter quoted: who wrote the answered message, if this one says so.
  func event(
    _ text: MessageText, quoted: NetworkUser?, encryption: Message.Encryption?
  ) -> NetworkEvent? {
    guard text.kind != .unreadable, let original = stanza.first("replace", Feature.correction)
    else {
      // Only headlines from the owner's own server get here.
      let isHeadline = text.kind == .text && stanza["type"] == "headline"
      var message = NetworkMessage(
        name: ids, speaker: sender, body: text.body, kind: isHeadline ? .notice : text.kind,
        time: incoming.time, answers: text.answers.map { reference($0.id) }, answersSpeaker: quoted,
        links: text.links, isPast: incoming.source.isBackfill)
      message.encryption = encryption ?? .none
      message.bodyWithQuote = text.bodyWithQuote
      message.otherOrigin = incoming.otherOrigin
      message.isDelayed = incoming.isDelayed
      message.playback = incoming.archiveID == nil ? incoming.playback : nil
      return .messageReceived(message, in: conversation)
    }
    return Limits.bounded(original["id"]).map {
      .edited(
        MessageIDs(origin: $0), by: sender, in: conversation, body: text.body,
        at: incoming.time, change: ids, bodyWithQuote: text.bodyWithQuote,
        encryption: encryption)
    }
  }
}
