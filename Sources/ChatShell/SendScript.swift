// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import Glibc
import Platform
import StyledText

/// What `hobnob send` is told (rule 11.3).
public struct SendOptions: Sendable {
  /// nil reads standard input, all of it one message.
  public var text: String?
  /// Paths of the files that go with it, in order.
  public var files: [String] = []
  /// The number of the message it answers; negative counts from the newest.
  public var reply: Int?
  /// Whether a missing room is made.
  public var creates = false
  /// `sent`, `delivered` or `seen`: how far the message has to come before the command ends.
  public var state: DeliveryState?
  /// How long to wait for the state.
  public var seconds = 60

  public init() {}
}

/// `hobnob send`: a way in for scripts (rule 11.3).
extension Launch {
  /// Sends a message, then waits for its delivery if asked to.
  ///
  /// - Throws: what is said on standard error; nothing was sent, unless it is about the waiting.
  public func send(to name: String, _ options: SendOptions) throws -> Int32 {
    try script(creates: true) { script in
      let limit = script.settings.attachmentLimit * 1_000_000
      // All of it is looked at before anything is read, copied or sent.
      for file in options.files { _ = try Store.look(atFile: file, limit: limit) }
      let conversation = try script.conversation(name, creates: options.creates)
      let answered = try options.reply.map { try script.message($0, in: conversation) }
      let body = try Self.body(options)
      guard body.contains(where: { !$0.isWhitespace }) || !options.files.isEmpty else {
        throw Refusal(
          say("There is no text to send; it goes behind the conversation or into standard input."))
      }
      let (count, most) = (LineRules.characters(in: body), script.settings.messageLimit)
      guard most == 0 || count <= most else {
        throw Refusal(
          say("The message has %1 characters, %2 are allowed.", SafeText(count), SafeText(most)))
      }
      let store = script.store
      let attachments = try options.files.map {
        try store.keep(fileAt: $0, type: FileType.sniff(path:), limit: limit)
      }
      let wait = try options.state.map { _ in try BellWait(store, seconds: options.seconds) }
      let message = try store.send(
        body, in: conversation.id, by: script.me.id, requireMembership: false,
        attachments: attachments, replyTo: answered?.id)
      if let state = options.state, let wait {
        try Self.wait(wait, for: message, toBe: state, script, seconds: options.seconds)
      }
      return 0
    }
  }

  private static func body(_ options: SendOptions) throws -> String {
    if let text = options.text { return text }
    // With a file nobody has to type anything; what a pipe brings goes with it.
    if !options.files.isEmpty, isatty(0) == 1 { return "" }
    var body = try standardInput()
    while body.hasSuffix("\n") { body.removeLast() }
    return body
  }

  private static func standardInput() throws -> String {
    do {
      let bytes = try readAll(0) { count in
        guard Memory.hasRoom(forText: count) else {
          throw Refusal(say("There is not enough memory for what standard input brings."))
        }
        return true
      }
      return String(decoding: bytes, as: UTF8.self)
    } catch let failure as SystemFailure {
      throw Refusal(say("Standard input cannot be read: %1.", systemReason(failure.code)))
    }
  }

  private static func wait(
    _ wait: BellWait, for message: Message, toBe state: DeliveryState, _ script: Script,
    seconds: Int
  ) throws {
    repeat {
      // Forgotten by now: it was there long enough.
      guard let now = try script.store.message(message.id, for: script.me.id) else { return }
      if now.state == .failed {
        throw Refusal(say("The message was not sent: %1", SafeText(line: now.failure ?? "")))
      }
      if now.state >= state { return }
    } while wait.next() == .rang
    throw Refusal(
      say(
        "The message is stored, but was not %1 within %2 s.", Shell.word(for: state),
        SafeText(seconds)))
  }
}
