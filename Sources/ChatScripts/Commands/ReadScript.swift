// SPDX-License-Identifier: GPL-3.0-or-later
import ChatPreferences
import Conversations
import StyledText

/// `hobnob read`: marks messages as read, as a shell that shows them does (rules 7.3, 7.7).
struct ReadScript: Subcommand {
  static let name = "read"
  static let abstract: StaticString = "Mark the messages of a conversation as read."
  static var parameters: [Parameter<Self>] {
    [
      .conversation(\.conversation),
      Parameter(
        "--until", \.until, value: "n", takesDash: true,
        "The number of the last message that you have read; without it, the newest."),
    ]
  }

  var conversation = ""
  var until: Int?

  func validate() throws { if let until { try validNumber(until, "--until") } }

  func run(_ launch: Launch) throws -> Int32 {
    try launch.script { script in
      let conversation = try script.conversation(conversation)
      guard try script.store.read({ try $0.isMember(script.me.id, of: conversation.id) }) else {
        throw RuleError.notAMember(conversation.name)
      }
      let number = try until.map { try script.message($0, in: conversation).number }
      try script.store.writeIfNeeded {
        try $0.noteSeen(
          by: script.me.id, in: conversation.id, upTo: number ?? conversation.lastNumber,
          sendReceipt: script.settings.receipts)
      }
      return 0
    }
  }
}
