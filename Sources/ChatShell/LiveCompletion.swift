// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import LineEditing
import StyledText

/// The completion menu below the line being typed, and the mentions that were accepted from it
/// (rule 2).
@MainActor
final class LiveCompletion {
  private let chat: Session
  private let editor: LineEditor
  private(set) var session: CompletionSession
  /// The mentions in the line, with who is meant (rule 2.10).
  var spans: [Span] { followed.spans }
  private var followed = FollowedSpans()
  /// An answer came late and belongs into the menu.
  var changed: () -> Void = {}

  init(session chat: Session, editor: LineEditor) {
    self.chat = chat
    self.editor = editor
    var registry = CompletionRegistry()
    for prefix in Prefix.allCases {
      registry.register(
        prefix.rawValue, source: ShellSource(prefix, of: chat), opensAfter: prefix.opensAfter,
        lineStartOnly: prefix == .command)
    }
    session = CompletionSession(registry: registry, argumentSource: ShellArguments(of: chat))
    session.deliver = { [weak self] ticket, answer in
      MainActor.assumeIsolated {
        if let self, self.session.answer(ticket, answer) { self.changed() }
      }
    }
  }

  // MARK: The line

  /// The line is no longer what it was when it was last told.
  ///
  /// - Parameter byHand: a key did it, not the program.
  func lineChanged(byHand: Bool) {
    let new = editor.text
    follow(new, caret: editor.caret)
    session.isLive = chat.preferences.settings.liveMenu
    session.maxRows = max(1, chat.preferences.settings.maxMenuRows)
    session.emojiAsCharacter = chat.preferences.settings.emojiIsCharacter
    session.textChanged(
      text: new, caret: editor.caret, regionActive: editor.region != nil, byHand: byHand)
  }

  /// Moves the mentions along with the text.
  func follow(_ new: String, caret: Int) {
    followed.follow(new, caret: caret, isUndo: editor.lastKeyWasUndo)
  }

  /// The line was formatted: marks were put around a part of it.
  func wrapped(_ range: Range<Int>, in insert: String) {
    followed.wrapped(range, in: insert, text: editor.text)
  }

  /// The line was given a text that brings its mentions along: a draft.
  func begin(with spans: [Span]) {
    let text = editor.text
    followed.begin(text, with: spans)
    session.textChanged(text: text, caret: editor.caret, regionActive: false, byHand: false)
  }

  // MARK: Keys

  /// TAB. False: readline completes.
  func tab() -> Bool {
    session.isLive = chat.preferences.settings.liveMenu
    session.maxRows = max(1, chat.preferences.settings.maxMenuRows)
    session.emojiAsCharacter = chat.preferences.settings.emojiIsCharacter
    return carryOut(
      session.tab(text: editor.text, caret: editor.caret, regionActive: editor.region != nil))
  }

  /// A key of the entered menu. False: the key is the line's.
  func takes(_ key: MenuKey) -> Bool {
    switch key {
    case .next: return carryOut(session.down())
    case .previous: return carryOut(session.up())
    case .accept: return carryOut(session.returnKey())
    case .other:
      session.leaveSelection()
      return false
    }
  }

  /// C-g or a lone Esc. False: no menu was open.
  func close() -> Bool {
    guard session.isOpen || session.hint != nil else { return false }
    return carryOut(session.escape())
  }

  private func carryOut(_ action: CompletionSession.Action) -> Bool {
    switch action {
    case .notMine: return false
    case .none: break
    case .bell: editor.bell()
    case .replace(let range, let new, let caret, let accepted):
      editor.replace(range, with: new, caret: caret)
      let mention = accepted.flatMap { accepted in
        accepted.candidate.identity.map { Span(range: accepted.range, identity: $0) }
      }
      followed.replaced(range, with: new.utf8.count, text: editor.text, accepted: mention)
    }
    return true
  }

  /// What M-Backspace takes where the caret is in a name of several words: from its start.
  func mentionWord(before caret: Int) -> Int? {
    followed.deletesWord(before: caret, in: editor.text)
  }

  /// What sources had to complain about, each once.
  func takeComplaints() -> [SafeText] { session.takeComplaints() }

  // MARK: Drawing

  /// The menu's rows.
  func rows(columns: Int) -> [StyledLine] {
    session.rows(columns: columns, widths: editor.widths)
  }

  var menu: MenuState {
    session.isEntered ? .entered : session.isOpen ? .open : .closed
  }
}
