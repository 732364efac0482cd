// SPDX-License-Identifier: GPL-3.0-or-later
import ChatPreferences
import ChatRendering
import ChatSession
import Conversations
import Exchange
import StyledText

/// `hobnob wait` (rule 11.3): sleeps until somebody else sends a message, and prints it. It marks
/// nothing as seen or read (rule 7.3).
struct WaitScript: JSONSubcommand {
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
      .after(\.after),
      Parameter("--json", \.json, "Print the message as a JSON object."),
    ]
  }

  var conversation: String?
  var timeout: TimeLimit?
  var mention = false
  var after: Int64?
  var json = false

  func validate() throws { try validPosition(after) }

  /// - Returns: 0; it throws a sentence when the time limit is over.
  func run(_ launch: Launch) throws -> Int32 {
    try launch.script { script in
      let conversation = try conversation.map { try script.conversation($0) }
      let bell = try BellWait(script.store, seconds: timeout?.seconds, watchesReader: true)
      var reader = try ChangeReader(script, of: conversation.map { [$0] }, after: after)
      while true {
        if let found = try reader.firstMessage(isMention: mention) {
          if json {
            let line = try script.store.read { try $0.jsonLine(of: found.change) }
            script.output.write(JSONLine.safe(line ?? ""))
          } else {
            try script.print(
              [found.message],
              in: conversation == nil ? script.name(of: found.message.conversation) : nil,
              isJSON: false)
          }
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
