// SPDX-License-Identifier: GPL-3.0-or-later
import ChatPreferences
import Composer
import Conversations
import StyledText

/// What carries out a session's effects: a shell at a terminal, one that reads a pipe, or the one
/// that tests imagine. It differs in what it shows, in its line and in its clock; what the effects
/// mean is the same.
@MainActor
package protocol SessionShell: AnyObject {
  /// Hands an event to the session, with the time.
  func handle(_ event: SessionEvent) -> [Effect]
  /// Sends an event to the session and carries out its effects; false if the session refused the
  /// line, or an effect failed.
  @discardableResult func tell(_ event: SessionEvent) -> Bool
  /// Reports that an effect failed.
  func failed(_ error: any Error)
  func refused(_ reason: SafeText)

  func print(_ lines: [StyledLine])
  func show(_ lines: [StyledLine])
  func show(code text: SafeText)
  func page(_ lines: [StyledLine], atEnd: Bool)
  func show(notice: SafeText)
  /// Removes this notice or, with nil, any.
  func end(notice: SafeText?)
  func ask(_ question: Question)
  func bell()
  func notify(_ notifications: [Notification])
  func clearScreen()

  /// The line, which some effects change.
  var shellLine: any ShellLine { get }
  func bind(_ bindings: [KeyBinding], mustWork: Bool) throws

  func copy(_ text: SafeText) throws
  func run(_ chore: FileChore)
  func launch(_ words: [String], target: SafeText) throws
  func connect(_ account: Account, asks: Bool) throws
  func quit(status: Int32)
}

/// The line of a shell. Only effects change it; a session reads it as a ``InputLine``.
@MainActor
package protocol ShellLine: AnyObject {
  /// Does this when the next input line begins, or at once if no line is being handled.
  func whenBegun(_ action: @escaping @MainActor () -> Void)
  func fill(_ text: String, _ mentions: [Span])
  func replace(by draft: Conversations.Draft)
  /// Whether the line is empty, and nobody has typed the next one.
  var isFree: Bool { get }
  func beginChoice()
  func endChoice()
  func beginEdit(_ text: String, offering: String?, _ mentions: [Span], isAnother: Bool)
  func endEdit(offering: String?)
  func addHistory(_ line: String)
  func setHistory(_ lines: [String])
}

extension SessionShell {
  package func show(_ lines: [StyledLine]) { print(lines) }
  package func show(code text: SafeText) { print([StyledLine(text, .dim)]) }

  @discardableResult
  package func tell(_ event: SessionEvent) -> Bool { perform(handle(event)) }

  /// Carries out effects, and all others if one fails (rule 14.8).
  ///
  /// - Returns: false if one failed, or if the session refused the line.
  @discardableResult
  package func perform(_ effects: [Effect]) -> Bool {
    var isDone = true
    for effect in effects {
      if case .refused(let reason) = effect {
        isDone = false
        refused(reason)
      }
      do {
        try perform(effect)
      } catch {
        isDone = false
        failed(error)
      }
    }
    return isDone
  }

  private func perform(_ effect: Effect) throws {
    switch effect {
    case .print(let lines): print(lines)
    case .show(let lines): show(lines)
    case .showCode(let text): show(code: text)
    case .page(let lines, let atEnd): page(lines, atEnd: atEnd)
    case .notice(let text): show(notice: text)
    case .endNotice(let text): end(notice: text)
    case .ask(let question): ask(question)
    case .bell: bell()
    case .fillLine(let text, let mentions):
      changeLine(then: .moved) { $0.fill(text, mentions) }
    case .restore(let draft):
      shellLine.whenBegun { [self] in
        guard shellLine.isFree else {
          _ = tell(.stashConflict(draft))
          return
        }
        shellLine.replace(by: draft)
        tell(.restored(draft))
      }
    case .swapLine(let draft): changeLine(then: .restored(draft)) { $0.replace(by: draft) }
    case .beginChoice:
      end(notice: nil)
      changeLine { $0.beginChoice() }
    case .endChoice:
      end(notice: nil)
      changeLine { $0.endChoice() }
    case .edit(let text, let offered, let mentions, let isAnother):
      // The status line shows how to leave instead (rule 3.2).
      if !isAnother { end(notice: nil) }
      changeLine { $0.beginEdit(text, offering: offered, mentions, isAnother: isAnother) }
    case .endEdit(let offered):
      end(notice: nil)
      changeLine(then: .moved) { $0.endEdit(offering: offered) }
    case .addHistory(let line): changeLine { $0.addHistory(line) }
    case .setHistory(let lines): shellLine.setHistory(lines)
    case .whenLineBegins(let event): shellLine.whenBegun { [self] in tell(event) }
    case .bind(let lines, let mustWork): try bind(lines, mustWork: mustWork)
    case .copy(let text): try copy(text)
    case .run(let chore): run(chore)
    case .launch(let words, let target): try launch(words, target: target)
    case .notify(let notifications): notify(notifications)
    case .clearScreen: clearScreen()
    case .connect(let account, let asks): try connect(account, asks: asks)
    case .quit(let status): quit(status: status)
    // Refusals are handled above, and the session has carried out the others.
    case .refused, .write, .answer, .complain, .list, .longAnswer, .history, .open,
      .openKeepingDraft, .switchLine, .left, .send, .beginEdit, .saved, .giveBack, .stopTyping,
      .attach, .detach,
      .saveLater, .save, .startChore, .preferences, .renamed, .nicknamesChanged, .away,
      .attentionChanged, .searched, .pause, .resume, .leave, .draftsCleared, .takeBackLine,
      .holdDraft, .accountsChanged, .awaitConnection, .startAccount, .catchUp, .arrived, .settleIn,
      .sent, .draftStored, .takenBack, .shellAttached, .readArrivals, .nicknameTaken,
      .reloadHistory, .tutorial, .tutorialAction, .retryRead:
      break
    }
  }

  /// Changes the line when it begins, and then tells the session.
  private func changeLine(
    then event: SessionEvent? = nil, _ change: @escaping @MainActor (any ShellLine) -> Void
  ) {
    shellLine.whenBegun { [self] in
      change(shellLine)
      if let event { tell(event) }
    }
  }
}
