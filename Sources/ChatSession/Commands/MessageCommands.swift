// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import StyledText

/// `/cancel`, `/delete`, `/retry`, `/me`, `/reply`.
@MainActor
struct MessageCommands: SessionPart {
  let session: Session

  /// The message that N or -N names; without a number my newest.
  func own(_ argument: String, missing: RuleError) throws -> Message {
    let conversation = try place.required()
    if argument.isEmpty || argument.hasPrefix("-") {
      let back = argument.isEmpty ? 1 : Int(written: argument.dropFirst(), in: 1...Int.max)
      guard let back else { throw notANumber(argument) }
      guard
        let message = try store.read({
          try $0.newest(by: me.id, in: conversation.id, skipping: back - 1)
        })
      else {
        throw missing
      }
      return message
    }
    guard let number = Int(written: argument, in: 1...Int.max) else {
      throw notANumber(argument)
    }
    guard
      let message = try store.read({
        try $0.message(number: number, in: conversation.id, for: me.id)
      }),
      !message.isRecalled
    else { throw RuleError.noSuchMessage(number) }
    return message
  }

  private func notANumber(_ argument: String) -> Refusal {
    Refusal(
      say(
        "“%1” is not a message number. The number is in brackets before each message; -2 is your second newest.",
        SafeText(line: argument)))
  }

  // MARK: Taking back, deleting, sending again

  /// `/cancel` outside edit mode (rule 3.7).
  func takeBack(_ argument: String) throws {
    guard argument.isEmpty else { throw usage("cancel") }
    if outgoing.takeBackLine() { return }
    let conversation = try place.required()
    guard let message = try store.read({ try $0.newest(by: me.id, in: conversation.id) }) else {
      throw RuleError.nothingToCancel
    }
    let taken: Message
    do {
      taken = try store.writeDurably { try $0.takeBack(message.id, by: me.id) }
    } catch let error as RuleError {
      // Whoever has the newest has all before it that were sent; what was not, nobody has.
      guard case .othersHaveIt = error,
        let unsent = try store.read({ try $0.unsent(by: me.id, in: conversation.id) }).max(by: {
          $0.number < $1.number
        })
      else { throw error }
      taken = try store.writeDurably { try $0.takeBack(unsent.id, by: me.id) }
    }
    news.catchUp()
    place.refreshNewestOwn()
    let isAction = taken.kind == .action
    let text = isAction ? "/me " + taken.body : EditMode.shown(taken.body)
    let files = taken.attachments.map { each in
      WaitingFiles.File(
        path: store.path(of: each), name: each.name, bytes: each.bytes, type: each.type,
        identity: store.identity(of: each) ?? "")
    }
    emit(.put(text, mentions: taken.mentions(in: text)))
    // They are not to go with the next line of a script.
    if session.isInteractive { emit(.whenLineBegins(.filesBack(WaitingFiles(files)))) }
  }

  func delete(_ argument: String) throws {
    _ = try place.requiredAsMember()
    let message = try own(argument, missing: .nothingToDelete)
    _ = try store.writeDurably { try $0.delete(message.id, by: me.id) }
    news.catchUp()
  }

  func retry(_ argument: String) throws {
    if argument.isEmpty || argument == "all" {
      let place = argument.isEmpty ? try place.required().id : nil
      let failed = try store.read { try $0.unsent(by: me.id, in: place) }.filter {
        $0.state == .failed
      }
      guard !failed.isEmpty else {
        throw Refusal(
          argument.isEmpty
            ? say("None of your messages here failed; /retry all looks everywhere.")
            : say("None of your messages failed."))
      }
      for message in failed { _ = try store.writeDurably { try $0.retry(message.id, by: me.id) } }
      tell(say("Sending %1 again.", SafeText(failed.count)))
    } else {
      let message = try own(argument, missing: .nothingToEdit)
      _ = try store.writeDurably { try $0.retry(message.id, by: me.id) }
    }
    news.catchUp()
    place.refreshNewestOwn()
  }

  func act(_ text: String) throws {
    guard text.contains(where: { !$0.isWhitespace }) else { throw usage("me") }
    try outgoing.send(text, kind: .action, typed: "/me " + text)
  }

  func reply(_ argument: String) throws {
    let number = argument.prefix { !$0.isWhitespace }
    let text = argument.dropFirst(number.count).drop { $0.isWhitespace }
    guard !number.isEmpty, !text.isEmpty else { throw usage("reply") }
    let message = try session.message(named: String(number))
    try outgoing.send(String(text), typed: "/reply " + argument, replyTo: message.id)
  }
}

extension Session {
  /// The message that N names, or -N from the newest, whoever said it.
  func message(named argument: String) throws -> Message {
    let conversation = try place.required()
    guard let number = Int(written: argument, in: -Int.max...Int.max), number != 0 else {
      throw Refusal(
        say(
          "“%1” is not a message number; the number is in brackets before each message.",
          SafeText(line: argument)))
    }
    return try store.read { try $0.message(named: number, in: conversation.id, for: me.id) }
  }
}
