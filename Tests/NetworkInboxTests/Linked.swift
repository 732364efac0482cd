// SPDX-License-Identifier: GPL-3.0-or-later
import StoreFixture

@testable import Conversations
@testable import NetworkInbox

/// anna and her account; `wire` is the process that serves it.
final class Linked {
  let fixture = Fixture()
  let store: Store
  let wire: Store
  let anna: ID<Participant>
  let account: Account

  let tea = ConversationAddress.room("tea@rooms.example")
  let direct = ConversationAddress.direct("ben@example.org")
  let ben = NetworkUser(identity: "ben@example.org", name: "Ben")
  /// People of #tea.
  let zoe = NetworkUser(identity: "occupant-7", name: "zoe")
  let max = NetworkUser(identity: "occupant-8", name: "max")
  let me = NetworkUser(identity: "anna@example.org", isOwner: true)

  /// The person with whom anna has opened a direct chat.
  private var opened: Set<String> = []

  init() throws {
    store = try fixture.open()
    wire = try fixture.open()
    let anna = try store.writeDurablyIfNeeded { try $0.participant(identity: "anna") }.id
    self.anna = anna
    account = try store.writeDurably {
      try $0.addAccount(owner: anna, network: "xmpp:anna@example.org")
    }
  }

  /// Nil while another process has it.
  func lease() throws -> AccountLease? { try AccountLease.acquire(account, in: wire) }

  /// Anyone who writes to anna is not a stranger: she has opened the chat.
  func hear(_ news: NetworkEvent...) throws {
    for case .messageReceived(_, in: .direct(let address)) in news
    where opened.insert(address).inserted {
      _ = try store.writeDurably { try $0.networkChat(with: address, of: account) }
    }
    try wire.inbox.apply(news, of: account)
  }

  /// A message by somebody in #tea, by default sent just now.
  func say(
    _ body: String, by speaker: NetworkUser? = nil, in place: ConversationAddress? = nil,
    origin: String? = nil, archive: String? = nil, at time: Milliseconds? = nil,
    isPast: Bool = false
  ) throws {
    try hear(
      .messageReceived(
        NetworkMessage(
          name: MessageIDs(origin: origin, archive: archive), speaker: speaker ?? zoe, body: body,
          time: time, isPast: isPast), in: place ?? tea))
  }

  func join() throws { try hear(.joined(room: "tea@rooms.example", nick: "anna")) }

  func conversation(_ place: ConversationAddress? = nil) throws -> ID<Conversation> {
    let all = try store.read { try $0.listing(for: anna) }.map(\.conversation.id)
    let found = try all.first { each in
      try store.read { try $0.conversationAddress(of: each) } == place ?? tea
    }
    guard let found else { throw RuleError.noSuchRoom("\(place ?? tea)") }
    return found
  }

  func messages(in place: ConversationAddress? = nil) throws -> [Message] {
    try store.read { try $0.messages(in: conversation(place), limit: 99, for: anna) }
  }

  func bodies(in place: ConversationAddress? = nil) throws -> [String] {
    try messages(in: place).map(\.body)
  }

  /// Sends what anna types, and returns the outbox entry.
  func send(
    _ body: String, in place: ConversationAddress? = nil
  ) throws -> (message: Message, entry: OutboxEntry) {
    let message = try store.writeDurably { try $0.send(body, in: conversation(place), by: anna) }
    guard let entry = try outbox().last else { throw RuleError.noSuchMessage(message.number) }
    return (message, entry)
  }

  func outbox() throws -> [OutboxEntry] { try wire.read { try $0.outbox(of: account.network) } }
  func state(_ message: Message) throws -> DeliveryState? {
    try store.read { try $0.message(message.id, for: anna) }?.state
  }
}
