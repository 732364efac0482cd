// SPDX-License-Identifier: GPL-3.0-or-later
import ChatCommands
import ChatParts
import ChatPreferences
import ChatRendering
import ChatSession
import Composer
import Conversations
import LineEditing
import StyledText

/// The bar around the text, and the text's styles.
extension InteractiveShell {
  func updateBar() {
    isStale = false
    shownLength = editor.display.scrolledText
    editor.display.widths = session.feed.renderer.printer.options.widths
    editor.display.wrapsAtWords = settings.wrap == .word
    switch settings.links {
    case .auto: editor.display.links = linksByDefault
    case .on: editor.display.links = true
    case .off: editor.display.links = false
    }
    editor.display.setBackground =
      switch settings.background {
      case .auto: nil
      case .light: true
      case .dark: false
      }
    editor.display.title = settings.title ? StatusLine(session: session).title : nil
    var bar = editor.bar
    bar.prompt = StatusLine(session: session).prompt
    bar.maxInputRows = settings.maxInputRows
    bar.pending = session.waitingLines.map { line in
      // The reason comes first, so that a long line cannot hide it.
      let text = SafeText(body: line.typed).lines + [line.files.label].compactMap { $0 }
      return say(
        line.copyNumber != nil ? "(copying) %1" : "(waiting for the store) %1",
        text.filter { !$0.isEmpty }.joined(separator: " "))
    }
    bar.placeholder =
      session.mode.isDraft && session.open.isMember
        && session.mode.question == nil && settings.appearance.placeholder
      ? session.lineConversation.map { say("Message %1", SafeText(name: $0.name)) } ?? "" : ""
    if editor.displayMode == .tty { arrange(&bar) }
    editor.bar = bar
    completion.barChanged()
    if editor.displayMode == .plain, bar.pending.count > waitingShown {
      editor.print([StyledLine(bar.pending[bar.pending.count - 1])])
    }
    waitingShown = bar.pending.count
  }

  /// Arranges the zones and the menu according to the settings (rule 9).
  private func arrange(_ bar: inout InputBar) {
    let appearance = settings.appearance
    let columns = editor.display.columns
    bar.hidesSideZones = !session.mode.isDraft
    forgetOldNotice()
    bar.zones[.status] = statusItems(columns: columns)
    bar.zones[.left] = appearance.leftItems
    var right: [Item] = []
    let (text, isName) = (editor.text, session.mode.isChoosing)
    if session.mode.isDraft, let files = session.composing.files.waiting.item {
      right.append(files)
    }
    if settings.messageLimit > 0, !isName,
      let counter = Counter.item(
        text: !session.mode.isEditing ? Command.message(in: text) ?? text : text,
        limit: settings.messageLimit, style: settings.counter)
    {
      right.append(counter)
    }
    let canSend = completion.allowsSending(text)
    if let send = appearance.sendItem(isEnabled: canSend, glyphs: session.preferences.glyphs) {
      right.append(send)
    }
    bar.zones[.right] = right
    bar.spacing[.right] = 1
    bar.zones[.toolbar] = StatusLine(session: session).toolbarItems(columns: columns)
    if let question {
      bar.menu = question.wrapped(at: max(1, columns - 1), widths: editor.display.widths)
    } else {
      bar.menu =
        editor.isIdle
        ? completion.menuRows(columns: columns - 1, widths: editor.display.widths) : []
      if appearance.menu == .compact, bar.menu.count > 1 {
        bar.menu = [bar.menu.dropFirst().reduce(bar.menu[0]) { $0 + StyledLine("   ") + $1 }]
      }
    }
    if appearance.separator {
      let rule = String(
        repeating: session.preferences.glyphs.rule.string, count: max(0, columns - 1))
      bar.menu.insert(StyledLine(SafeText(line: rule), .dim), at: 0)
    }
  }

  /// The question in place of the menu, with as many rows as it needs: the keys that answer it are
  /// at its end.
  private var question: StyledLine? {
    session.mode.question.map { StyledLine($0.line) }
  }

  /// A question is shown alone. If only a part of the text is visible, its length comes first (rule
  /// 1.9).
  private func statusItems(columns: Int) -> [Item] {
    if question != nil { return [] }
    let status = StatusLine(session: session)
    guard let length = editor.display.scrolledText else {
      return status.items(notice: notice, columns: columns)
    }
    let lines = say("1 line", "%1 lines", count: length.lines)
    let said = length.rows.map { say("%1, %2 rows", lines, SafeText($0)) } ?? lines
    let room = columns - editor.display.widths.columns(of: said.string) - 2
    return [Item(id: "lines", line: StyledLine(said, .bold))]
      + status.items(notice: notice, columns: max(1, room))
  }

  /// Styles the typed text as it will be printed (rule 6.4), including mentions.
  func highlight() {
    let text = editor.text
    guard editor.displayMode == .tty, !text.isEmpty || highlighted != nil else { return }
    let spans = completion.spans
    guard text != highlighted?.text || spans != highlighted?.spans else { return }
    highlighted = (text, spans)
    var highlights: [InputBar.Highlight] = []
    if settings.styling, !LineRules.isCommand(text) {
      let caret = editor.caret
      let runs =
        text.utf8.count <= MessageStyling.longText
        ? MessageStyling.standard.runs(in: text)
        : MessageStyling.standard.runs(
          in: text, visible: max(0, caret - 8192)..<min(text.utf8.count, caret + 8192))
      highlights = runs.map { .init($0.range, $0.style) }
    }
    highlights += spans.map { .init($0.range, .bold) }
    if highlights != editor.bar.highlights { editor.bar.highlights = highlights }
  }
}
