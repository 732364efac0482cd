// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import Glibc
import LineEditing
import StyledText
import Terminal

// MARK: What the line tells

extension InteractiveShell {
  /// Whether the event was dealt with here; see ``LineEvent`` for what happens otherwise.
  func handle(_ event: LineEvent) -> Bool {
    switch event {
    case .accepted(let text): return accept(text)
    case .changed: lineChanged()
    case .moved: caretMoved()
    case .secondSpace: closeSymbol()
    case .pasted(let text):
      return completion.take(
        PastedContent(paste: text) { self.fileToAttach($0) != nil }, pasted: text)
    case .pasteIsOpen: notice(say("A paste has begun and does not end; C-c ends it"))
    case .pasteHadNoEnd: notice(say("The paste had no end; what came of it is in the line"))
    case .clearing(let isEmpty): return isEmpty ? clearEmptyLine() : !mayClear()
    case .cancelled: return cancel()
    case .undoing: return bringFilesBackAlone()
    case .upOnEmptyLine: return editLastByUp()
    case .completing: return complete()
    case .menuKey(let key): return moveInMenu(key)
    case .command(let command): run(command)
    case .endOfInput: if shell.editing != nil { shell.cancelEditing() } else { quit() }
    case .lostTerminal: lostTerminal()
    case .willDraw:
      if isStale { updateBar() }
      highlight()
    case .resized: refresh()
    case .fellBehindOrCaughtUp: holdOrCatchUp()
    case .focusChanged:
      // Until it is known nothing counts as seen, and no one is told anything.
      if editor.isFocusKnown {
        shell.take(focus: editor.isFocused)
      } else {
        shell.isFocused = false
      }
    case .suspending: drafts.leave()
    case .resumed:
      shell.catchUp()
      refresh()
    }
    return false
  }

  private func accept(_ text: String) -> Bool {
    lastKey = loop.now
    notice = nil
    do {
      let isLeft = drafts.leaveLiveLine()
      try shell.take(text)
      editor.whenLineBegins { [self] in
        if isLeft, notice == nil { notice(say("What you had begun is in the history: Up, Up")) }
        completion.sent(text)
      }
      return true
    } catch {
      let reason = sentence(for: error)
      if reason.isEmpty {
        editor.bell()
      } else {
        complain(reason)
      }
      refresh()
      return false
    }
  }

  private func complete() -> Bool {
    guard completion.press(.complete) else { return false }
    lineChanged()
    return true
  }

  private func moveInMenu(_ key: MenuKey) -> Bool {
    let isTaken = completion.press(key)
    if isTaken { lineChanged() }
    refresh()
    return isTaken
  }

  private func caretMoved() {
    lastKey = loop.now
    completion.caretMoved()
    drafts.note()
    refresh()
  }

  private func cancel() -> Bool {
    if completion.press(.cancel) {
      refresh()
      return true
    }
    if shell.editing != nil {
      shell.cancelEditing()
      return true
    }
    if let line = shell.waiting.takeBack() {
      giveBack(line, because: say("The line that waited for the store was not sent."))
      refresh()
      return true
    }
    return false
  }

  /// The text was changed by a key or a paste.
  func lineChanged() {
    lastKey = loop.now
    if notice != nil || nextNotice != nil {
      notice = nextNotice
      nextNotice = nil
      refresh()
    }
    completion.lineChanged(byHand: true)
    for complaint in completion.takeComplaints() { complain(complaint) }
    noteReaction(editor.text)
    refresh()
  }

  /// What hangs on the line beside what is drawn.
  func hear(_ event: BarEvent) {
    switch event {
    case .typing: typed(editor.text)
    case .sent:
      signal(shell.signals.sentOrCleared(at: loop.now))
      drafts.note()
      holdOrCatchUp()
      reloadStaleHistory()
      refresh()
    case .canSend, .rows: refresh()
    case .text, .item: break
    }
  }

  private func typed(_ text: String) {
    drafts.note(byHand: true)
    bringFilesBack(with: text)
    if shell.editing != nil, editor.isLive, !text.isEmpty, !LineRules.isCommand(text) {
      shell.typedOverMessage = text
    }
    signal(
      shell.signals.changedByHand(
        text: text, at: loop.now, inEditMode: shell.editing != nil,
        isOff: !shell.settings.typing || !shell.isMember))
    if shell.isHolding, text.isEmpty { holdOrCatchUp() }
  }

  /// `+:` at the start of a line is about the message that is the newest at that moment, whatever
  /// comes while the emoji is chosen (rule 7.8).
  private func noteReaction(_ text: String) {
    guard shell.editing == nil, text.hasPrefix("+:") || text.hasPrefix("+") && !text.isASCII else {
      shell.reactionTarget = nil
      return
    }
    if shell.reactionTarget == nil { shell.reactionTarget = shell.newestForReaction() }
    guard let target = shell.reactionTarget else { return }
    let first = SafeText(body: target.body).lines.first ?? SafeText()
    notice(
      say(
        "Reaction to [%1] %2: %3", SafeText(target.number), SafeText(name: target.senderName),
        first.truncated(to: 40, widths: editor.widths)))
  }

  /// C-_ gave back what C-c took; the files that went with it come back too.
  private func bringFilesBack(with text: String) {
    guard let emptied, !text.isEmpty else { return }
    if text == emptied.text, shell.files.isEmpty { shell.files = emptied.files }
    self.emptied = nil
  }

  /// C-_ after a C-c that found only files: there is no text to bring back, but they are.
  private func bringFilesBackAlone() -> Bool {
    guard let emptied, emptied.text.isEmpty, editor.isEmpty, shell.files.isEmpty else {
      return false
    }
    shell.files = emptied.files
    self.emptied = nil
    drafts.note()
    notice(say("The files wait again"))
    return true
  }

  /// A file that is there and could be attached.
  private func fileToAttach(_ path: String) -> (path: String, name: String)? {
    let path = RcFile.expanded(path, shell.environment)
    let found = try? Store.look(
      atFile: path, limit: shell.settings.attachmentLimit * 1_000_000)
    return found.map { (path, $0.name) }
  }

  /// A paste that is nothing but the name of a file that is there offers to attach it (rule 1.9).
  /// An edit takes no files, and in a command the name is what is wanted.
  func offerToAttach(_ content: PastedContent, pasted text: String) -> Bool {
    guard case .path(let name) = content, shell.editing == nil, shell.isMember,
      editor.question == nil, !LineRules.isCommand(editor.text),
      let (path, shown) = fileToAttach(name)
    else { return false }
    editor.question = { [weak self] answer in
      guard let self else { return }
      notice = nil
      switch answer {
      case .yes: do { try shell.attach(fileAt: path) } catch { complain(sentence(for: error)) }
      case .no:
        editor.insert(text)
        lineChanged()
      case .leave: break
      }
      refresh()
    }
    notice(
      say(
        "Attach %1? y: yes, C-c: no, any other key: insert its name",
        SafeText(name: shown)))
    return true
  }

  /// C-c where there is no text to empty. Always true: nothing is left to do.
  private func clearEmptyLine() -> Bool {
    if shell.editing != nil {
      shell.cancelEditing()
    } else if !shell.files.isEmpty {
      emptied = ("", shell.files)
      shell.files.removeAll()
      drafts.note()
      notice(say("The files that waited are let go; C-_ brings them back"))
    } else {
      notice(say("To leave: C-d on the empty line, or /quit"))
    }
    return true
  }

  /// Whether C-c may empty the line; it may be asked for first.
  private func mayClear() -> Bool {
    guard shell.settings.confirmClear, editor.question == nil else {
      willEmpty()
      return true
    }
    editor.question = { [weak self] answer in
      guard let self else { return }
      notice = nil
      if answer == .yes {
        willEmpty()
        editor.empty()
      }
      refresh()
    }
    notice(say("Undo typing? y: empty the line, any other key: keep it"))
    return false
  }

  /// The line is about to be emptied: said once it is.
  private func willEmpty() {
    // An edit takes no files: those that wait are the draft's.
    if shell.editing == nil, !shell.files.isEmpty {
      emptied = (editor.text, shell.files)
      shell.files.removeAll()
    }
    let text = say("Line emptied; C-_ brings it back")
    if editor.face == .plain { notice(text) } else { nextNotice = text }
  }

  private func lostTerminal() {
    // As the signal has it that a terminal sends on closing, which did not come. The reader of a
    // pipe may go (rule 11.4).
    var output = stat()
    if fstat(1, &output) == 0, output.st_mode & S_IFMT == S_IFCHR { exitStatus = 128 + SIGHUP }
    leave()
  }

  private func run(_ command: LineCommand) {
    do {
      switch command {
      case .editLast: try shell.edit("")
      case .editInEditor: try editInEditor()
      case .format(let mark): format(mark)
      }
    } catch {
      complain(sentence(for: error))
    }
  }

  /// Says what went wrong with a key; the line is as it was.
  func complain(_ sentence: SafeText) { shell.complain([sentence]) }

  // MARK: Markdown (rule 6)

  private func format(_ mark: String) {
    guard
      let change = Formatting.wrap(
        mark, in: editor.text, caret: editor.caret, region: editor.markedRegion)
    else { return editor.bell() }
    replaceByHand(change)
  }

  private func closeSymbol() {
    let text = editor.text
    let caret = editor.caret
    guard shell.settings.closeByDoubleSpace, !LineRules.isCommand(text) else { return }
    // The rule looks at the text from before the second space; what it changes counts with it.
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
    lineChanged()
  }

  private func editLastByUp() -> Bool {
    guard shell.settings.upEditsLast, shell.editing == nil else { return false }
    return (try? shell.edit("")) != nil
  }
}
