// SPDX-License-Identifier: GPL-3.0-or-later
import ChatCommands
import ChatParts
import ChatPreferences
import Composer
import Conversations
import StyledText

/// The meaning of a typed line: a message, a command, a reaction, or the new text of a message.
extension Composing {
  enum Meaning {
    /// Send the line, or save it.
    case text(Step)
    case reaction(Step)
    case command(TypedCommand)
  }

  /// - Parameter path: the file that holds the text, to send it as a file (rule 1.9).
  /// - Throws: the message to show when the line has to stay.
  mutating func meaning(
    of text: String, asFileAt path: String?, _ queue: inout WriteQueue, _ context: CommandContext,
    _ snapshot: borrowing Snapshot
  ) throws -> Meaning {
    if let path {
      return .text(try send(text, asFileAt: path, &queue, context.scene, snapshot))
    }
    if let edited = mode.edited {
      return .text(try editStep(edited.message, text, context, snapshot))
    }
    let reactions = Reactions(context: context)
    if let emoji = try reactions.reactionEmoji(in: text) {
      let newest = ReactionTarget.newestMessage(
        in: context.open.id, for: context.me.id, context.printer, snapshot)
      guard let target = reactionTarget.message ?? newest else {
        throw Refusal(say("There is no message here to react to."))
      }
      return .reaction(reactions.react(to: target, with: emoji))
    }
    let body: String
    switch context.settings.lineRules.judge(text) {
    case .blank:
      guard !files.waiting.isEmpty else { throw Refusal(SafeText()) }
      return .text(try send(OutgoingText(body: "", typed: ""), &queue, context.scene, snapshot))
    case .overLimit(let count, let limit): throw TextTooLong(count: count, limit: limit)
    case .slashGuard:
      throw Refusal(
        say(
          "A command has to begin with /, without blanks before it. To send this line as text, begin it with //. To turn this check off, type /set slash-guard off."
        ))
    case .manySlashes:
      throw Refusal(
        say(
          "A line cannot begin with more than two slashes. To send one that begins with /, type // instead; to send several slashes, put another character before them."
        ))
    case .commandWithNewlines(let name):
      let known = context.preferences.unaliased(text).dropFirst().prefix { !$0.isWhitespace }
      guard Command.named(String(known)) != nil else { throw Command.unknown(name) }
      throw Refusal(
        say(
          "The command /%1 must fit on one line. To send a text that begins with /, begin it with //.",
          SafeText(line: name)))
    case .command(let line): return .command(try TypedCommand(line, context.preferences))
    case .message(let said): body = said
    }
    if context.settings.slashGuard,
      let command = commandAfterDraft(in: text, context.preferences)
    {
      throw Refusal(
        say(
          "Your draft came back in front of the command /%1; nothing was run or sent. To run the command, delete the draft; to send both as one message, put a blank before /%1.",
          SafeText(line: command.name)))
    }
    return .text(try send(OutgoingText(body: body, typed: text), &queue, context.scene, snapshot))
  }

  /// The command that somebody typed right after a restored draft without looking at the draft.
  private func commandAfterDraft(in text: String, _ preferences: Preferences) -> Command? {
    guard let rest = draft.textAfterDraft(in: text).map(preferences.unaliased),
      rest.first == "/"
    else { return nil }
    // After a refusal, another command may follow the first one.
    return Command.named(String(rest.dropFirst().prefix { !$0.isWhitespace && $0 != "/" }))
  }

  /// Where that command begins, in bytes; nil if there is none.
  package func startOfCommandAfterDraft(in text: String, _ preferences: Preferences) -> Int? {
    guard preferences.settings.slashGuard, commandAfterDraft(in: text, preferences) != nil,
      let command = draft.textAfterDraft(in: text)
    else { return nil }
    return text.utf8.count - command.utf8.count
  }

  // MARK: The new text of a message

  private mutating func editStep(
    _ message: Message, _ text: String, _ context: CommandContext, _ snapshot: borrowing Snapshot
  ) throws -> Step {
    let number = SafeText(message.number)
    switch judgeEdit(text, context.settings.lineRules) {
    case .save(let body):
      _ = try context.open.requiredAsMember()
      let (me, shell) = (context.me.id, context.scene.shell)
      let mentions = line.mentions(in: body).map(Mention.init)
      return Step {
        _ = try $0.edit(
          message.id, to: body, by: me, typed: text, shell: shell, mentions: mentions)
        return [.saved(text), .catchUp]
      }
    case .unchanged:
      mode.edited = nil
      return Step([
        .endEdit(offering: nil), .notice(say("Message [%1] is unchanged", number)),
      ])
    case .command(.cancel):
      leaveEdit()
      return .effect(.endEdit(offering: nil))
    case .command(.edit(let number)):
      return try MessageCommands(context: context).edit(number.map { String($0) } ?? "", snapshot)
    case .mayMeanCancel:
      throw Refusal(
        say(
          "The text ends with /cancel, which would be saved, too. Press Return again to save it, or C-g to leave [%1] unchanged.",
          number))
    case .refusedBlank:
      throw Refusal(
        say(
          "A message cannot be empty. /cancel keeps the old text, /delete %1 deletes the message.",
          number))
    case .refusedOverLimit(let count, let limit): throw TextTooLong(count: count, limit: limit)
    case .refusedCommand:
      throw Refusal(
        say(
          "While you edit, only /cancel and /edit N are commands. For a text that begins with /, type //."
        ))
    }
  }
}
