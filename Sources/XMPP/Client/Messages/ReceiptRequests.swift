// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// Messages whose senders want to know whether they arrived and were seen (XEP-0184, XEP-0333).
struct ReceiptRequests: Sendable {
  struct Request: Sendable {
    var ids: MessageIDs
    /// The stanza's own id, by which its sender knows the message (XEP-0184, 4; XEP-0333, 4).
    var stanzaID: String?
    /// Its receipt is not sent yet.
    var wantsReceipt: Bool
    var isMarkable: Bool
  }

  /// By conversation, oldest first.
  private(set) var requests: [ConversationAddress: [Request]] = [:]
  /// The last message that the client marked as seen.
  private var lastMarked: [ConversationAddress: MessageIDs] = [:]
  /// Read markers that could not be sent yet, by conversation.
  private(set) var unsentMarkers: [ConversationAddress: NetworkSignal] = [:]

  mutating func postpone(_ signal: NetworkSignal, of conversation: ConversationAddress) {
    if unsentMarkers.count < Limits.receiptConversations { unsentMarkers[conversation] = signal }
  }

  mutating func removeMarker(of conversation: ConversationAddress) {
    unsentMarkers[conversation] = nil
  }

  /// Remembers what the sender of a message wants to know. Does nothing for copies: the device that
  /// received the message answers.
  mutating func add(_ message: AddressedMessage) {
    let source = message.incoming.source
    guard !message.sender.isOwner, source == .live || source == .archive(isBackfill: false)
    else { return }
    let conversation = message.conversation
    if requests[conversation] == nil, requests.count >= Limits.receiptConversations {
      requests[requests.keys.first ?? conversation] = nil
    }
    requests[conversation, default: []].append(
      Request(
        ids: message.ids, stanzaID: Limits.bounded(message.stanza["id"]),
        wantsReceipt: !message.isInRoom && message.stanza.has("request", Feature.receipts),
        isMarkable: message.stanza.has("markable", Feature.markers)))
    if requests[conversation]?.count ?? 0 > Limits.receiptRequests {
      requests[conversation]?.removeFirst()
    }
  }

  /// Sends the receipts and the marker that are due now that the owner has, or has seen, all
  /// messages up to one.
  mutating func send(
    upTo ids: MessageIDs, in conversation: ConversationAddress, _ state: DeliveryState,
    to recipient: SignalRecipient, _ context: inout ClientContext
  ) {
    let (receipts, marker) = take(upTo: ids, in: conversation, state)
    for id in receipts {
      let receipt = Element("received", namespace: Feature.receipts, ["id": id])
      context.send(recipient.stanza(receipt, hint: "store", id: context.newID()))
    }
    if let marker, let id = recipient.isRoom ? marker.archive : marker.origin {
      let displayed = Element("displayed", namespace: Feature.markers, ["id": id])
      context.send(recipient.stanza(displayed, hint: "store", id: context.newID()))
    }
  }

  /// - Returns: the messages to send receipts for, and the one to mark as seen.
  private mutating func take(
    upTo ids: MessageIDs, in conversation: ConversationAddress, _ state: DeliveryState
  ) -> (receipts: [String], marker: MessageIDs?) {
    let known = requests[conversation] ?? []
    guard let last = known.lastIndex(where: { ReceiptRequests.isSame($0.ids, ids) }) else {
      // The message arrived before this process started.
      return ([], state == .seen && noteMarked(ids, in: conversation) ? ids : nil)
    }
    let receipts = known[...last].filter(\.wantsReceipt).compactMap(\.stanzaID)
    if state < .seen {
      for index in known[...last].indices { requests[conversation]?[index].wantsReceipt = false }
      return (receipts, nil)
    }
    requests[conversation]?.removeSubrange(...last)
    if requests[conversation]?.isEmpty == true { requests[conversation] = nil }
    let marker = known[...last].last(where: \.isMarkable).map {
      MessageIDs(origin: $0.stanzaID, archive: $0.ids.archive)
    }
    return (receipts, marker.flatMap { noteMarked($0, in: conversation) ? $0 : nil })
  }

  /// - Returns: whether it was not marked before.
  private mutating func noteMarked(
    _ ids: MessageIDs, in conversation: ConversationAddress
  ) -> Bool {
    if lastMarked[conversation] == ids { return false }
    if lastMarked.count >= Limits.receiptConversations, lastMarked[conversation] == nil {
      lastMarked[lastMarked.keys.first ?? conversation] = nil
    }
    lastMarked[conversation] = ids
    return true
  }

  private static func isSame(_ one: MessageIDs, _ other: MessageIDs) -> Bool {
    if let archive = one.archive, let wanted = other.archive { return archive == wanted }
    return one.origin != nil && one.origin == other.origin
  }
}
