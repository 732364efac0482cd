// SPDX-License-Identifier: GPL-3.0-or-later
import ChatPreferences
import Conversations
import Exchange
import StyledText

/// `hobnob export` (rules 11.3, 11.6): writes the part of the store that you may see, some
/// conversations, or the whole store, as JSON Lines.
struct ExportScript: Subcommand {
  static let name = "export"
  static let abstract: StaticString =
    "Export all conversations that you can see, or some of them, as JSON Lines."
  static var parameters: [Parameter<Self>] {
    [
      Parameter(
        "CONVERSATION", \.conversation, completes: .conversations,
        "Rooms, or @names of people. Quote a leading #: '#lobby'."),
      Parameter(
        "--output", \.output, value: "file", completes: .files,
        "A new file to write instead of standard output."),
      Parameter(
        "--no-files", \.noFiles, "Leave out the contents of attachments; their names stay."),
      Parameter(
        "--everything", \.everything, "Write the whole store, even what only others may see."),
    ]
  }

  var conversation: [String] = []
  var output: String?
  var noFiles = false
  var everything = false

  func validate() throws {
    if everything, !conversation.isEmpty {
      throw WrongUsage(
        say("--everything already includes every conversation; do not name any."))
    }
  }

  func run(_ launch: Launch) throws -> Int32 {
    let rc = try launch.loadRc { StandardError.say($0) }
    // A command that only reads does not create a missing store.
    let store = try launch.openStore(create: false)
    defer { store.close() }
    var conversations: [ID<Conversation>]?
    var viewer: ID<Participant>?
    if !everything {
      let me = try launch.identity(rc)
      if !conversation.isEmpty {
        conversations = try conversation.map {
          try existingConversation(named: $0, in: store, as: me).id
        }
      }
      // For a person who is not in the store, export what everyone may see.
      viewer = try store.read { try $0.participant(ifKnown: me) }?.id ?? Script.nobody
    }
    let export = Export(of: store, conversations, files: !noFiles, for: viewer)
    let report: ExportReport
    if let output {
      report = try export.write(to: output)
    } else {
      let output = StandardOutput()
      let isTerminal = StandardOutput.isTerminal
      report = try export.write { piece in
        if isTerminal {
          for line in piece.split(separator: UInt8(ascii: "\n")) {
            output.write(JSONLine.safe(String(decoding: line, as: UTF8.self)))
          }
        } else {
          output.write(data: piece)
        }
        return !output.isClosed
      }
      try output.finish()
    }
    for name in report.missingFiles {
      StandardError.say(
        say(
          "File %1 is gone or damaged; its message is exported without it.", SafeText(name: name)))
    }
    if report.longLines > 0 {
      StandardError.say(
        say(
          "hobnob import will skip %1 of the messages: each is larger than 16 MB, counting its edits and reactions.",
          SafeText(report.longLines)))
    }
    return report.missingFiles.isEmpty && report.longLines == 0 ? 0 : 1
  }

  /// Finds an existing conversation; unlike `findOrCreateConversation(named:for:)` it creates
  /// nothing.
  @MainActor private func existingConversation(
    named name: String, in store: Store, as identity: String
  ) throws -> Conversation {
    guard name.hasPrefix("@") else {
      let me = try store.read { try $0.participant(ifKnown: identity) }?.id
      guard let room = try store.read({ try $0.room(name, for: me) }) else {
        throw Refusal(say("There is no room %1, so nothing was exported.", SafeText(line: name)))
      }
      return room
    }
    let me = try store.read { try $0.find(participant: identity) }
    guard let other = try store.read({ try $0.find(participant: name, for: me?.id) }) else {
      throw Script.noSuchPerson(named: name)
    }
    guard let me,
      let chat = try store.read({ try $0.directChats(of: me.id) }).first(where: {
        $0.with == other.id
      })
    else { throw Refusal(say("You have no direct chat with %1.", SafeText(name: other.name))) }
    return chat.conversation
  }
}
