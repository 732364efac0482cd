// SPDX-License-Identifier: GPL-3.0-or-later
import ChatPreferences
import ChatRendering
import ChatSession
import Conversations
import StyledText

/// `hobnob wait` (rule 11.3): sleeps until somebody else sends a message, and prints it. It marks
/// nothing as seen or read (rule 7.3).
struct WaitScript: Subcommand {
  static let name = "wait"
  static let abstract: StaticString = "Wait for a message from somebody else, and print it."
  static var parameters: [Parameter<Self>] {
    [
      Parameter(
        "CONVERSATION", \.conversation, completes: .conversations,
        "A room's name, or @name of a person; without it, all your conversations."),
      Parameter(
        "--timeout", \.timeout, value: "time", "Give up after this time: seconds, or 90m, 12h."),
      Parameter(
        "--mention", \.mention, "Wait for a message that mentions you or is sent to you alone."),
      Parameter("--json", \.json, "Print the message as a JSON object."),
    ]
  }

  var conversation: String?
  var timeout: TimeLimit?
  var mention = false
  var json = false

  /// - Returns: 0; it throws a sentence when the time limit is over.
  func run(_ launch: Launch) throws -> Int32 {
    try launch.script { script in
      let conversation = try conversation.map { try script.conversation($0) }
      // Someone in no conversation would wait for ever.
      if conversation == nil, script.isNobody {
        throw Script.noSuchPerson(named: script.me.identity)
      }
      let bell = try BellWait(script.store, seconds: timeout?.seconds, watchesReader: true)
      var reader = try NewMessageReader(script: script, conversation: conversation)
      while true {
        let arrived = try reader.arrived()
        let me = try script.knownID
        let attention =
          try me.map { each in try script.store.read { try $0.attention(of: each) } } ?? Attention()
        let found = arrived.filter {
          $0.sender != me && $0.deletedAt == nil
            && !attention.hides($0.sender, in: $0.conversation)
            && (!mention
              || !attention.isSilenced($0.sender, in: $0.conversation) && script.isForMe($0))
        }
        if let message = found.first {
          try script.print(
            [message], in: conversation == nil ? script.name(of: message.conversation) : nil,
            isJSON: json)
          return 0
        }
        switch bell.next() {
        case .rang: continue
        case .readerIsGone: return 0
        case .timeIsOver: throw timeout(in: conversation)
        }
      }
    }
  }

  private func timeout(in conversation: Conversation?) -> Refusal {
    let seconds = SafeText(timeout?.seconds ?? 0)
    guard let conversation else { return Refusal(say("No message arrived within %1 s.", seconds)) }
    return Refusal(
      say("No message arrived in %1 within %2 s.", SafeText(name: conversation.name), seconds))
  }
}

/// Reads new messages, in one conversation or in all conversations of a person.
@MainActor
private struct NewMessageReader {
  let script: Script
  let conversation: Conversation?
  private var position: Int64

  init(script: Script, conversation: Conversation?) throws {
    self.script = script
    self.conversation = conversation
    position = try script.store.read { try $0.position }
  }

  /// Returns the next messages, in order of arrival; empty if nothing has arrived.
  mutating func arrived() throws -> [Message] {
    guard let conversation else {
      var found: [Message] = []
      var hasMore = true
      while hasMore, found.isEmpty {
        let changes = try script.store.read { try $0.changes(since: position, for: script.me.id) }
        (position, hasMore) = (changes.position, changes.hasMore)
        found = changes.arrived
      }
      return found
    }
    // You can wait in a room without being in it.
    let end = try script.store.read { try $0.position }
    let found = try script.store.read {
      try $0.arrivals(
        in: conversation.id, since: position, upTo: end, limit: .max, for: script.me.id)
    }
    position = end
    return found.map(\.message)
  }
}

extension Script {
  /// Whether a message mentions this person, or is to them alone (rule 7.10).
  fileprivate func isForMe(_ message: Message) -> Bool {
    message.names(me, settings.highlights)
      || message.kind != .notice
        && (try? store.read { try $0.conversation(message.conversation, for: me.id) })??.kind
          == .direct
  }
}
