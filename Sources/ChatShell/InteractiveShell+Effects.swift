// SPDX-License-Identifier: GPL-3.0-or-later
import ChatParts
import ChatPreferences
import ChatScripts
import ChatSession
import Conversations
import Glibc
import LineEditing
import Platform
import StyledText
import Terminal

/// What the session's effects do at a terminal.
extension InteractiveShell: SessionShell {
  func handle(_ event: SessionEvent) -> [Effect] { session.handle(event, at: loop.now) }

  func failed(_ error: any Error) {
    let reason = sentence(for: error)
    if reason.isEmpty { editor.display.bell() } else { complain(reason) }
  }

  /// The reason was an effect before this one.
  func refused(_ reason: SafeText) {}

  // MARK: Output

  func print(_ lines: [StyledLine]) { editor.print(lines) }

  /// Draws the code in black and white, if qrencode(1) is installed and the screen is wide enough.
  func show(code text: SafeText) {
    let shown = StyledLine(text, .dim)
    guard session.preferences.glyphs == .unicode, let input = QRCode.input(text.string) else {
      return print([shown])
    }
    defer { close(input) }
    let isStarted = start(QRCode.command(inColours: false), input: .descriptor(input)) {
      [weak self] drawn, _ in self?.print(code: drawn, below: shown)
    }
    if isStarted { return }
    let sentence = say(
      "To see a QR code here, install qrencode; until then, here is the text that it would contain:"
    )
    print([StyledLine(sentence, .dim), shown])
  }

  private func print(code drawn: String, below text: StyledLine) {
    let display = editor.display
    // No theme of a terminal changes the colours of the cube.
    let hasCube = display.capabilities.palette.depth != .sixteen
    let style = Style(
      foreground: hasCube ? Color(index: 231) : .brightWhite,
      background: hasCube ? Color(index: 16) : .black)
    let rows = drawn.split(separator: "\n").map { StyledLine(SafeText(line: String($0)), style) }
    if rows.allSatisfy({ $0.columns(display.widths) <= display.columns }) {
      return print([text] + rows)
    }
    let sentence = say("The terminal is too narrow for the QR code, which contains this text:")
    print([StyledLine(sentence, .dim), text])
  }

  func show(notice text: SafeText) {
    if editor.displayMode == .plain {
      editor.print([StyledLine(text)])
    } else {
      notice = text
      refresh()
    }
  }

  func end(notice text: SafeText?) {
    if text == nil { nextNotice = nil }
    guard text == nil || notice == text else { return }
    notice = nil
    refresh()
  }

  func bell() { editor.display.bell() }
  func notify(_ notifications: [Notification]) { notifier.notify(notifications) }
  func clearScreen() { editor.display.clear() }
  var shellLine: any ShellLine { line }

  // MARK: Keys, clipboard, programs

  func bind(_ bindings: [KeyBinding], mustWork: Bool) throws {
    let complaints = KeyBinding.complaints(of: bindings, among: []) { editor.bind($0) }
    if complaints.isEmpty { return }
    guard mustWork else {
      _ = tell(.complain(complaints))
      return
    }
    throw Refusal(say("The key was not bound: %1.", complaints.joined(separator: "; ")))
  }

  func copy(_ text: SafeText) throws {
    guard editor.display.capabilities.ignoresStrings else {
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
  func run(_ chore: FileChore) {
    let isStarted = start(chore.command) { [weak self] answer, status in
      self?.tell(.choreEnded(chore, chore.outcome(answer: answer, status: status)))
    }
    if !isStarted { tell(.choreEnded(chore, chore.runHere())) }
  }

  /// Starts a process and reads its output.
  ///
  /// - Returns: false if that failed.
  private func start(
    _ words: [String], input: ChildProcess.Stream = .null,
    ended: @escaping (_ answer: String, _ status: Int32) -> Void
  ) -> Bool {
    let environment = session.preferences.environment
    guard let (path, descriptor) = TemporaryFile.make(environment: environment) else {
      return false
    }
    unlink(path)
    let answer = OpenFile(descriptor)
    return programs.start(words, input: input, output: .descriptor(answer.number)) { status in
      lseek(answer.number, 0, SEEK_SET)
      let said = (try? readAll(answer.number)) ?? []
      ended(String(decoding: said, as: UTF8.self), status)
    }
  }

  /// Starts the process of an account's network, which continues when this shell ends. The status
  /// line shows its reports.
  func connect(_ account: Account, asks: Bool) {
    // The command has succeeded all the same: the account exists, and /connect starts its process.
    do { try start(account, asks: asks) } catch { complain(sentence(for: error)) }
  }

  private func start(_ account: Account, asks: Bool) throws {
    let words = try NetworkPrograms.installed.command(
      account, in: session.store, asks: asks, isPlain: asks && session.preferences.glyphs.isSpoken)
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

  func launch(_ words: [String], target: SafeText) throws {
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

  // MARK: The screen, lent (rule 7.6)

  /// Shows the answer of a command in `$PAGER`.
  ///
  /// - Parameter atEnd: start at the last line.
  func page(_ lines: [StyledLine], atEnd: Bool) {
    // The command's own line must leave the screen first.
    editor.whenLineBegins { [self] in
      do { try runPager(lines, atEnd: atEnd) } catch { complain(sentence(for: error)) }
    }
  }

  private func runPager(_ lines: [StyledLine], atEnd: Bool) throws {
    let chosen = session.preferences.environment["PAGER"]
    let command = Pager.commandLine(chosen, atEnd: atEnd)
    guard let (path, file) = TemporaryFile.make(environment: session.preferences.environment) else {
      throw Refusal(
        say(
          "hobnob could not create a file for the pager in %1: %2.",
          SafeText(line: TemporaryFile.folder(session.preferences.environment)), systemReason()))
    }
    // Remove the name at once, so that nothing remains however the shell ends.
    unlink(path)
    defer { close(file) }
    guard TemporaryFile.write(editor.printed(lines), to: file), lseek(file, 0, SEEK_SET) == 0 else {
      throw Refusal(say("The text for the pager could not be written: %1.", systemReason()))
    }
    var status: Int32?
    lendScreen { status = ChildProgram.run(ChildProcess.words(command), input: file) }
    let shown = SafeText(line: command)
    guard let status else {
      let reason = systemReason()
      editor.print(lines)
      // Nobody asked for less, and these lines are few.
      if Pager.isUnset(chosen), !atEnd { return }
      throw Refusal(
        say("The pager %1 could not be run: %2; set PAGER, or /set pager off.", shown, reason))
    }
    if Pager.hasFailed(status, command) {
      editor.print(lines)
      throw Refusal(
        say(
          "The pager %1 failed with status %2; set PAGER, or /set pager off.", shown,
          SafeText(Int(status))))
    }
  }

  /// Gives the whole screen to another program until it ends. Meanwhile hobnob prints nothing, and
  /// arriving messages do not count as seen; it prints them afterwards.
  func lendScreen(_ body: () -> Void) {
    tell(.screenLent(true))
    editor.withTerminalReleased(keepingLine: false, body)
    tell(.screenLent(false))
  }

  /// `edit-in-editor` (C-x C-e): opens the text in the editor. Messages that arrive meanwhile are
  /// printed when the editor closes.
  func editInEditor() throws {
    var outcome: Result<String, any Error> = .success("")
    let text = editor.text
    tell(.moved)
    lendScreen {
      outcome = Result {
        try ExternalEditor.edit(text, environment: session.preferences.environment)
      }
    }
    let edited = try outcome.get()
    guard edited != text else { return }
    editor.replaceLine(edited)
    textChanged()
  }
}
