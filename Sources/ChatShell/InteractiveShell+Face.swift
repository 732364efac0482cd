// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import LineEditing
import StyledText
import Terminal

/// What the shell asks of its face.
extension InteractiveShell: Face {
  var isInteractive: Bool { true }

  var columns: Int? { editor.face == .tty ? editor.columns : nil }

  func print(_ lines: [StyledLine]) { editor.print(lines) }
  func show(_ lines: [StyledLine]) { editor.print(lines) }

  func refresh() { isStale = true }

  func notice(_ text: SafeText) {
    if editor.face == .plain {
      editor.print([StyledLine(text)])
    } else {
      notice = text
      refresh()
    }
  }

  func bell() { editor.bell() }

  func put(_ text: String, mentions: [Span], files: WaitingFiles) {
    editor.whenLineBegins { [self] in
      editor.insert(text)
      completion.lineChanged(byHand: false)
      if !mentions.isEmpty { completion.begin(with: mentions) }
      drafts.note()
      bringBack(files)
    }
  }

  func storeDraft() {
    drafts.note()
    drafts.leave()
  }

  func beginEditing(_ text: String, offering offered: String?, mentions: [Span]) {
    // How to leave is said in its place (rule 3.2).
    notice = nil
    nextNotice = nil
    // Whoever edits does not appear as typing (rule 3.2).
    signal(shell.signals.sentOrCleared(at: loop.now))
    editor.whenLineBegins { [self] in
      completion.setAside()
      editor.setLine(offered ?? text)
      if offered != nil { editor.replaceLine(text) }
      completion.begin(with: mentions)
    }
  }

  func endEditing(offering offered: String?) {
    notice = nil
    editor.whenLineBegins { [self] in
      completion.bringBack()
      if let offered { editor.offerOnUndo(offered) }
      drafts.note()
    }
  }

  func retargetEditing(_ text: String, offering offered: String?, mentions: [Span]) {
    editor.whenLineBegins { [self] in
      if let offered { editor.setLine(offered) }
      editor.replaceLine(text)
      completion.begin(with: mentions)
    }
  }

  var draft: (text: String, caret: Int) { (editor.text, editor.caret) }

  func leaveConversation() {
    drafts.leave()
    signal(shell.signals.sentOrCleared(at: loop.now))
  }

  func enteredConversation() {
    drafts.restore()
    refresh()
  }

  func draftToSend(in conversation: ID<Conversation>) -> String? {
    drafts.textToSend(in: conversation)
  }

  func sent(_ line: WaitingLines.Line) { drafts.sent(line) }

  func remember(_ line: String) {
    editor.whenLineBegins { [self] in editor.addHistory(line) }
  }

  func reloadHistory() {
    historyIsStale = true
    reloadStaleHistory()
  }

  /// Not while somebody walks through it or searches it.
  func reloadStaleHistory() {
    if historyIsStale, editor.isIdle, editor.isEmpty { loadHistory() }
  }

  func tryAgainSoon() { locked.tryAgainSoon() }
  func printMoreSoon() { loop.after(milliseconds: 0) { [shell] in shell.printMore() } }
  func mentions(in body: String) -> [Span] {
    let text = editor.text
    guard text.hasSuffix(body) else { return [] }
    let start = text.utf8.count - body.utf8.count
    return completion.spans.compactMap { span in
      guard span.range.lowerBound >= start else { return nil }
      return Span(
        range: (span.range.lowerBound - start)..<(span.range.upperBound - start),
        identity: span.identity)
    }
  }

  func bind(_ line: String) -> [SafeText] { editor.bind(line) }
  var bindings: [(function: String, keys: String)] { editor.bindings }
  func clearScreen() { editor.clearDisplay() }
  func quit() { if isLeaving { stop() } else { leave() } }

  func copy(_ text: SafeText) throws {
    guard editor.face == .tty else {
      throw Refusal(
        say("The plain face sends the terminal no sequences, so nothing can be copied."))
    }
    guard text.string.utf8.count <= ClipboardSequence.mostBytes else {
      throw Refusal(
        say(
          "The text has %1 bytes; terminals take no more than %2 into the clipboard.",
          SafeText(text.string.utf8.count), SafeText(ClipboardSequence.mostBytes)))
    }
    editor.copyToClipboard(text)
  }
}
