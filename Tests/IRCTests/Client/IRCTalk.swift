// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Networks

@testable import IRC

/// A client and what its server would see: lines go in as the server writes them, and what the
/// client sends, stores and says comes out.
struct IRCTalk {
  var client: IRCClient
  /// Lines that the client sent since the last `takeSent`.
  private(set) var sent: [String] = []
  private(set) var events: [NetworkEvent] = []
  private(set) var effects: [IRCClientEffect] = []
  var now: Milliseconds = 1_700_000_000_000
  /// The outbox, as the store would have it.
  private(set) var outbox: [OutboxEntry] = []
  /// What the owner has taken out of it.
  private(set) var deleted: Set<OutboxEntry.ID> = []
  private var lastEntry: Int64 = 0

  /// - Parameter capabilities: those that were agreed.
  init(
    _ capabilities: [String] = [], support: String = "CHANTYPES=#& CASEMAPPING=rfc1459",
    settings: [String: String] = ["flood": "off"], rooms: [String] = [],
    marks: [String: String] = [:], proven: Set<String> = [], nicks: [String: String] = [:],
    contacts: [String: String] = [:], scope: String = "", nick: String = "anna",
    wanted: String? = nil, account: String? = nil, sent: Set<String> = [],
    unread: Set<String> = []
  ) {
    var start = IRCClient.Start()
    (start.rooms, start.marks) = (rooms, marks)
    start.proven = nicks.merging(proven.map { ($0, $0) }) { $1 }
    (start.contacts, start.scope, start.sent) = (contacts, scope, sent)
    start.unread = unread
    client = IRCClient(start)
    client.prepare(settings, keys: nil)
    tell(
      .up(
        Login.Welcome(
          nick: nick, capabilities: Self.agreed(capabilities), wantedNick: wanted,
          account: account)))
    receive(
      ":srv 005 \(nick) \(support) :are supported by this server", ":srv 422 \(nick) :No MOTD")
  }

  mutating func tell(_ event: IRCClientEvent) {
    for effect in client.handle(event, at: now) {
      effects.append(effect)
      switch effect {
      case .act(.send(let lines)): sent += lines.map(\.text)
      case .store(let new):
        events += new
        for event in new {
          switch event {
          case .accepted(let entry, _, _), .refused(let entry, _, _):
            outbox.removeAll { $0.id == entry.id }
          default: break
          }
        }
      case .wantsOutbox: deliver()
      default: break
      }
    }
  }

  mutating func receive(_ lines: String...) { tell(.lines(lines.compactMap { IRCLine($0) })) }

  mutating func wait(_ milliseconds: Milliseconds) {
    now += milliseconds
    tell(.tick)
  }

  /// Forgets what came out.
  mutating func forget() { (sent, events, effects) = ([], [], []) }

  mutating func takeSent() -> [String] {
    defer { sent = [] }
    return sent
  }

  mutating func takeEvents() -> [NetworkEvent] {
    defer { events = [] }
    return events
  }

  private func message(_ number: Int64, _ text: String, _ kind: Message.Kind = .text) -> Message {
    Message(
      id: ID(rawValue: number), uid: "u\(number)", conversation: ID(rawValue: 1),
      number: Int(number), sender: ID(rawValue: 1), senderName: "anna", senderIdentity: "anna",
      body: text, kind: kind, createdAt: now, state: .sending)
  }

  /// Writes a message; the process hands over what the client admits.
  ///
  /// - Parameter answers: the id of the message that it answers.
  mutating func write(
    _ text: String, to conversation: ConversationAddress = .room("#tea"), id: Int64? = nil,
    kind: Message.Kind = .text, answers: String? = nil, wasTried: Bool = false
  ) {
    lastEntry = id ?? lastEntry + 1
    let quote = answers.map {
      NetworkQuote(
        name: MessageIDs(archive: $0), speaker: NetworkUser(identity: "ben"), text: "x")
    }
    outbox.append(
      OutboxEntry(
        id: lastEntry, message: message(lastEntry, text, kind), operation: .send,
        conversation: conversation, answers: quote, wasTried: wasTried))
    deliver()
  }

  /// Changes, deletes or reacts to a message with this id on the network.
  mutating func post(
    _ operation: OutboxEntry.Operation, of archive: String?,
    in conversation: ConversationAddress = .room("#tea"), emoji: String = "👍",
    isRemoved: Bool = false
  ) {
    lastEntry += 1
    let reaction = OutgoingReaction(
      participant: ID(rawValue: 1), emoji: emoji, isRemoved: isRemoved, all: [])
    outbox.append(
      OutboxEntry(
        id: lastEntry, message: message(lastEntry, "x"), operation: operation,
        reaction: operation == .react ? reaction : nil, conversation: conversation,
        name: MessageIDs(archive: archive)))
    deliver()
  }

  /// The owner changes the text of a message that waits, or takes it back (nil).
  mutating func change(_ id: Int64, to text: String?) {
    if let text {
      for index in outbox.indices where outbox[index].id == id {
        outbox[index].message.body = text
      }
    } else {
      if outbox.contains(where: { $0.id == id }) { deleted.insert(id) }
      outbox.removeAll { $0.id == id }
    }
    deliver()
  }

  /// As the process does it, at each change of the store.
  mutating func deliver() {
    let admitted = client.admit(outbox, at: now)
    for index in outbox.indices where admitted.contains(outbox[index].id) {
      outbox[index].wasTried = true
    }
    tell(.tried(admitted))
  }

  /// Chooses entries without telling the client that the store knows.
  mutating func admitOnly() { _ = client.admit(outbox, at: now) }

  /// Connects again; the server's greeting follows.
  mutating func reconnect(
    _ capabilities: [String] = [], support: String = "CHANTYPES=#& CASEMAPPING=rfc1459"
  ) {
    if client.context.isUp { disconnect() }
    tell(
      .up(Login.Welcome(nick: "anna", capabilities: Self.agreed(capabilities))))
    receive(":srv 005 anna \(support) :are supported by this server", ":srv 422 anna :No MOTD")
    deliver()
  }

  private static func agreed(_ capabilities: [String]) -> Capabilities {
    var agreed = Capabilities()
    agreed.enabled = Set(capabilities.map { String($0.prefix { $0 != "=" }) })
    for name in capabilities {
      let parts = name.split(separator: "=", maxSplits: 1).map(String.init)
      agreed.offered[parts[0]] = parts.count > 1 ? parts[1] : ""
    }
    return agreed
  }

  /// Lets the owner into a room.
  mutating func enter(_ room: String, with names: String = "@ben carla") {
    receive(
      ":anna!~anna@host JOIN \(room)", ":srv 353 anna = \(room) :anna \(names)",
      ":srv 366 anna \(room) :End of NAMES")
  }

  mutating func disconnect() { tell(.down) }

  // MARK: What came out

  /// The texts of messages, with their senders: `ben: hello`.
  var said: [String] {
    events.compactMap {
      if case .messageReceived(let message, _) = $0 {
        message.speaker.identity + ": " + message.body
      } else {
        nil
      }
    }
  }

  /// What became of messages: `1 sent`, `2 failed: reason`.
  var results: [String] {
    events.compactMap {
      switch $0 {
      case .accepted(let entry, let archive, _):
        "\(entry.id) sent" + (archive.map { " " + $0 } ?? "")
      case .refused(let entry, let reason, _): "\(entry.id) failed: \(reason)"
      case .neverSent(let entry): "\(entry.id) never sent"
      default: nil
      }
    }
  }

  /// The messages that failed although they may have arrived.
  var doubtful: [OutboxEntry.ID] {
    events.compactMap {
      if case .refused(let entry, _, mayHaveArrived: true) = $0 { entry.id } else { nil }
    }
  }

  /// The answers to requests: `1: sentence`.
  var answers: [String] {
    events.compactMap {
      if case .answered(let request, let text) = $0 { "\(request.id): \(text)" } else { nil }
    }
  }
}

extension IRCClientEvent {
  static func request(
    _ verb: NetworkRequest.Verb, _ target: String, _ text: String = "", id: Int64 = 1
  ) -> IRCClientEvent {
    .requests([NetworkRequest(verb, target, text, id: id)])
  }
}

extension NetworkRequest {
  /// A request of a shell.
  ///
  /// - Parameter text: of one about a person in a room, the person, a blank, and the reason.
  init(_ verb: Verb, _ target: String, _ text: String = "", id: Int64 = 1) {
    let isAboutPerson = [.invite, .kick, .ban, .unban, .promote, .demote].contains(verb)
    let person = isAboutPerson ? text.prefix { $0 != " " } : ""
    self.init(
      id: id, verb: verb, target: target, person: String(person),
      text: String(text.dropFirst(isAboutPerson ? person.count + 1 : 0)))
  }
}
