// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import IRC
import NetworkInbox

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
  private var outbox: [OutboxEntry] = []

  /// - Parameter capabilities: those that were agreed.
  init(
    _ capabilities: [String] = [], support: String = "CHANTYPES=#& CASEMAPPING=rfc1459",
    settings: [String: String] = ["flood": "off"], rooms: [String] = [],
    marks: [String: String] = [:], proven: Set<String> = [], nick: String = "anna",
    wanted: String? = nil
  ) {
    var start = IRCClient.Start()
    (start.rooms, start.marks, start.proven) = (rooms, marks, proven)
    start.settings = settings
    client = IRCClient(start)
    var agreed = Capabilities()
    agreed.enabled = Set(capabilities.map { String($0.prefix { $0 != "=" }) })
    for name in capabilities {
      let parts = name.split(separator: "=", maxSplits: 1).map(String.init)
      agreed.offered[parts[0]] = parts.count > 1 ? parts[1] : ""
    }
    tell(.up(Login.Welcome(nick: nick, capabilities: agreed, wantedNick: wanted)))
    receive(
      ":srv 005 \(nick) \(support) :are supported by this server", ":srv 422 \(nick) :No MOTD")
  }

  mutating func tell(_ event: IRCClientEvent) {
    for effect in client.handle(event, at: now) {
      effects.append(effect)
      switch effect {
      case .send(let lines): sent += lines.map(\.text)
      case .store(let new):
        events += new
        for event in new {
          switch event {
          case .accepted(let entry, _), .refused(let entry, _):
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

  mutating func takeSent() -> [String] {
    defer { sent = [] }
    return sent
  }

  mutating func takeEvents() -> [NetworkEvent] {
    defer { events = [] }
    return events
  }

  /// Writes a message; the process hands over what the client admits.
  mutating func write(
    _ text: String, to conversation: ConversationAddress = .room("#tea"), id: Int64? = nil,
    kind: Message.Kind = .text, wasTried: Bool = false
  ) {
    let number = id ?? Int64(outbox.count + 1)
    let message = Message(
      id: ID(rawValue: number), uid: "u\(number)", conversation: ID(rawValue: 1),
      number: Int(number), sender: ID(rawValue: 1), senderName: "anna", senderIdentity: "anna",
      body: text, kind: kind, createdAt: now, state: .sending)
    outbox.append(
      OutboxEntry(
        id: number, message: message, operation: .send, conversation: conversation,
        wasTried: wasTried))
    deliver()
  }

  /// As the process does it, at each change of the store.
  mutating func deliver() {
    tell(.tried(client.admit(outbox, at: now)))
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
      case .accepted(let entry, let archive): "\(entry.id) sent" + (archive.map { " " + $0 } ?? "")
      case .refused(let entry, let reason): "\(entry.id) failed: \(reason)"
      default: nil
      }
    }
  }
}
