// SPDX-License-Identifier: GPL-3.0-or-later
import ChatScripts
import ChatSession
import Composer
import Conversations
import Glibc
import LineEditing
import Platform
import StyledText
import Terminal

/// Carries out the session's effects.
extension InteractiveShell {
  /// Carries out effects; reports one that fails to the session and continues with the next (rule
  /// 14.8). Returns false if one failed, or if the session refused the line.
  @discardableResult
  func perform(_ effects: [Effect]) -> Bool {
    var isDone = true
    for effect in effects {
      if case .refused = effect { isDone = false }
      do {
        try perform(effect)
      } catch {
        isDone = false
        let reason = sentence(for: error)
        if reason.isEmpty { editor.bell() } else { complain(reason) }
      }
    }
    return isDone
  }

  private func perform(_ effect: Effect) throws {
    switch effect {
    case .print(let lines), .show(let lines): editor.print(lines)
    case .page(let lines, let atEnd): page(lines, atEnd: atEnd)
    case .notice(let text): show(notice: text)
    case .endNotice(let text):
      if notice == text {
        notice = nil
        refresh()
      }
    case .ask(let question): ask(question)
    case .bell: editor.bell()
    case .refused: break
    case .fillLine(let text, let mentions): fillLine(text, mentions)
    case .restore(let draft):
      editor.whenLineBegins { [self] in
        if editor.isEmpty, !editor.hasTypedAhead() {
          putDraft(draft)
        } else {
          tell(.stashConflict(draft))
        }
      }
    case .swapLine(let draft): editor.whenLineBegins { [self] in putDraft(draft) }
    case .beginChoice:
      notice = nil
      editor.whenLineBegins { [self] in
        completion.setAside()
        editor.hidesHistory = true
        completion.openMenu()
      }
    case .endChoice:
      notice = nil
      editor.whenLineBegins { [self] in
        editor.hidesHistory = false
        completion.bringBack()
      }
    case .edit(let text, let offered, let mentions, let isAnother):
      edit(text, offering: offered, mentions, isAnother: isAnother)
    case .endEdit(let offered): endEdit(offering: offered)
    case .addHistory(let line): editor.whenLineBegins { [self] in editor.addHistory(line) }
    case .setHistory(let lines): editor.setHistory(lines)
    case .whenLineBegins(let event): editor.whenLineBegins { [self] in tell(event) }
    case .bind(let lines, let mustWork): try bind(lines, mustWork: mustWork)
    case .copy(let text): try copy(text)
    case .run(let chore): run(chore)
    case .launch(let words, let target): try open(words, target)
    case .notify(let notifications): notifier.notify(notifications)
    case .clearScreen: editor.clearDisplay()
    case .connect(let account, let asks):
      // The line did its work: the account exists, and /connect tries again.
      do {
        try connect(account, asks: asks)
      } catch {
        complain(sentence(for: error))
      }
    case .quit(let status): stop(status: status)
    // The session has carried these out.
    case .write, .answer, .complain, .list, .longAnswer, .history, .open, .openKeepingDraft, .left,
      .send, .beginEdit, .saved, .attach, .detach, .saveLater, .save, .startChore, .preferences,
      .renamed,
      .nicknamesChanged, .away, .attentionChanged, .searched, .pause, .resume, .leave,
      .draftsCleared, .takeBackLine, .holdDraft, .accountsChanged, .awaitConnection, .startAccount,
      .catchUp, .arrived, .settleIn, .nicknameTaken, .reloadHistory, .tutorial, .tutorialAction,
      .retryRead:
      break
    }
  }

  func show(notice text: SafeText) {
    if editor.displayMode == .plain {
      editor.print([StyledLine(text)])
    } else {
      notice = text
      refresh()
    }
  }

  // MARK: The line

  private func fillLine(_ text: String, _ mentions: [Span]) {
    editor.whenLineBegins { [self] in
      editor.insert(text)
      completion.lineChanged(byHand: false)
      if !mentions.isEmpty { completion.begin(with: mentions) }
      tell(.moved)
    }
  }

  private func putDraft(_ draft: Conversations.Draft) {
    editor.setLine(draft.text, caret: draft.caret)
    // On the line, a text ends at its first NUL.
    completion.begin(with: Span.decoded(draft.spans, in: editor.text))
    tell(.restored(draft))
  }

  private func edit(
    _ text: String, offering offered: String?, _ mentions: [Span], isAnother: Bool
  ) {
    if !isAnother {
      // The status line shows how to leave instead (rule 3.2).
      notice = nil
      nextNotice = nil
    }
    editor.whenLineBegins { [self] in
      if !isAnother { completion.setAside() }
      if !isAnother || offered != nil { editor.setLine(offered ?? text) }
      if isAnother || offered != nil { editor.replaceLine(text) }
      completion.begin(with: mentions)
    }
  }

  private func endEdit(offering offered: String?) {
    notice = nil
    editor.whenLineBegins { [self] in
      completion.bringBack()
      if let offered { editor.offerOnUndo(offered) }
      tell(.moved)
    }
  }

  // MARK: Keys, clipboard, programs

  private func bind(_ bindings: [KeyBinding], mustWork: Bool) throws {
    let complaints = bindingComplaints(bindings)
    if complaints.isEmpty { return }
    guard mustWork else {
      _ = tell(.complain(complaints))
      return
    }
    throw Refusal(say("The key was not bound: %1.", complaints.joined(separator: "; ")))
  }

  /// Binds the keys; returns readline's complaints, with their position in the rc file.
  func bindingComplaints(_ bindings: [KeyBinding]) -> [SafeText] {
    KeyBinding.complaints(of: bindings, among: []) { editor.bind($0) }
  }

  private func copy(_ text: SafeText) throws {
    guard editor.display.looks.ignoresStrings else {
      throw Refusal(
        say("hobnob cannot copy here: this terminal does not let programs use its clipboard."))
    }
    guard text.string.utf8.count <= ClipboardSequence.mostBytes else {
      throw Refusal(
        say(
          "The text has %1 bytes; terminals take no more than %2 into the clipboard.",
          SafeText(text.string.utf8.count), SafeText(ClipboardSequence.mostBytes)))
    }
    editor.copyToClipboard(text)
    show(notice: say("Copied, if the terminal allows it; see hobnob-commands(7)"))
  }

  /// Does the work in a process of its own or, if none can start, here while keys wait.
  private func run(_ chore: FileChore) {
    let isStarted = start(chore.command) { [weak self] answer, status in
      self?.tell(.choreEnded(chore, chore.outcome(answer: answer, status: status)))
    }
    if !isStarted { tell(.choreEnded(chore, chore.runHere())) }
  }

  /// Starts a process and reads its output.
  ///
  /// - Returns: false if that failed.
  private func start(
    _ words: [String], ended: @escaping (_ answer: String, _ status: Int32) -> Void
  ) -> Bool {
    let environment = session.preferences.environment
    guard let (path, descriptor) = TemporaryFile.make(environment: environment) else {
      return false
    }
    unlink(path)
    let answer = OpenFile(descriptor)
    return programs.start(words, output: .descriptor(answer.number)) { status in
      lseek(answer.number, 0, SEEK_SET)
      let said = (try? readAll(answer.number)) ?? []
      ended(String(decoding: said, as: UTF8.self), status)
    }
  }

  /// Starts the process of an account's network, which continues when this shell ends. The status
  /// line shows its reports.
  private func connect(_ account: Account, asks: Bool) throws {
    let words = try NetworkPrograms.installed.command(account, in: session.store, asks: asks)
    var isStarted = true
    if asks {
      _ = try NetworkPrograms.sandbox(of: words[0])
      lendScreen { isStarted = ChildProgram.run(words) != nil }
    } else {
      isStarted = programs.start(words) { [weak self] status in
        // 127 is the loader's status; only then is a look worth a moment in which no key is read.
        let library = status == 127 ? NetworkPrograms.missingLibrary(of: words[0]) : nil
        self?.tell(.networkProcessEnded(account.id, status: status, missing: library))
      }
    }
    guard isStarted else {
      throw Refusal(
        say("%1 could not be run: %2.", SafeText(line: words[0]), systemReason()))
    }
  }

  private func open(_ words: [String], _ target: SafeText) throws {
    let program = SafeText(line: words[0])
    let isStarted = programs.start(words) { [weak self] status in
      guard status != 0 else { return }
      self?.complain(
        say(
          "%1 ended with status %2; it did not open %3.", program, SafeText(Int(status)), target))
    }
    guard isStarted else {
      throw Refusal(
        say(
          "%1 could not be run: %2. Name another program with /set open-command.", program,
          systemReason()))
    }
    show(notice: say("Opened %1", target))
  }
}
