// SPDX-License-Identifier: GPL-3.0-or-later
import ChatPreferences
import Conversations
import StyledText

/// `hobnob edit`: gives one of the person's messages another text (rule 3.3).
struct EditScript: JSONSubcommand {
  static let name = "edit"
  static let abstract: StaticString = "Edit a message of yours: TEXT, or standard input."
  static var parameters: [Parameter<Self>] {
    [
      .conversation(\.conversation), .number(\.number),
      Parameter("TEXT", \.text, isText: true, "The new text; without it, standard input."),
    ] + MessageChange.parameters.map { $0.of(\.change) }
  }

  var conversation = ""
  var number = 0
  var text: [String] = []
  private var change = MessageChange()
  var json: Bool { change.json }

  func validate() throws { try validNumber(number, "N") }

  func run(_ launch: Launch) throws -> Int32 {
    try launch.script { script in
      let conversation = try script.conversation(conversation)
      let message = try script.messageToChange(number, in: conversation, missing: .nothingToEdit)
      let body = try script.checked(
        text.isEmpty ? MessageText.standardInput() : MessageText.of(text))
      return try script.change(message, in: conversation, change, launch) {
        _ = try $0.edit(message.id, to: body, by: script.me.id)
      }
    }
  }
}

/// `hobnob delete`: deletes one of the person's messages.
struct DeleteScript: JSONSubcommand {
  static let name = "delete"
  static let abstract: StaticString = "Delete a message of yours."
  static var parameters: [Parameter<Self>] {
    [.conversation(\.conversation), .number(\.number)]
      + MessageChange.parameters.map { $0.of(\.change) }
  }

  var conversation = ""
  var number = 0
  private var change = MessageChange()
  var json: Bool { change.json }

  func validate() throws { try validNumber(number, "N") }

  func run(_ launch: Launch) throws -> Int32 {
    try launch.script { script in
      let conversation = try script.conversation(conversation)
      let message = try script.messageToChange(
        number, in: conversation, missing: .nothingToDelete)
      return try script.change(message, in: conversation, change, launch) {
        _ = try $0.deleteMessage(message.id, by: script.me.id)
      }
    }
  }
}
