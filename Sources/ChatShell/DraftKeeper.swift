// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import LineEditing
import Terminal

/// Stores what is being typed in a conversation, and brings it back (rule 5).
@MainActor
final class DraftKeeper {
  private let shell: Shell
  private let editor: LineEditor
  private let loop: EventLoop
  /// The texts of the drafts that this shell last stored or restored.
  private var known: [ID<Conversation>: String] = [:]
  /// Whose drafts still wait for a locked store.
  private(set) var unwritten: Set<ID<Conversation>> = []
  private var clock = DraftClock()
  /// The line that waits at the end of the history while one of the history is being changed. The
  /// draft becomes that one; this one then goes into the history, once: an empty text says so.
  private var live: String?
  /// The mentions in the line.
  var spans: () -> [Span] = { [] }
  /// A draft with these mentions was put into the line.
  var restored: ([Span]) -> Void = { _ in }
  /// The files that the store has with the draft.
  private var knownFiles = WaitingFiles()
  private var timer: TimerID?

  init(shell: Shell, editor: LineEditor, loop: EventLoop) {
    self.shell = shell
    self.editor = editor
    self.loop = loop
  }

  /// The line may have changed: it is stored one idle second later. A line of the history that was
  /// only looked at, or that a search shows, is not what is being written.
  ///
  /// - Parameter byHand: somebody typed.
  func note(byHand: Bool = false) {
    guard shell.editing == nil, !editor.isAsking, editor.isLive || byHand else { return }
    if editor.isLive {
      live = nil
    } else if live == nil {
      live = clock.present.text
    }
    let text = editor.text
    // A command is no draft of a message.
    note(
      LineRules.isCommand(text)
        ? Composer.Draft() : Composer.Draft(text, caret: editor.caret, spans: spans()))
  }

  /// What waits is another text than the line: the one put aside by edit mode.
  func note(_ draft: Composer.Draft) {
    clock.changed(to: draft, at: loop.now)
    loop.schedule(&timer, at: clock.deadline) { [weak self] in self?.save() }
  }

  /// Stores the draft now, unless this shell has stored it.
  func save() {
    guard clock.unsaved != nil || shell.files != knownFiles else { return }
    write()
  }

  /// Stores the draft before the line is left. What is on the screen is stored even if this shell
  /// had stored it: another one of this person may have put its own in the place (rule 5.3).
  func leave() {
    guard !clock.present.isEmpty || !shell.files.isEmpty else { return save() }
    write()
  }

  /// A line of the history is accepted: the one that waits at its end is given up, and goes into the
  /// history, if it has not yet.
  ///
  /// - Returns: whether it did.
  func leaveLiveLine() -> Bool {
    guard shell.editing == nil, !editor.isLive else { return false }
    let text = live ?? clock.present.text
    if text.isEmpty { return false }
    live = ""
    shell.rememberUnsent(text)
    return true
  }

  private func write() {
    guard let conversation = shell.conversation?.id, shell.editing == nil else { return }
    if let text = live, !text.isEmpty {
      live = ""
      shell.rememberInStore(text)
    }
    let draft = clock.present
    let files = shell.files
    knownFiles = files
    clock.stored(draft)
    let stored = Conversations.Draft(draft, files: files)
    let (shell, me) = (shell, shell.me.id)
    let isEmptied = draft.isEmpty && files.isEmpty
    if isEmptied { unwritten.remove(conversation) } else { unwritten.insert(conversation) }
    shell.postpone(Self.key(conversation)) { [weak self] in
      if isEmptied {
        // An emptied line takes away only the draft it came from: another shell of this person may
        // have stored its own.
        let other = try shell.store.draft(of: me, in: conversation)
        guard let other, other.text == self?.known[conversation] else { return }
        try shell.store.setDraft(nil, of: me, in: conversation)
        self?.known[conversation] = nil
      } else {
        try shell.store.setDraft(stored, of: me, in: conversation)
        self?.known[conversation] = draft.text
        self?.unwritten.remove(conversation)
      }
    }
  }

  /// Under which a draft waits for a locked store.
  static func key(_ conversation: ID<Conversation>) -> String {
    keys + String(conversation.rawValue)
  }

  static let keys = "draft "

  /// The stored draft that the line came from which is being sent. One that still waits for the
  /// store need not be written any more.
  func textToSend(in conversation: ID<Conversation>) -> String? {
    // Should the line come back, it is not stored yet.
    if shell.postponed[Self.key(conversation)] != nil { clock = DraftClock() }
    shell.postponed[Self.key(conversation)] = nil
    unwritten.remove(conversation)
    return known[conversation]
  }

  /// The line was sent; the store dropped its draft with it.
  func sent(_ line: WaitingLines.Line) {
    if known[line.conversation] == line.draft { known[line.conversation] = nil }
    guard line.conversation == shell.conversation?.id, shell.editing == nil else { return }
    clock.stored(Composer.Draft())
    knownFiles = WaitingFiles()
  }

  /// Another conversation was entered: its draft comes into the line, if that is empty (rule 5.2).
  func restore() {
    clock = DraftClock()
    live = nil
    knownFiles = WaitingFiles()
    shell.files = WaitingFiles()
    guard let conversation = shell.conversation else { return }
    known[conversation.id] = nil
    let stored = (try? shell.store.draft(of: shell.me.id, in: conversation.id)) ?? nil
    editor.whenLineBegins { [self] in
      guard let stored, editor.isEmpty else { return }
      editor.setLine(stored.text, caret: stored.caret)
      // A text that holds a NUL ends there on the line.
      let spans = Span.decoded(stored.spans, in: editor.text)
      restored(spans)
      known[conversation.id] = stored.text
      clock = DraftClock(stored: Composer.Draft(stored.text, caret: stored.caret, spans: spans))
      restore(stored.files)
    }
  }
}

extension DraftKeeper {
  /// Files that were let wait; those that are gone are told.
  private func restore(_ files: [DraftFile]) {
    for file in files {
      do {
        let found = try Store.look(
          atFile: file.path, limit: shell.settings.attachmentLimit * 1_000_000)
        shell.files.add(
          WaitingFiles.File(path: file.path, name: file.name ?? found.name, bytes: found.bytes))
      } catch {
        shell.complain([sentence(for: error)])
      }
    }
    knownFiles = shell.files
  }
}
