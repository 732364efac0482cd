// SPDX-License-Identifier: GPL-3.0-or-later
import ChatParts
import ChatPreferences
import Composer
import Conversations
import StyledText

/// `/cancel`, `/edit`, `/delete`, `/retry`, `/me`, `/reply`.
@MainActor
package struct MessageCommands {
  let context: CommandContext

  package init(context: CommandContext) { self.context = context }

  /// The message that a command is to change: for N, the one with that number, by any sender; for
  /// -N, the person's Nth newest, unlike in `CommandContext.message(named:)`; for no argument,
  /// their newest.
  private func messageToChange(
    _ argument: String, missing: RuleError, _ snapshot: borrowing Snapshot
  ) throws -> Message {
    let conversation = try context.open.required()
    guard let number = argument.isEmpty ? -1 : Int(written: argument, in: -Int.max...Int.max),
      number != 0
    else { throw notANumber(argument) }
    return try snapshot.message(
      toChange: number, in: conversation.id, by: context.me.id, missing: missing)
  }

  private func notANumber(_ argument: String) -> Refusal {
    Refusal(
      say(
        "“%1” is not a message number. Each message has its number in front; -2 is your second newest.",
        SafeText(line: argument)))
  }

  // MARK: Taking back, deleting, sending again

  /// `/cancel` when no message is being edited (rule 3.7).
  func takeBack(_ snapshot: borrowing Snapshot) throws -> Step {
    if !context.unstoredLines.isEmpty { return Step([.takeBackLine]) }
    let conversation = try context.open.required()
    guard let message = try snapshot.newest(by: context.me.id, in: conversation.id) else {
      throw RuleError.nothingToCancel
    }
    return Step { transaction in
      let taken: Message
      do {
        taken = try transaction.takeBack(message.id, by: context.me.id)
      } catch let error as RuleError {
        // If others have the person's newest message, take back the newest one that they do not
        // have instead.
        switch error {
        case .othersHaveIt, .othersMayHaveIt, .cannotDelete: break
        default: throw error
        }
        let unsent = try transaction.unsent(by: context.me.id, in: conversation.id)
          .sorted { $0.number > $1.number }
        guard let free = try unsent.first(where: { try !transaction.isHandedOver($0) }) else {
          throw error
        }
        taken = try transaction.takeBack(free.id, by: context.me.id)
      }
      let text =
        switch taken.kind {
        case .action: "/me " + taken.body
        case .notice: "/notice " + conversation.name + " " + taken.body
        default: EditMode.escapingSlash(taken.body)
        }
      let fill = Effect.fillLine(text, mentions: taken.mentions(in: text))
      // A script does not see returned files; its next message would send them by mistake.
      guard context.isInteractive else { return [.catchUp, fill] }
      let folder = transaction.attachmentFolder
      let files = taken.attachments.map { each in
        WaitingFiles.File(
          path: folder.path(of: each.hash), name: each.name, bytes: each.bytes, type: each.type,
          identity: folder.identity(of: each.hash) ?? "")
      }
      return [.catchUp, fill, .whenLineBegins(.filesReturned(WaitingFiles(files)))]
    }
  }

  package func edit(_ argument: String, _ snapshot: borrowing Snapshot) throws -> Step {
    let conversation = try context.open.requiredAsMember()
    let message = try messageToChange(argument, missing: .nothingToEdit, snapshot)
    guard message.sender == context.me.id else { throw RuleError.notYours(message.number) }
    guard message.deletedAt == nil else { throw RuleError.deleted(message.number) }
    // Check this before the text replaces the line.
    if try snapshot.isHandedOver(message) {
      try snapshot.knownAbilities(of: conversation.id).checkEdit(
        of: message, at: snapshot.clock(), in: conversation.name)
    }
    return Step([.beginEdit(message)])
  }

  func delete(_ argument: String, _ snapshot: borrowing Snapshot) throws -> Step {
    _ = try context.open.requiredAsMember()
    let message = try messageToChange(argument, missing: .nothingToDelete, snapshot)
    return .change { _ = try $0.deleteMessage(message.id, by: context.me.id) }
  }

  func retry(_ argument: String, _ snapshot: borrowing Snapshot) throws -> Step {
    guard argument.isEmpty || argument == "all" else {
      let message = try messageToChange(argument, missing: .nothingToRetry, snapshot)
      return .change { _ = try $0.retry(message.id, by: context.me.id) }
    }
    let here = argument.isEmpty ? try context.open.required().id : nil
    let failed = try snapshot.unsent(by: context.me.id, in: here).filter { $0.state == .failed }
    guard !failed.isEmpty else {
      throw Refusal(
        argument.isEmpty
          ? say("None of your messages here failed; /retry all looks in all conversations.")
          : say("None of your messages failed."))
    }
    return Step { transaction in
      var refusals: [RuleError] = []
      for message in failed {
        do {
          _ = try transaction.retry(message.id, by: context.me.id)
        } catch let error as RuleError {
          refusals.append(error)
        }
      }
      if refusals.count == failed.count, let first = refusals.first { throw first }
      let sent = say("Sending %1 again.", SafeText(failed.count - refusals.count))
      return [.tell(sent), .complain(refusals.map { sentence(for: $0) }), .catchUp]
    }
  }

  func sendAction(_ text: String) throws -> Step {
    guard text.contains(where: { !$0.isWhitespace }) else { throw usage("me") }
    return Step([.send(OutgoingText(body: text, kind: .action, typed: "/me " + text))])
  }

  func reply(_ argument: String, _ snapshot: borrowing Snapshot) throws -> Step {
    let (number, text) = argument.firstWord
    guard !number.isEmpty, !text.isEmpty else { throw usage("reply") }
    let message = try context.message(named: number, snapshot)
    let can = try snapshot.knownAbilities(of: message.conversation)
    let isToOther =
      message.sender != context.me.id && context.open.conversation?.kind == .room
    let address = message.senderName + ": "
    // Where the network has no replies, only the name can say whom it answers.
    let isAddressedOnly = isToOther && !can.replies
    let hasAddress =
      isAddressedOnly || isToOther && context.settings.ircReplyPrefix && can.repliesMayBeHidden
    return Step([
      .send(
        OutgoingText(
          body: text, prefix: hasAddress ? address : "", typed: "/reply " + argument,
          replyTo: isAddressedOnly ? nil : message.id))
    ])
  }
}

extension Arguments {
  static let number = first { query, snapshot in
    let me = query.context.me.id
    return query.numbers(snapshot) { $0.sender == me }
  }
  static let failedNumber = first { query, snapshot in
    guard let here = query.context.open.id,
      let unsent = try? snapshot.unsent(by: query.context.me.id, in: here)
    else { return [Candidate("all")] }
    return unsent.filter { $0.state == .failed }
      .map { Candidate(String($0.number), hint: $0.failure?.text ?? "") } + [Candidate("all")]
  }
}
