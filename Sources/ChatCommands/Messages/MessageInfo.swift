// SPDX-License-Identifier: GPL-3.0-or-later
import ChatParts
import ChatPreferences
import ChatRendering
import Conversations
import Platform
import StyledText

/// `/info`: all facts about one message.
@MainActor
struct MessageInfo {
  let context: CommandContext

  func info(_ argument: String, _ snapshot: borrowing Snapshot) throws -> Step {
    guard !argument.isEmpty, !argument.contains(where: \.isWhitespace) else { throw usage("info") }
    let message = try context.message(named: argument, snapshot)
    let conversation = try context.open.required()
    let printer = context.printerMarkingLookAlikes(among: [message.sender], snapshot)
    var lines = [
      StyledLine(
        say("Message %1 in %2", SafeText(message.number), SafeText(name: conversation.name)), .bold)
    ]
    let sender = try snapshot.people(in: message.conversation).first {
      $0.participant.id == message.sender
    }
    lines.append(senderLine(of: message, rank: sender?.rankWords, printer))
    lines.append(fact(say("Sent"), StyledLine(LocalTime.exact(message.createdAt))))
    if let time = message.deletedAt {
      lines.append(fact(say("Deleted"), StyledLine(LocalTime.exact(time))))
      if let removal = message.removal {
        // Translators: in “a moderator removed this message”.
        let text = MessagePrinter.removalText(removal, of: say("this message"))
        lines.append(fact(SafeText(), StyledLine(text)))
      }
      return .answer(lines)
    }
    if let words = encryption(of: message) {
      lines.append(fact(say("Encrypted"), StyledLine(words)))
    }
    if let device = try snapshot.sealingDevice(of: message.id) {
      let words = say(
        "%1, fingerprint %2", SafeText(Int(device.number)), SafeText(line: device.fingerprint))
      lines.append(fact(say("Device"), StyledLine(words)))
    }
    if message.sender == context.me.id { lines += try deliveryLines(of: message, snapshot) }
    if let quote = message.replyTo {
      lines.append(
        fact(
          say("Answers"),
          StyledLine(
            quote.isDeleted
              ? say("[%1], which is deleted", SafeText(quote.number))
              : say(
                "[%1] %2: %3", SafeText(quote.number), SafeText(name: quote.senderName),
                SafeText(line: quote.line)))))
    }
    for file in message.attachments {
      lines.append(
        fact(
          say("File"),
          StyledLine(
            SafeText(name: file.name) + ", "
              + SafeText(line: file.type + ", " + Attachment.size(file.bytes)))))
    }
    lines += try reactionLines(to: message, snapshot)
    lines += texts(of: message, try snapshot.revisions(of: message.id))
    return Step([.longAnswer(lines)])
  }

  /// `Sent      Saturday, …`
  private func fact(_ name: SafeText, _ value: StyledLine) -> StyledLine {
    if context.glyphs.isSpoken {
      return StyledLine("  " + (name.isEmpty || value.isEmpty ? name : name + ": ")) + value
    }
    let head = StyledLine("  ") + StyledLine(name, .dim)
    let blanks = StyledLine.blanks(max(1, 12 - head.columns(context.widths)))
    return (head + blanks + value).with(margin: 12)
  }

  /// Names the sender by their permanent identity: a name may look like someone else's (rule 12.3).
  ///
  /// - Parameter rank: the rank that they have now.
  private func senderLine(
    of message: Message, rank: SafeText?, _ printer: MessagePrinter
  ) -> StyledLine {
    var line = printer.name(of: message)
    line.append(" (" + SafeText(line: message.senderIdentity) + ")")
    if let rank { line.append(context.glyphs.gap + rank, .dim) }
    if printer.options.lookAlikes.contains(message.sender) {
      line.append(
        context.glyphs.gap + say("this name looks like another name"), Style(foreground: .red))
    }
    return fact(say("From"), line)
  }

  /// Nil where no message is encrypted.
  private func encryption(of message: Message) -> SafeText? {
    switch message.encryption {
    case .none: context.open.abilities.encryption == .never ? nil : say("no")
    case .encrypted: say("from end to end")
    case .verified: say("from end to end, between verified devices")
    case .unverified: say("from end to end, but from a device that you have not verified")
    case .tooEarly, .broken, .notForUs: say("from end to end, but not readable here")
    }
  }

  /// How far the message got, and to whom (rule 7.2).
  private func deliveryLines(
    of message: Message, _ snapshot: borrowing Snapshot
  ) throws -> [StyledLine] {
    var state = StyledLine(message.state.word)
    if let failure = message.failure, message.state == .failed {
      state.append(": " + SafeText(line: failure), Style(foreground: .red))
    }
    let recipients = try snapshot.recipients(of: message.id).sorted {
      LocaleOrder.precedes($0.participant.name, $1.participant.name)
    }
    return [fact(say("State"), state)]
      + recipients.map { person, state in
        let word = state == .sent ? say("not yet") : state.word
        return fact(
          SafeText(),
          StyledLine(SafeText(name: person.name) + context.glyphs.gap) + StyledLine(word, .dim))
      }
  }

  private func reactionLines(
    to message: Message, _ snapshot: borrowing Snapshot
  ) throws -> [StyledLine] {
    try snapshot.reactions(of: message.id).enumerated().map { index, reaction in
      fact(
        index == 0 ? say("Reactions") : SafeText(),
        StyledLine(SafeText(line: reaction.emoji) + " " + SafeText(name: reaction.participant.name))
          + StyledLine(context.glyphs.gap + LocalTime.stamp(reaction.at), .dim))
    }
  }

  /// The text, and its earlier versions.
  private func texts(of message: Message, _ revisions: [Revision]) -> [StyledLine] {
    var lines: [StyledLine] = []
    for revision in revisions {
      lines.append(
        fact(say("Old text"), StyledLine(say("until %1", LocalTime.exact(revision.at)))))
      lines += SafeText(body: SealedLink.hidingKeys(in: revision.body)).lines.map {
        (StyledLine("    ") + StyledLine($0, .dim)).with(margin: 4)
      }
    }
    if let time = message.editedAt {
      lines.append(fact(say("Text"), StyledLine(say("since %1", LocalTime.exact(time)))))
    } else if !message.shownBody.isEmpty {
      lines.append(fact(say("Text"), StyledLine()))
    }
    guard !message.shownBody.isEmpty else { return lines }
    // Print the whole text, however long (rule 12.5).
    return lines
      + context.printer.options.styling.lines(of: SafeText(body: message.shownBody)).map {
        (StyledLine("    ") + $0).with(margin: 4)
      }
  }
}
