// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Networks

/// Who is typing where (XEP-0085).
struct TypingStates: Sendable {
  private struct Typist: Hashable {
    var identity: String
    var conversation: ConversationAddress
  }

  private var typists: Set<Typist> = []
  /// Where others were told that the owner is typing.
  private var ownTyping: Set<ConversationAddress> = []

  var count: Int { typists.count }

  /// Notes what a message says about whether its sender is typing.
  mutating func note(_ message: AddressedMessage, in context: inout ClientContext) {
    let states = message.stanza.children.filter { $0.namespace == Feature.typing }
    guard let state = states.first?.name else { return }
    if state != "composing" {
      return end(of: message.sender, in: message.conversation, &context)
    }
    guard !message.stanza.has("body"), typists.count < Limits.typists else { return }
    typists.insert(
      Typist(identity: message.sender.identity, conversation: message.conversation))
    context.tell(.typing(message.sender, in: message.conversation, true))
  }

  /// Notes that someone has stopped typing, or has sent their message.
  mutating func end(
    of sender: NetworkUser, in conversation: ConversationAddress, _ context: inout ClientContext
  ) {
    let typist = Typist(identity: sender.identity, conversation: conversation)
    if typists.remove(typist) != nil { context.tell(.typing(sender, in: conversation, false)) }
  }

  /// Tells the others that the owner is typing, or no longer is. Sends only changes (XEP-0085,
  /// 5.3).
  mutating func announce(
    _ isTyping: Bool, in conversation: ConversationAddress, to recipient: SignalRecipient,
    _ context: inout ClientContext
  ) {
    guard ownTyping.contains(conversation) != isTyping else { return }
    if isTyping { ownTyping.insert(conversation) } else { ownTyping.remove(conversation) }
    let state = Element(isTyping ? "composing" : "paused", namespace: Feature.typing)
    context.send(recipient.stanza(state, hint: "no-store", id: context.newID()))
  }

  /// Call this when the owner is no longer in a room. When they come back, nobody there knows
  /// whether they are typing.
  mutating func forget(_ room: Address) { ownTyping.remove(.room(room.description)) }
}

/// Whom the client tells that the owner is typing, or has a message.
struct SignalRecipient {
  var address: Address
  var isRoom: Bool

  /// - Parameter hint: whether archives should keep it (XEP-0334): `store` or `no-store`.
  func stanza(_ payload: Element, hint: String, id: String) -> Element {
    Element(
      "message",
      ["to": address.description, "type": isRoom ? "groupchat" : "chat", "id": id],
      children: [payload, Element(hint, namespace: Feature.hints)])
  }
}
