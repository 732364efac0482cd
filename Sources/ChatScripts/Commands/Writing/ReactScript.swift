// SPDX-License-Identifier: GPL-3.0-or-later
import ChatPreferences
import Conversations
import StyledText

/// `hobnob react`: gives a message a reaction, or removes it (rule 7.8). Unlike `/react`, it
/// changes nothing when a script repeats it.
struct ReactScript: JSONSubcommand {
  static let name = "react"
  static let abstract: StaticString = "React to a message with an emoji."
  static var parameters: [Parameter<Self>] {
    [
      .conversation(\.conversation), .number(\.number),
      Parameter("EMOJI", \.emoji, "An emoji, or its name, such as :tada:."),
      Parameter("--remove", \.remove, "Remove this reaction of yours."),
    ] + MessageChange.parameters.map { $0.of(\.change) }
  }

  var conversation = ""
  var number = 0
  var emoji = ""
  var remove = false
  private var change = MessageChange()
  var json: Bool { change.json }

  func validate() throws { try validNumber(number, "N") }

  func run(_ launch: Launch) throws -> Int32 {
    try launch.script { script in
      let emoji = Preferences.emojiTable(environment: launch.environment).emoji(typed: emoji)
      let conversation = try script.conversation(conversation)
      try script.requireEntry(to: conversation)
      let message = try script.message(number, in: conversation)
      return try script.change(message, in: conversation, change, launch) {
        try $0.setReaction(emoji, of: script.me.id, to: message.id, isThere: !remove)
      }
    }
  }
}
