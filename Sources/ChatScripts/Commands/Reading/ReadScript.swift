// SPDX-License-Identifier: GPL-3.0-or-later
import ChatPreferences
import Conversations
import StyledText

/// `hobnob read`: marks messages as read, as a shell that shows them does (rules 7.3, 7.7).
struct ReadScript: JSONSubcommand {
  static let name = "read"
  static let abstract: StaticString = "Mark the messages of a conversation as read."
  static var parameters: [Parameter<Self>] {
    [
      .conversation(\.conversation),
      Parameter(
        "--until", \.until, value: "n", takesDash: true,
        "The number of the last message that you have read; without it, the newest."),
      Parameter("--json", \.json, "Print the position as a JSON object."),
    ]
  }

  var conversation = ""
  var until: Int?
  var json = false

  func validate() throws { if let until { try validNumber(until, "--until") } }

  func run(_ launch: Launch) throws -> Int32 {
    try launch.script { script in
      try script.markAsRead(script.conversation(conversation), until: until)
      if json { script.printPosition(try script.store.read { try $0.position }) }
      return 0
    }
  }
}

extension Script {
  /// - Parameter until: the number of the last message that was read; nil for the newest.
  func markAsRead(_ conversation: Conversation, until: Int?) throws {
    guard try store.read({ try $0.isMember(me.id, of: conversation.id) }) else {
      throw RuleError.notAMember(conversation.name)
    }
    let number = try until.map { try message($0, in: conversation).number }
    try store.writeIfNeeded {
      try $0.noteSeen(
        by: me.id, in: conversation.id, upTo: number ?? conversation.lastNumber,
        sendReceipt: settings.receipts)
    }
  }
}
