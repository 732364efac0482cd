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
  /// draft becomes that one, and this one goes into the history.
  private var live: LiveLine?
  /// The files that the store has with the draft.
  private var knownFiles = WaitingFiles()
  /// Another shell of mine added to the history, and the line was not free to be told.
  private var isHistoryStale = false
  /// The draft that came back into the line, while the line begins with it.
  private var cameBack = ""
  /// What was taken off the line before a command was begun on it.
  private var cleared = KilledDraft()
  /// What was taken off is not forgotten with the next line: where to go is still being asked.
  private var keepsCleared = false
  /// The lines that were set aside, by conversation, the last one last (rule 13.3).
  private var aside: [ID<Conversation>: [Conversations.Draft]] = [:]
  /// When lines that were set aside are stored, in monotonic milliseconds; nil: they are.
  private var asideDeadline: Int64?
  /// Where a line was sent or run just now.
  private var runIn: ID<Conversation>?

  init(_ session: Session) { self.session = session }

  /// The line may have changed: it is stored one idle second later. A line of the history that was
  /// only looked at, or that a search shows, is not what is being written.
  ///
  /// - Parameter byHand: somebody typed.
  func note(byHand: Bool = false) {
    guard session.isInteractive, !editing.isOn, !switcher.isChoosing, !line.isAsking,
      line.isLive || byHand
    else { return }
    if line.isLive {
      live = nil
    } else if live == nil {
      live = LiveLine(text: clock.present.text)
    }
    let draft = line.draft
    if !draft.text.hasPrefix(cameBack) { cameBack = "" }
    // A command is not a draft of a message.
    let isCommand = LineRules.isCommand(draft.text)
    if !isCommand { cleared.note(draft) }
    clock.changed(to: isCommand ? LineDraft() : draft, at: now)
  }

  /// The command that the text made room for goes on in the next line, with a question.
  func keepKilledDraft() { keepsCleared = true }

  /// What stands in the line is thrown away.
  func forgetTyped() { cleared = KilledDraft() }

  var deadline: Int64? { [clock.deadline, asideDeadline].compactMap { $0 }.min() }

  func saveIfDue() {
    if let deadline, now >= deadline { save() }
  }

  /// Stores the draft now, unless this shell has stored it.
  func save() {
    guard clock.unsaved != nil || files.waiting != knownFiles || asideDeadline != nil else {
      return
    }
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

  /// The same by a command: the text that stood in the line before it is the draft (rule 13.2).
  func leaveByCommand() {
    if let text = cleared.text, session.isInteractive { clock.changed(to: text, at: now) }
    leave()
  }

  private func write() {
    guard session.isInteractive, !editing.isOn, let conversation = switcher.present?.id else {
      return
    }
    storeLiveLine()
    asideDeadline = nil
    knownFiles = files.waiting
    clock.stored(clock.present)
    outgoing.write(.draft(conversation, whole(in: conversation)))
  }

  /// The lines that were set aside, and below them the one that is being written; nil where there is
  /// nothing.
  private func whole(in conversation: ID<Conversation>) -> Conversations.Draft? {
    let isEmptied = clock.present.isEmpty && knownFiles.isEmpty
    let present = isEmptied ? nil : Conversations.Draft(clock.present, files: knownFiles)
    return Conversations.Draft.joined((aside[conversation] ?? []) + (present.map { [$0] } ?? []))
  }

  private func head(in conversation: ID<Conversation>) -> Conversations.Draft? {
    Conversations.Draft.joined(aside[conversation] ?? [])
  }

  // MARK: Set aside (rule 13.3)

  /// Puts the line away; on an empty one the last comes back.
  func setAside() {
    guard session.isInteractive, !editing.isOn, !switcher.isChoosing,
      let here = switcher.present?.id
    else { return emit(.bell) }
    guard !line.isEmpty || !files.waiting.isEmpty else {
      if !bringBackLast(in: here) { emit(.bell) }
      return
    }
    place.stopTyping()
    listLiveLine()
    if !line.isLive, live == nil, !clock.present.isEmpty {
      // It waits behind the line of the history that is on the screen.
      aside[here, default: []].append(Conversations.Draft(clock.present))
    }
    aside[here, default: []].append(Conversations.Draft(line.draft, files: files.waiting))
    files.areSent()
    (clock, live) = (DraftClock(), nil)
    asideDeadline = now + DraftClock.idle
    cleared = KilledDraft()
    emit(.swapLine(Conversations.Draft(LineDraft())))
    emit(.notice(Self.isSetAside))
  }

  /// The files of the lines that were set aside in a conversation.
  func filesSetAside(in conversation: ID<Conversation>) -> [DraftFile] {
    (aside[conversation] ?? []).flatMap(\.files)
  }

  private static let isSetAside = say("Put away; it returns after the next line")

  /// A draft that found something in the line comes back behind that.
  func putBy(_ draft: Conversations.Draft) {
    guard let here = switcher.present?.id else { return }
    aside[here, default: []].append(draft)
    asideDeadline = now + DraftClock.idle
  }

  /// False: there is none.
  private func bringBackLast(in conversation: ID<Conversation>) -> Bool {
    guard let last = aside[conversation]?.popLast() else { return false }
    emit(.noticeIsOver(Self.isSetAside))
    emit(.swapLine(last))
    return true
  }

  /// A line was sent or run there: behind it the one comes back that was set aside last.
  func lineWasRun(in conversation: ID<Conversation>?) { runIn = conversation }

  /// The next line has begun.
  func beginLine() {
    if !keepsCleared { cleared = KilledDraft() }
    keepsCleared = false
    note()
    let here = runIn.take()
    guard let here, here == switcher.present?.id, line.isEmpty, !editing.isOn else { return }
    _ = bringBackLast(in: here)
  }

  // MARK: The store

  /// Stores a draft; with nil takes away the one that the emptied line came from: another shell of
  /// this person may have stored its own.
  func store(_ draft: Conversations.Draft?, in conversation: ID<Conversation>) throws {
    if draft == nil {
      let other = try store.read { try $0.draft(of: me.id, in: conversation) }
      guard let other, other.text == known[conversation] else { return }
    }
    try store.writeDurablyIfNeeded { try $0.setDraft(draft, of: me.id, in: conversation) }
    known[conversation] = draft?.text
  }

  /// Stores lines that were not sent, in their order, above the draft that is there.
  func store(_ lines: [Line], aboveDraftOf conversation: ID<Conversation>) throws {
    var draft = try store.read { try $0.draft(of: me.id, in: conversation) }
    let own = lines.first { $0.draft != nil && $0.draft == draft?.text }
    if own != nil { draft = nil }
    for line in lines.reversed() {
      if let own = line.asDraft {
        draft = Conversations.Draft(own, files: line.files).followed(by: draft)
      } else {
        try store.write {
          try $0.appendHistory(line.typed, of: me.id, shell: session.shellID ?? "")
        }
        // What only a command says is not a draft, but its files wait as they did.
        if !line.files.isEmpty {
          draft = Conversations.Draft(LineDraft(), files: line.files).followed(by: draft)
        }
      }
    }
    if let rest = own?.rest { draft = rest.followed(by: draft) }
    try store.writeDurablyIfNeeded { try $0.setDraft(draft, of: me.id, in: conversation) }
  }

  /// The line is being sent: its draft goes with it, and one that still waits for the store need not
  /// be written any more.
  ///
  /// - Returns: the text of the stored draft that it came from, and what of that was set aside and
  ///   stays.
  func leavesWithLine(
    in conversation: ID<Conversation>
  ) -> (draft: String?, rest: Conversations.Draft?) {
    // Should the line come back, it is not stored yet.
    if outgoing.dropDraft(of: conversation) { clock = DraftClock() }
    return (known[conversation], head(in: conversation))
  }

  /// The line was sent; the store took it out of its draft in the same transaction.
  func sent(_ line: Line) {
    if known[line.conversation] == line.draft { known[line.conversation] = line.rest?.text }
    guard line.conversation == switcher.present?.id, !editing.isOn,
      !outgoing.hasDraft(of: line.conversation)
    else { return }
    clock.stored(LineDraft())
    knownFiles = WaitingFiles()
  }

  /// `/drafts clear`: what was set aside elsewhere is not brought back any more.
  func forgetAsideElsewhere() { aside = aside.filter { $0.key == switcher.present?.id } }

  // MARK: Coming back

  /// Another conversation was entered: its draft comes into the line, if that is empty (rule 5.2).
  ///
  /// - Parameter former: the one that was left by a command that ran there.
  func restore(leaving former: ID<Conversation>? = nil) {
    guard session.isInteractive else { return }
    if let former, clock.present.isEmpty, knownFiles.isEmpty { _ = aside[former]?.popLast() }
    let draft = take()
    guard let here = switcher.present?.id else { return }
    // It may be that the line is not empty.
    if aside[here]?.isEmpty != false { known[here] = nil }
    if !draft.isEmpty { emit(.restore(draft)) }
    outgoing.bringBackLines(of: here)
  }

  /// The line of the conversation that was gone to takes the place of the one that was left
  /// (rule 13.2).
  func bring() {
    guard session.isInteractive else { return }
    emit(.swapLine(take()))
  }

  /// The draft of another conversation than before, without what is set aside there.
  private func take() -> Conversations.Draft {
    listLiveLine()
    clock = DraftClock()
    live = nil
    cleared = KilledDraft()
    knownFiles = WaitingFiles()
    files.areSent()
    let nothing = Conversations.Draft(LineDraft())
    guard let here = switcher.present?.id else { return nothing }
    known[here] = nil
    guard let stored = outgoing.draft(of: here), !outgoing.holdsLine(ofDraft: stored.text, in: here)
    else { return nothing }
    known[here] = stored.text
    return head(in: here).flatMap { stored.below($0) } ?? stored
  }

  /// The draft was put into the line.
  func restored(_ draft: Conversations.Draft) {
    guard let conversation = switcher.present?.id else { return }
    if known[conversation] == nil, !draft.isEmpty { known[conversation] = draft.text }
    let present = LineDraft(draft.text, caret: draft.caret, spans: line.mentions)
    clock = DraftClock(stored: present)
    cleared = KilledDraft()
    cleared.note(present)
    cameBack = present.text
    files.restore(draft.files)
    knownFiles = files.waiting
    // A line that was set aside comes back from between others, or the line is empty now.
    if asideDeadline == nil, let whole = whole(in: conversation), whole.text != known[conversation]
    {
      write()
    }
  }

  /// The command that was typed right behind a draft that came back, without a look at it.
  func command(behindDraftIn text: String) -> Command? {
    guard !cameBack.isEmpty, text.hasPrefix(cameBack) else { return nil }
    let rest = session.preferences.unaliased(String(text.dropFirst(cameBack.count)))
    guard rest.first == "/" else { return nil }
    return Command.named(String(rest.dropFirst().prefix { !$0.isWhitespace }))
  }

  // MARK: History

  /// A line of the history is accepted: the one that waits at its end is given up, and goes into the
  /// history, if it has not yet.
  ///
  /// - Returns: whether it did.
  func leaveLiveLine() -> Bool {
    guard session.isInteractive, !editing.isOn, !line.isLive else { return false }
    if live == nil { live = LiveLine(text: clock.present.text) }
    return listLiveLine()
  }

  /// After leaving the line, Up finds what waited at the end of the history. (Until then it is the
  /// line itself.)
  ///
  /// - Returns: whether it added a text to this shell's history.
  @discardableResult
  private func listLiveLine() -> Bool {
    guard let live, !live.text.isEmpty, !live.isListed else { return false }
    storeLiveLine()
    self.live?.isListed = true
    emit(.addHistory(live.text))
    return true
  }

  private func storeLiveLine() {
    guard let live, !live.text.isEmpty, !live.isStored else { return }
    self.live?.isStored = true
    outgoing.write(.history(live.text))
  }

  /// A line enters the input history without a message that it became.
  func remember(_ line: String) {
    if Secrets.isIn(line) { return }
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
      let lines = try? store.read({
        try $0.history(of: me.id, shell: shellID, limit: Self.historyLines)
      })
    else { return }
    isHistoryStale = false
    emit(.setHistory(lines))
  }
}

/// A line that waits at the end of the history.
private struct LiveLine {
  let text: String
  /// Whether the history has it: the store's, and this shell's.
  var isStored = false
  var isListed = false
}

/// The text that was deleted to make room for a command: the line as it was before several
/// characters went at once. Letters deleted one by one are corrections.
private struct KilledDraft {
  private var last = LineDraft()
  private var beforeCut: LineDraft?

  /// Nil while something stands in the line, or nothing did.
  var text: LineDraft? { last.isEmpty ? beforeCut : nil }

  mutating func note(_ draft: LineDraft) {
    let (before, now) = (last.text.utf8.count, draft.text.utf8.count)
    if now > before { beforeCut = nil }
    if now < before, beforeCut == nil, Self.isCut(draft.text, from: last.text) { beforeCut = last }
    last = draft
  }

  /// Whether more than one character went. The line may be very long, and this is asked at each
  /// Backspace: only what went is looked at.
  private static func isCut(_ text: String, from former: String) -> Bool {
    let bytes = former.utf8.count - text.utf8.count
    // Hardly a character with its marks has more.
    guard (2...100).contains(bytes) else { return bytes > 100 }
    let start = zip(former.utf8, text.utf8).prefix { $0 == $1 }.count
    let utf8 = Array(former.utf8.dropFirst(max(0, start - 3)).prefix(bytes + 3))
    // Back to where a character begins that has its first bytes in common with the next.
    var at = min(start, 3)
    while at > 0, utf8[at] & 0xC0 == 0x80 { at -= 1 }
    return String(decoding: utf8.dropFirst(at).prefix(bytes), as: UTF8.self).count > 1
  }
}
