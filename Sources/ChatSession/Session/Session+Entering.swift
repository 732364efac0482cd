// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import StyledText

/// The meaning of a typed line: a message, a command, a reaction, or the new text of a message.
extension Session {
  /// Handles Return on a text.
  ///
  /// - Parameter path: the file that holds the text, to send it as a file (rule 1.9).
  func enter(_ text: String, asFileAt path: String? = nil) {
    noteKeyPress()
    let isEdit = mode.isEditing
    do {
      var isLeft = false
      let found = try store.read {
        try commitSwitch($0)
        let step = composing.leaveWaitingLine()
        isLeft = !step.effects.isEmpty
        act(on: step, $0)
        if let path { return try file(text, at: path, $0) }
        return try interpret(LineRules.withoutNewlinesAtEnd(text), $0)
      }
      let conversation = open.id
      do {
        try perform(found.step)
      } catch let error as RuleError where isEdit {
        // The message was deleted meanwhile: catching up ends edit mode, with a message.
        catchUpLater()
        commitReady()
        if mode.isEditing { try leaveEditMode(keeping: text, because: error) }
      }
      // Commands also enter the input history (rule 1.12).
      if found.isCommand, isInteractive {
        emit(.whenLineBegins(.carriedOut(LineRules.withoutNewlinesAtEnd(text))))
      }
      if !isEdit { composing.aside.runIn = conversation }
      guard isLeft, !effects.contains(where: \.isNotice) else { return }
      emit(.notice(say("The line you had begun is in the history: press Up twice")))
    } catch let error as StoreError where error.isFinal {
      end(because: error, unsent: text)
    } catch let error as TextTooLong {
      emit(.bell)
      refuse(error.sentence)
    } catch let error as UsageError {
      let command = Command.named(error.command)
      refuse(
        say(
          "Usage: %1 — %2", SafeText(line: command?.usage ?? error.command),
          command?.help ?? SafeText()))
    } catch {
      refuse(sentence(for: error))
    }
  }

  /// Refuses the entered line; without a reason, only the terminal bell says so.
  func refuse(_ reason: SafeText) {
    if isInteractive { if reason.isEmpty { emit(.bell) } else { complain([reason]) } }
    emit(.refused(reason))
  }

  func step(for intent: Intent, _ snapshot: borrowing Snapshot) throws -> Step {
    switch intent {
    case .line(let text): return try commandStep(text, snapshot).keepingDraft()
    case .attach(let path):
      try commitSwitch(snapshot)
      return Step([.attach(path)])
    default: return try ConversationCommands(context: context).step(for: intent, snapshot)
    }
  }

  private typealias Meaning = (step: Step, isCommand: Bool)

  /// - Throws: the message to show when the line has to stay.
  private func interpret(_ text: String, _ snapshot: borrowing Snapshot) throws -> Meaning {
    if let edited = mode.edited { return (try editStep(edited.message, text, snapshot), false) }
    let reactions = Reactions(context: context)
    if let emoji = try reactions.reactionEmoji(in: text) {
      let newest = Reactions.newest(in: open.id, for: me.id, feed.transcript.printer, snapshot)
      guard let target = composing.reactionTarget.message ?? newest else {
        throw Refusal(say("There is no message here to react to."))
      }
      return (reactions.react(to: target, with: emoji), true)
    }
    switch rules.judge(text) {
    case .blank:
      guard composing.files.waiting.isEmpty else {
        return (try messageStep("", typed: "", snapshot), false)
      }
      throw Refusal(SafeText())
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
      let known = preferences.unaliased(text).dropFirst().prefix { !$0.isWhitespace }
      guard Command.named(String(known)) != nil else { throw Command.unknown(name) }
      throw Refusal(
        say(
          "The command /%1 must fit on one line. To send a text that begins with /, begin it with //.",
          SafeText(line: name)))
    case .command(let line): return (try commandStep(line, snapshot), true)
    case .message(let body):
      if settings.slashGuard, let command = commandAfterDraft(in: text) {
        throw Refusal(
          say(
            "Your draft came back in front of the command /%1; nothing was run or sent. To run the command, delete the draft; to send both as one message, put a blank before /%1.",
            SafeText(line: command.name)))
      }
      return (try messageStep(body, typed: text, snapshot), false)
    }
  }

  private func messageStep(
    _ body: String, typed: String, _ snapshot: borrowing Snapshot
  ) throws -> Step {
    try sendStep(OutgoingText(body: body, typed: typed), snapshot)
  }

  /// Turns a text into a file, after the attached ones (rule 1.9). The text is small, so it is
  /// copied at once.
  private func file(
    _ text: String, at path: String, _ snapshot: borrowing Snapshot
  ) throws -> Meaning {
    let file = WaitingFiles.File(path: path, name: "text.txt", bytes: text.utf8.count)
    let kept = try keep(WaitingFiles([file]))
    let sent = OutgoingText(body: "", typed: text, attachments: kept)
    return (try sendStep(sent, snapshot), false)
  }

  package var rules: LineRules {
    LineRules(
      messageLimit: settings.messageLimit, slashGuard: settings.slashGuard,
      takesNewlines: { Command.named($0)?.takesNewlines == true })
  }

  // MARK: Commands

  /// Carries out a command line, `/` included. Asks if the name in it means several rooms or people
  /// (rule 11.2).
  func commandStep(_ line: String, _ snapshot: borrowing Snapshot) throws -> Step {
    do {
      return try unambiguousStep(line, snapshot)
    } catch RuleError.ambiguous(let name, let candidates) where isInteractive {
      guard
        let question = ConversationCommands.question(
          aboutMeaningOf: name, candidates, in: preferences.unaliased(line))
      else { throw RuleError.ambiguous(name, candidates: candidates) }
      return question
    }
  }

  private func unambiguousStep(_ line: String, _ snapshot: borrowing Snapshot) throws -> Step {
    let line = preferences.unaliased(line)
    let name = String(line.dropFirst().prefix { !$0.isWhitespace })
    let rest = line.dropFirst(1 + name.count).drop { $0.isWhitespace }
    guard let command = Command.named(name) else { throw Command.unknown(name) }
    // A usage without a blank names no argument.
    guard rest.isEmpty || command.usage.contains(" ") else { throw usage(command.name) }
    act(on: accounts.refresh(snapshot), snapshot)
    // Completion leaves a space after a name; only a text argument keeps it.
    let step = try command.run(
      context, command.takesNewlines ? String(rest) : String(rest).trimmingBlanks, snapshot)
    tutorial?.note(.ran(command.name))
    return step
  }

  /// The command that somebody typed right after a restored draft without looking at the draft.
  private func commandAfterDraft(in text: String) -> Command? {
    guard let rest = composing.draft.textAfterDraft(in: text).map(preferences.unaliased),
      rest.first == "/"
    else { return nil }
    // After a refusal, another command may follow the first one.
    return Command.named(String(rest.dropFirst().prefix { !$0.isWhitespace && $0 != "/" }))
  }

  /// Where that command begins, in bytes; nil if there is none.
  package func startOfCommandAfterDraft(in text: String) -> Int? {
    guard settings.slashGuard, commandAfterDraft(in: text) != nil,
      let command = composing.draft.textAfterDraft(in: text)
    else { return nil }
    return text.utf8.count - command.utf8.count
  }

  /// What commands may read.
  var context: CommandContext {
    CommandContext(
      scene: scene, navigator: navigator, feed: feed, composing: composing, accounts: accounts,
      unstoredLines: committer.queue.lines, lastSearch: lastSearch, tutorial: tutorial,
      accountObstacle: { [store, accountObstacle] in
        accountObstacle
          ?? store.failureToHoldAccounts.map {
            SafeText(line: $0.prefix(1).uppercased() + $0.dropFirst() + ".")
          }
      })
  }

  /// Shows the next lesson of the tutorial if the person has done what the current one asks for.
  func continueTutorial() {
    guard let tutorial, tutorial.isDone else { return }
    self.tutorial = nil
    performStep { try TutorialCommand(context: context).leave(tutorial, $0) }
  }

  // MARK: Editing

  /// `/edit` without a number.
  func editNewest(_ snapshot: borrowing Snapshot) throws -> Step {
    try commitSwitch(snapshot)
    return try MessageCommands(context: context).edit("", snapshot)
  }

  /// Puts a message into the line.
  func edit(_ message: Message) {
    let isAnother = mode.isEditing
    if !isAnother { noteAndLeaveDraft() }
    let effect = composing.beginEdit(of: message)
    // Editing does not count as typing (rule 3.2).
    if !isAnother { stopTyping() }
    emit(effect)
    // In plain mode no status line shows the mode.
    if outputMode == .plain, let edited = mode.edited { emit(.notice(edited.mode.status)) }
  }

  private func editStep(
    _ message: Message, _ text: String, _ snapshot: borrowing Snapshot
  ) throws -> Step {
    let number = SafeText(message.number)
    switch composing.judgeEdit(text, rules) {
    case .save(let body):
      _ = try open.requiredAsMember()
      let (me, shell, mentions) = (me.id, shellID, Span.encoded(line.mentions(in: body)))
      return Step {
        _ = try $0.edit(
          message.id, to: body, by: me, typed: text, shell: shell, mentions: mentions)
        return [.saved(text), .catchUp]
      }
    case .unchanged:
      composing.mode.edited = nil
      return Step([
        .endEdit(offering: nil), .notice(say("Message [%1] is unchanged", number)),
      ])
    case .command(.cancel):
      composing.leaveEdit()
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

  func saved(_ text: String, _ snapshot: borrowing Snapshot) {
    // The person saved a line from the history instead.
    if let typedOver = composing.savedEdit(text) {
      act(on: Composing.remember(typedOver), snapshot)
    }
    tutorial?.note(.corrected)
    emit(.addHistory(text))
    emit(.endEdit(offering: nil))
  }

  /// Leaves edit mode if nobody can change the message any more, and returns the new text as a line
  /// of its own.
  ///
  /// - Throws: any other reason why the text was not saved.
  private func leaveEditMode(keeping text: String, because error: RuleError) throws {
    guard isInteractive, let number = mode.edited?.message.number, let here = open.conversation,
      case .message(let body) = rules.judge(text)
    else { throw error }
    let reason: SafeText
    switch error {
    // `/edit` allowed it, so the message still waited for its network.
    case .cannotEdit:
      reason = say(
        "Message [%1] was sent while you edited it. %2", SafeText(number), sentence(for: error))
    case .editsAreOver, .unreadable: reason = sentence(for: error)
    default: throw error
    }
    composing.mode.edited = nil
    emit(.endEdit(offering: nil))
    returnLine(
      Line(
        typed: text, body: body, kind: .text, conversation: here.id, conversationName: here.name,
        since: now, mentions: line.mentions(in: body)),
      because: reason)
  }
}
