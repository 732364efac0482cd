// SPDX-License-Identifier: GPL-3.0-or-later
import ChatPreferences
import Conversations
import Exchange
import Glibc
import StyledText

/// `hobnob send`: sends a message from a script, then waits for its delivery if wanted (rule 11.3).
struct SendScript: JSONSubcommand {
  static let name = "send"
  static let abstract: StaticString = "Send a message: TEXT, or standard input."
  static var parameters: [Parameter<Self>] {
    [
      .conversation(\.conversation),
      Parameter("TEXT", \.text, isText: true, "The text; without it, standard input."),
      Parameter(
        "--attach", \.attach, value: "path", completes: .files,
        "A file to send with the message; may be repeated."),
      Parameter(
        "--reply", \.reply, value: "n", takesDash: true,
        "The number of the message to answer; -1 is the newest."),
      Parameter(
        "--create", \.create,
        "Create the room, or add the person, if hobnob does not know them yet."),
      Parameter(
        "--join", \.join, "Enter the room first, so that you are one of its members."),
      Parameter(
        "--wait", \.wait, value: "state", completes: .words(["sent", "delivered", "seen"]),
        "Wait until the message is sent, delivered or seen."),
      Parameter(
        "--timeout", \.timeout, value: "time", usual: Self().timeout.description,
        "How long to wait: seconds, or 90m, 12h."),
      Parameter("--json", \.json, "Print the message as a JSON object."),
    ]
  }

  var conversation = ""
  var text: [String] = []
  var attach: [String] = []
  var reply: Int?
  var create = false
  var join = false
  var wait: String?
  var timeout = TimeLimit(seconds: 60)
  var json = false

  func validate() throws {
    if let reply { try validNumber(reply, "--reply") }
  }

  private var state: DeliveryState? {
    switch wait {
    case "sent": .sent
    case "delivered": .delivered
    case "seen": .seen
    default: nil
    }
  }

  /// - Throws: the message for standard error. Nothing was sent, unless the error is about waiting.
  func run(_ launch: Launch) throws -> Int32 {
    try launch.script(creates: true) { script in
      let limit = script.settings.attachmentLimit * 1_000_000
      // Check all files before reading, copying or sending anything.
      let files = try attach.map { try AttachmentCopy.inspect(fileAt: $0, limit: limit).bytes }
      let conversation = try script.conversation(
        conversation, creates: create, joins: join)
      try script.requireEntry(to: conversation)
      let abilities = try script.store.read { try $0.knownAbilities(of: conversation.id) }
      try check(abilities, in: conversation)
      let answered = try reply.map { try script.message($0, in: conversation) }
      let body = try script.checked(body(), mayBeEmpty: !attach.isEmpty)
      try abilities.check(
        text: body, isReply: reply != nil, files: files, in: conversation.name)
      let store = script.store
      let attachments = try attach.map { each in
        try store.attachmentFolder.keep(fileAt: each, limit: limit)
      }
      let bell = try state.map { _ in try BellWait(store, seconds: timeout.seconds) }
      let message = try store.writeDurably {
        try $0.send(
          body, in: conversation.id, by: script.me.id, requireMembership: false,
          attachments: attachments, replyTo: answered?.id)
      }
      if json {
        let line = try store.read { try $0.jsonLine(of: OrderedChange(new: message)) }
        script.output.write(JSONLine.safe(line ?? ""))
        script.output.flush()
      }
      if let waiting = try script.waiting(message, in: conversation, launch.environment) {
        StandardError.say(waiting)
      }
      if let state, let bell {
        try awaitState(state, of: message, at: bell, script)
      }
      return 0
    }
  }

  /// Refuses to wait for something that can never happen.
  private func check(_ abilities: Abilities, in conversation: Conversation) throws {
    guard let state, !abilities.reports(state) else { return }
    throw Refusal(
      say(
        "The network of %1 never reports that a message was %2; nothing was sent. Use --wait sent.",
        SafeText(name: conversation.name), state.word))
  }

  private func body() throws -> String {
    if !text.isEmpty { return MessageText.of(text) }
    // With a file, text is optional: do not read any from a terminal, but send a pipe's text along.
    if !attach.isEmpty, isatty(0) == 1 { return "" }
    return try MessageText.standardInput()
  }

  @MainActor private func awaitState(
    _ state: DeliveryState, of message: Message, at bell: BellWait, _ script: Script
  ) throws {
    repeat {
      // If the message was removed meanwhile, nothing is left to wait for.
      guard let now = try script.store.read({ try $0.message(message.id, for: script.me.id) })
      else { return }
      if now.state == .failed {
        throw Refusal(say("The message was not sent: %1", SafeText(line: now.failure ?? "")))
      }
      if now.state >= state { return }
    } while bell.next() == .rang
    throw Refusal(
      say(
        "The message is stored, but was not %1 within %2 s.", state.word,
        SafeText(timeout.seconds)))
  }
}
