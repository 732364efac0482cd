// SPDX-License-Identifier: GPL-3.0-or-later
import ChatScripts
import ChatShell

/// `hobnob open`.
struct OpenShell: Subcommand {
  static let name = "open"
  static let abstract: StaticString =
    "Open hobnob in a conversation, even if the conversation has the name of a subcommand."
  static var parameters: [Parameter<Self>] {
    [
      .conversation(\.conversation),
      Parameter(
        "--create", \.create,
        "Create the room, or add the person, if hobnob does not know them yet."),
    ]
  }

  var conversation: String?
  var create = false

  func run(_ launch: Launch) throws -> Int32 {
    try launch.shell(conversation, creates: create, isCertain: true)
  }
}

/// `hobnob [CONVERSATION]`.
struct BareShell: Subcommand {
  static let name = ""
  static let abstract: StaticString = "A chat shell with a readline prompt."
  static var parameters: [Parameter<Self>] { OpenShell.parameters.map { $0.of(\.open) } }

  private var open = OpenShell()

  func run(_ launch: Launch) throws -> Int32 {
    try launch.shell(
      open.conversation, creates: open.create, subcommands: Program.hobnob.commandNames)
  }
}
