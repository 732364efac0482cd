// SPDX-License-Identifier: GPL-3.0-or-later
import ChatParts
import ChatPreferences
import ChatScripts
import ChatSession
import Composer
import Conversations
import Glibc
import LineEditing
import StyledText

// MARK: What the line tells

extension InteractiveShell {
  /// Handles an event. Returns false for the default action that ``LineEvent`` describes.
  func handle(_ event: LineEvent) -> Bool {
    switch event {
    case .accepted(let text): return acceptLine(text)
    case .changed: textChanged()
    case .moved:
      completion.caretMoved()
      tell(.moved)
    case .selectionEnded(let text):
      if notice == Self.isSelected || notice == Self.isCommandSelected { notice = nil }
      // The replaced text enters the history.
      if let text { tell(.carriedOut(text)) }
      refresh()
    case .secondSpace: closeSymbol()
    case .pasted(let text):
      // A name is on one line.
      let line = LineRules.onOneLine(text)
      if session.mode.isChoosing, line != text {
        editor.insert(line)
        textChanged()
        return true
      }
      return completion.offerToPlugins(
        PastedContent(paste: text) { self.fileToAttach($0) != nil }, pasted: text)
    case .pasteUnfinished: show(notice: say("The paste has not ended; C-c ends it"))
    case .pasteHadNoEnd:
      show(notice: say("The end of the paste was lost; the line has all that arrived"))
    case .clearing(let isEmpty):
      guard isEmpty || session.mode.isChoosing else { return !mayClear() }
      tell(.interrupted)
      return true
    case .cancelled:
      // While choosing a conversation, the menu is not a level of its own.
      return !session.mode.isChoosing && press(.cancel) || tell(.cancel)
    case .undoing: return tell(.undo)
    case .upOnEmptyLine: return tell(.up)
    case .completing: return complete()
    case .menuKey(let key): return moveInMenu(key)
    case .command(let command): run(command)
    case .endOfInput: tell(.ended)
    case .lostTerminal: lostTerminal()
    case .willDraw:
      if isStale || shownLength != editor.display.scrolledText { updateBar() }
      highlight()
    case .resized:
      tellSize()
      refresh()
    case .fellBehindOrCaughtUp: tell(.outputBehind(editor.display.isBehind))
    case .focusChanged: tellFocus()
    case .suspending: tell(.suspended)
    case .resumed:
      // While the shell was stopped it did not notice that children ended.
      programs.reap()
      tell(.resumed)
    case .cannotSuspend:
      show(
        notice: say(
          "C-z does not work: hobnob was not started from a shell that can resume it"))
    }
    return false
  }

  private func acceptLine(_ text: String) -> Bool {
    notice = nil
    if session.mode.isChoosing { return tell(.entered(text)) }
    if asksBefore(sending: text) { return false }
    guard enter(text) else {
      if session.mode.isEditing { return false }
      if LineRules.isCommand(text) || !session.open.isMember {
        select()
      } else if let start = session.composing.startOfCommandAfterDraft(
        in: text, session.preferences)
      {
        editor.select(from: start)
        if notice == nil { show(notice: Self.isCommandSelected) }
      }
      return false
    }
    editor.whenLineBegins { [self] in
      completion.sent(text)
    }
    return true
  }

  /// Selects the line after a command, or a message that only a member can send, has failed: the
  /// next text replaces it, such as the command that enters the room, unless a key continues it
  /// (rules 1.11 and 1.13).
  private func select() {
    editor.select()
    if notice == nil { show(notice: Self.isSelected) }
  }

  private static let isSelected = say(
    "The line is selected: type to replace it; other keys keep it")
  private static let isCommandSelected = say(
    "The command is selected: type to replace it; other keys keep it")

  private func complete() -> Bool {
    guard completion.press(.complete) else { return false }
    textChanged()
    return true
  }

  private func moveInMenu(_ key: MenuKey) -> Bool {
    // Until the menu is entered, TAB does what it is bound to.
    if key == .complete, completion.menu != .entered { return false }
    guard press(key) else { return false }
    textChanged()
    if key == .accept, session.mode.isChoosing { tell(.entered(editor.text)) }
    return true
  }

  private func press(_ key: MenuKey) -> Bool {
    defer { refresh() }
    return completion.press(key)
  }

  func textChanged() {
    if notice != nil || nextNotice != nil {
      notice = nextNotice
      nextNotice = nil
    }
    isTyped = false
    completion.lineChanged(byHand: true)
    let complaints = completion.takeComplaints()
    if !complaints.isEmpty { tell(.complain(complaints)) }
    // Another text has been told by then.
    if !isTyped { tell(.moved) }
  }

  /// Handles the consequences of a change of the line other than drawing.
  func handleBarEvent(_ event: BarEvent) {
    switch event {
    case .typing:
      isTyped = true
      tell(.changed)
    case .sent: tell(.lineBegan)
    case .canSend, .rows: refresh()
    case .text, .item: break
    }
  }

  /// An existing file that can be attached.
  private func fileToAttach(_ path: String) -> (path: String, name: String)? {
    let path = RcFile.expanded(path, session.preferences.environment)
    let limit = session.scene.attachmentLimit
    return (try? AttachmentCopy.inspect(fileAt: path, limit: limit)).map { (path, $0.name) }
  }

  /// If a paste consists of the name of an existing file, offers to attach it (rule 1.9). An edit
  /// has no files, and a command wants the name itself.
  func offerToAttach(_ content: PastedContent, pasted text: String) -> Bool {
    guard case .path(let name) = content, session.mode.isDraft, session.open.isMember,
      !LineRules.isCommand(editor.text),
      let (path, shown) = fileToAttach(name)
    else { return false }
    let room = max(8, editor.display.columns - Self.attachQuestion)
    let cut = SafeText(name: shown).truncated(to: room, widths: editor.display.widths)
    tell(
      .ask(
        Question(
          say("Attach %1?", cut),
          [("y", say("yes"), .attach(path: path)), ("n", say("skip"), .nothing)],
          otherwise: say("any other key: insert its name"), .paste(text), enterIsYes: true)))
    return true
  }

  /// The columns of that question without the name.
  private static let attachQuestion = 58

  /// Whether C-c may empty the line; it may ask first.
  private func mayClear() -> Bool {
    guard settings.confirmClear else {
      willEmpty()
      return true
    }
    tell(
      .ask(
        Question(
          say("Undo typing?"), [("y", say("empty the line"), .clear)],
          otherwise: say("any other key: keep it"),
          .nothing, enterIsYes: true)))
    return false
  }

  /// Call this before the line is emptied; the notice appears afterwards.
  func willEmpty() {
    tell(.emptied)
    let text = say("Line emptied; C-_ brings it back")
    if editor.displayMode == .plain { show(notice: text) } else { nextNotice = text }
  }

  private func lostTerminal() {
    // Behave as on the signal for a closed terminal, which did not arrive. If the output is a pipe,
    // its reader may go away (rule 11.4).
    var output = stat()
    let isClosed = fstat(1, &output) == 0 && output.st_mode & S_IFMT == S_IFCHR
    leave(status: isClosed ? 128 + SIGHUP : 0)
  }

  /// Runs one of hobnob's own readline functions.
  private func run(_ command: String) {
    switch command {
    case "edit-last": tell(.editLast)
    case "edit-in-editor":
      do { try editInEditor() } catch { complain(sentence(for: error)) }
    case "set-aside": tell(.setAside)
    case "page-history": tell(.pageHistory)
    default:
      if let mark = Self.marks[command] { return format(mark) }
      notice = nil
      if let move = Move(function: command) { tell(.move(move)) }
    }
  }

  // MARK: Markdown (rule 6)

  /// The symbol that a function puts around the region or the word.
  private static let marks = [
    "format-bold": "*", "format-italic": "_", "format-strike": "~", "format-code": "`",
    "format-preformatted": "```", "format-quote": ">",
  ]

  private func format(_ mark: String) {
    guard
      let change = Formatting.wrap(
        mark, in: editor.text, caret: editor.caret, region: editor.markedRegion)
    else { return editor.display.bell() }
    replaceByHand(change)
  }

  private func closeSymbol() {
    let text = editor.text
    let caret = editor.caret
    guard settings.closeByDoubleSpace, !LineRules.isCommand(text) else { return }
    // The rule reads the text from before the second space, which is part of the change.
    var before = text
    let space = before.utf8.index(before.utf8.startIndex, offsetBy: caret - 1)
    before.unicodeScalars.remove(at: space)
    guard let change = Formatting.closing(in: before, caret: caret - 1, symbols: .standard) else {
      return
    }
    replaceByHand(change)
  }

  private func replaceByHand(_ change: (range: Range<Int>, insert: String, caret: Int)) {
    completion.replace(change.range, with: change.insert, caret: change.caret)
    textChanged()
  }
}
