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
  /// The draft of this conversation as this shell last stored or restored it.
  private var known = ""
  private var clock = DraftClock()
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

  /// The line may have changed: it is stored one idle second later.
  func note() {
    guard shell.editing == nil else { return }
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

  /// Stores the draft now, unless the store has it.
  func save() {
    guard let conversation = shell.conversation, shell.editing == nil,
      let draft = clock.unsaved ?? (shell.files == knownFiles ? nil : clock.present)
    else { return }
    let files = shell.files
    knownFiles = files
    let shell = shell
    let me = shell.me.id
    clock.stored(draft)
    // An emptied line takes away only the draft it came from: another shell of this person may
    // have stored its own (rule 5.3).
    let known = known
    self.known = draft.text
    shell.postpone("draft \(conversation.id.rawValue)") {
      let stored =
        draft.text.isEmpty && files.isEmpty
        ? nil
        : Conversations.Draft(
          text: draft.text, caret: draft.caret, spans: Span.encoded(draft.spans),
          files: files.files.map { DraftFile(path: $0.path, name: $0.name) })
      if stored == nil, let other = try shell.store.draft(of: me, in: conversation.id),
        other.text != known
      {
        return
      }
      try shell.store.setDraft(stored, of: me, in: conversation.id)
    }
  }

  /// The line was sent; the store dropped the draft with it.
  func sent() {
    clock.stored(Composer.Draft())
    knownFiles = WaitingFiles()
  }

  /// Another conversation was entered: its draft comes into the line, if that is empty (rule 5.2).
  func restore() {
    clock = DraftClock()
    known = ""
    knownFiles = WaitingFiles()
    shell.files = WaitingFiles()
    guard let conversation = shell.conversation else { return }
    let stored = (try? shell.store.draft(of: shell.me.id, in: conversation.id)) ?? nil
    editor.whenLineBegins { [self] in
      guard let stored, editor.isEmpty else { return }
      let spans = Span.decoded(stored.spans, in: stored.text)
      editor.setLine(stored.text, caret: stored.caret)
      restored(spans)
      known = stored.text
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
        editor.print([Shell.error(sentence(for: error))])
      }
    }
    knownFiles = shell.files
  }
}
