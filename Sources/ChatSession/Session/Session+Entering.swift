// SPDX-License-Identifier: GPL-3.0-or-later
import ChatCommands
import ChatParts
import ChatPreferences
import Composer
import Conversations
import StyledText

/// Entered lines, for all parts of the session.
extension Session {
  /// Handles Return on a text.
  ///
  /// - Parameter path: the file that holds the text, to send it as a file (rule 1.9).
  func enter(_ text: String, asFileAt path: String? = nil) {
    lastKey = now
    let isEdit = mode.isEditing
    let said = LineRules.withoutNewlinesAtEnd(text)
    do {
      var isLeft = false
      let found = try store.read {
        try commitSwitch($0)
        let step = composing.leaveWaitingLine()
        isLeft = !step.effects.isEmpty
        act(on: step, $0)
        return try entered(path == nil ? said : text, asFileAt: path, $0)
      }
      let conversation = open.id
      do {
        try perform(found.step)
      } catch let error as RuleError where isEdit {
        // The message was deleted meanwhile: catching up ends edit mode, with a message.
        committer.catchesUp = true
        commitReady()
        if mode.isEditing {
          act(
            on: try composing.leaveEdit(
              keeping: text, because: error, settings.lineRules, scene))
        }
      }
      // Commands also enter the input history (rule 1.12).
      if found.isCommand, isInteractive { emit(.whenLineBegins(.carriedOut(said))) }
      if !isEdit { composing.aside.runIn = conversation }
      guard isLeft, !effects.contains(where: \.isNotice) else { return }
      emit(.notice(say("The line you had begun is in the history: press Up twice")))
    } catch {
      refuse(text, because: error)
    }
  }

  private func entered(
    _ text: String, asFileAt path: String?, _ snapshot: borrowing Snapshot
  ) throws -> (step: Step, isCommand: Bool) {
    let context = context
    let meaning = try composing.meaning(
      of: text, asFileAt: path, &committer.queue, context, snapshot)
    return switch meaning {
    case .text(let step): (step, false)
    case .reaction(let step): (step, true)
    case .command(let command): (try step(of: command, snapshot), true)
    }
  }

  /// Handles Return on the name of a conversation, or on a part of it.
  func chooseName(_ text: String, among choices: SwitcherCandidates) {
    lastKey = now
    do {
      try perform(try store.read { try choices.step(for: text, context, $0) })
    } catch {
      refuse(text, because: error)
    }
  }

  /// Refuses the entered line; without a reason, only the terminal bell says so.
  private func refuse(_ text: String, because error: any Error) {
    let reason: SafeText
    switch error {
    case let error as StoreError where error.isFinal:
      return act(on: committer.end(because: error, unsent: text))
    case let error as UsageError: reason = error.sentence
    case let error as TextTooLong:
      emit(.bell)
      reason = error.sentence
    default:
      committer.noteTold(error)
      reason = sentence(for: error)
    }
    if isInteractive { if reason.isEmpty { emit(.bell) } else { complain([reason]) } }
    emit(.refused(reason))
  }

  func step(for intent: Intent, _ snapshot: borrowing Snapshot) throws -> Step {
    switch intent {
    case .line(let text):
      return try step(of: TypedCommand(text, preferences), snapshot).keepingDraft()
    case .attach(let path):
      try commitSwitch(snapshot)
      return Step([.attach(path)])
    default: return try ConversationCommands(context: context).step(for: intent, snapshot)
    }
  }

  /// `/edit` without a number.
  func editNewest(_ snapshot: borrowing Snapshot) throws -> Step {
    try commitSwitch(snapshot)
    return try MessageCommands(context: context).edit("", snapshot)
  }

  private func step(of command: TypedCommand, _ snapshot: borrowing Snapshot) throws -> Step {
    act(on: accounts.refresh(snapshot), snapshot)
    return try command.step(context, snapshot)
  }

  /// What commands may read.
  var context: CommandContext {
    CommandContext(
      scene: scene, navigator: navigator, feed: feed, composing: composing, accounts: accounts,
      unstoredLines: committer.queue.lines, lastSearch: lastSearch, tutorial: tutorial,
      accountObstacle: { [store, accountObstacle] in
        accountObstacle
          ?? store.failureToHoldAccounts.map {
            SafeText(line: $0.text.prefix(1).uppercased() + $0.text.dropFirst() + ".")
          }
      })
  }
}
