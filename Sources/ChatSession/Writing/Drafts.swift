// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import StyledText

/// What is being typed in a conversation, as it is stored and brought back (rule 5), and the lines
/// that were typed before (rule 1.12).
@MainActor
final class Drafts: SessionPart {
  unowned let session: Session
  /// The texts of the drafts that this shell last stored or restored.
  private var known: [ID<Conversation>: String] = [:]
  private var clock = DraftClock()
  /// The line that waits at the end of the history while one of the history is being changed. The
  /// draft becomes that one; this one then goes into the history, once: an empty text says so.
  private var live: String?
  /// The files that the store has with the draft.
  private var knownFiles = WaitingFiles()
  /// Another shell of mine added to the history, and the line was not free to be told.
  private var isHistoryStale = false

  init(_ session: Session) { self.session = session }

  /// The line may have changed: it is stored one idle second later. A line of the history that was
  /// only looked at, or that a search shows, is not what is being written.
  ///
  /// - Parameter byHand: somebody typed.
  func note(byHand: Bool = false) {
    guard session.isInteractive, !editing.isOn, !line.isAsking, line.isLive || byHand else {
      return
    }
    if line.isLive {
      live = nil
    } else if live == nil {
      live = clock.present.text
    }
    let draft = line.draft
    // A command is not a draft of a message.
    clock.changed(to: LineRules.isCommand(draft.text) ? Composer.Draft() : draft, at: now)
  }

  var deadline: Int64? { clock.deadline }

  func saveIfDue() {
    if let deadline, now >= deadline { save() }
  }

  /// Stores the draft now, unless this shell has stored it.
  func save() {
    guard clock.unsaved != nil || files.waiting != knownFiles else { return }
    write()
  }

  /// Stores the draft before the line is left. What is on the screen is stored even if this shell
  /// had stored it: another one of this person may have put its own in the place (rule 5.3).
  func leave() {
    guard !clock.present.isEmpty || !files.waiting.isEmpty else { return save() }
    write()
  }

  /// Stores the line as it is now.
  func noteAndLeave() {
    note()
    leave()
  }

  private func write() {
    guard session.isInteractive, !editing.isOn, let conversation = place.conversation?.id else {
      return
    }
    if let text = live, !text.isEmpty {
      live = ""
      outgoing.write(.history(text))
    }
    let draft = clock.present
    knownFiles = files.waiting
    clock.stored(draft)
    let isEmptied = draft.isEmpty && knownFiles.isEmpty
    outgoing.write(
      .draft(conversation, isEmptied ? nil : Conversations.Draft(draft, files: knownFiles)))
  }

  // MARK: The store

  /// Stores a draft; with nil takes away the one that the emptied line came from: another shell of
  /// this person may have stored its own.
  func store(_ draft: Conversations.Draft?, in conversation: ID<Conversation>) throws {
    if draft == nil {
      let other = try store.draft(of: me.id, in: conversation)
      guard let other, other.text == known[conversation] else { return }
    }
    try store.setDraft(draft, of: me.id, in: conversation)
    known[conversation] = draft?.text
  }

  /// Stores lines that were not sent, in their order, above the draft that is there.
  func store(_ lines: [Line], aboveDraftOf conversation: ID<Conversation>) throws {
    var draft = try store.draft(of: me.id, in: conversation)
    if let text = draft?.text, lines.contains(where: { $0.draft == text }) { draft = nil }
    for line in lines.reversed() {
      if let own = line.asDraft {
        draft = Conversations.Draft(own, files: line.files).followed(by: draft)
      } else {
        try store.appendHistory(line.typed, of: me.id, shell: session.shellID ?? "")
        // What only a command says is not a draft, but its files wait as they did.
        if !line.files.isEmpty {
          draft = Conversations.Draft(Composer.Draft(), files: line.files).followed(by: draft)
        }
      }
    }
    try store.setDraft(draft, of: me.id, in: conversation)
  }

  /// The line is being sent: its draft goes with it, and one that still waits for the store need not
  /// be written any more.
  ///
  /// - Returns: the text of the stored draft that it came from.
  func leavesWithLine(in conversation: ID<Conversation>) -> String? {
    // Should the line come back, it is not stored yet.
    if outgoing.dropDraft(of: conversation) { clock = DraftClock() }
    return known[conversation]
  }

  /// The line was sent; the store dropped its draft with it.
  func sent(_ line: Line) {
    if known[line.conversation] == line.draft { known[line.conversation] = nil }
    guard line.conversation == place.conversation?.id, !editing.isOn,
      !outgoing.hasDraft(of: line.conversation)
    else { return }
    clock.stored(Composer.Draft())
    knownFiles = WaitingFiles()
  }

  // MARK: Coming back

  /// Another conversation was entered: its draft comes into the line, if that is empty (rule 5.2).
  func restore() {
    guard session.isInteractive else { return }
    clock = DraftClock()
    live = nil
    knownFiles = WaitingFiles()
    files.areSent()
    guard let conversation = place.conversation else { return }
    known[conversation.id] = nil
    let stored = (try? store.draft(of: me.id, in: conversation.id)) ?? nil
    if let stored, !outgoing.holdsLine(ofDraft: stored.text, in: conversation.id) {
      emit(.restore(stored))
    }
    outgoing.bringBackLines(of: conversation.id)
  }

  /// The draft was put into the line.
  func restored(_ draft: Conversations.Draft) {
    guard let conversation = place.conversation?.id else { return }
    known[conversation] = draft.text
    clock = DraftClock(
      stored: Composer.Draft(draft.text, caret: draft.caret, spans: line.mentions))
    files.restore(draft.files)
    knownFiles = files.waiting
  }

  // MARK: History

  /// A line of the history is accepted: the one that waits at its end is given up, and goes into the
  /// history, if it has not yet.
  ///
  /// - Returns: whether it did.
  func leaveLiveLine() -> Bool {
    guard session.isInteractive, !editing.isOn, !line.isLive else { return false }
    let text = live ?? clock.present.text
    if text.isEmpty { return false }
    live = ""
    remember(text)
    return true
  }

  /// A line enters the input history without a message that it became.
  func remember(_ line: String) {
    outgoing.write(.history(line))
    emit(.addHistory(line))
  }

  /// How many lines of the input history a shell holds; older ones stay in the store.
  private static let historyLines = 5000

  func historyChanged() {
    isHistoryStale = true
    reloadHistoryIfStale()
  }

  /// Not while somebody walks through it or searches it.
  func reloadHistoryIfStale() {
    if isHistoryStale, line.isIdle, line.isEmpty { reloadHistory() }
  }

  func reloadHistory() {
    guard session.isInteractive, let shellID = session.shellID,
      let lines = try? store.history(of: me.id, shell: shellID, limit: Self.historyLines)
    else { return }
    isHistoryStale = false
    emit(.setHistory(lines))
  }
}
