// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import StyledText

/// What is being typed in a conversation, as it is stored and brought back (rule 5), and the lines
/// that were typed before (rule 1.12).
@MainActor
struct Drafts {
  /// The texts of the drafts that this shell last stored or restored.
  private(set) var known: [ID<Conversation>: String] = [:]
  private var clock = DraftClock()
  /// The line that waits at the end of the history while one of the history is being changed. The
  /// draft becomes that one, and this one goes into the history.
  private var live: LiveLine?
  /// The files that the store has with the draft.
  private var knownFiles = WaitingFiles()
  /// Another shell of mine added to the history, and the line was not free to be told.
  var isHistoryStale = false
  /// The draft that came back into the line, while the line begins with it.
  private var restoredText = ""
  /// What was taken off the line before a command was begun on it.
  private var killed = KilledDraft()
  /// What was taken off is not forgotten with the next line: where to go is still being asked.
  private var keepsKilled = false
  /// The lines that were set aside, by conversation, the last one last (rule 13.3).
  private var aside: [ID<Conversation>: [Conversations.Draft]] = [:]
  /// When lines that were set aside are stored, in monotonic milliseconds; nil: they are.
  private var asideDeadline: Int64?
  /// Where a line was sent or run just now.
  private var runIn: ID<Conversation>?

  var deadline: Int64? { [clock.deadline, asideDeadline].compactMap { $0 }.min() }

  /// The line may have changed: it is stored one idle second later.
  mutating func note(_ line: any SessionLine, at now: Int64) {
    if line.isLive {
      live = nil
    } else if live == nil {
      live = LiveLine(text: clock.present.text)
    }
    let draft = line.draft
    if !draft.text.hasPrefix(restoredText) { restoredText = "" }
    // A command is not a draft of a message.
    let isCommand = LineRules.isCommand(draft.text)
    if !isCommand { killed.note(draft) }
    clock.changed(to: isCommand ? LineDraft() : draft, at: now)
  }

  /// The command that the text made room for goes on in the next line, with a question.
  mutating func keepKilled() { keepsKilled = true }

  /// What stands in the line is thrown away.
  mutating func forgetTyped() { killed = KilledDraft() }

  // MARK: Storing

  /// Stores the draft now, unless this shell has stored it.
  ///
  /// - Parameters:
  ///   - files: that wait to be sent with the line.
  ///   - here: the conversation whose line it is; nil where there are no drafts.
  mutating func save(_ files: WaitingFiles, in here: ID<Conversation>?) -> [Write] {
    guard clock.unsaved != nil || files != knownFiles || asideDeadline != nil else { return [] }
    return write(files, in: here)
  }

  /// Stores the draft before the line is left. What is on the screen is stored even if this shell
  /// had stored it: another one of this person may have put its own in the place (rule 5.3).
  mutating func leave(_ files: WaitingFiles, in here: ID<Conversation>?) -> [Write] {
    clock.present.isEmpty && files.isEmpty ? save(files, in: here) : write(files, in: here)
  }

  /// A command goes elsewhere: the text that stood in the line before it is the draft (rule 13.2).
  mutating func restoreKilled(at now: Int64) {
    if let text = killed.text { clock.changed(to: text, at: now) }
  }

  private mutating func write(_ files: WaitingFiles, in here: ID<Conversation>?) -> [Write] {
    guard let here else { return [] }
    let history = storeLiveLine()
    asideDeadline = nil
    knownFiles = files
    clock.stored(clock.present)
    return history + [.draft(here, whole(in: here))]
  }

  /// A draft was stored, or removed.
  mutating func noteStored(_ text: String?, in conversation: ID<Conversation>) {
    known[conversation] = text
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

  /// Puts the line away.
  mutating func setAside(
    _ line: any SessionLine, _ files: WaitingFiles, in here: ID<Conversation>, at now: Int64
  ) -> Step {
    var step = listLiveLine()
    if !line.isLive, live == nil, !clock.present.isEmpty {
      // It waits behind the line of the history that is on the screen.
      aside[here, default: []].append(Conversations.Draft(clock.present))
    }
    aside[here, default: []].append(Conversations.Draft(line.draft, files: files))
    (clock, live) = (DraftClock(), nil)
    asideDeadline = now + DraftClock.idle
    killed = KilledDraft()
    step.outcomes += [
      .effect(.swapLine(Conversations.Draft(LineDraft()))), .inPassing(Self.isSetAside),
    ]
    return step
  }

  /// The files of the lines that were set aside in a conversation.
  func filesSetAside(in conversation: ID<Conversation>) -> [DraftFile] {
    (aside[conversation] ?? []).flatMap(\.files)
  }

  private static let isSetAside = say("Put away; it returns after the next line")

  /// A draft that found something in the line comes back behind that.
  mutating func stash(
    _ draft: Conversations.Draft, in here: ID<Conversation>, at now: Int64
  ) {
    aside[here, default: []].append(draft)
    asideDeadline = now + DraftClock.idle
  }

  /// The line that was set aside last comes back; nil: there is none.
  mutating func bringBackLast(in conversation: ID<Conversation>) -> [Effect]? {
    guard let last = aside[conversation]?.popLast() else { return nil }
    return [.noticeIsOver(Self.isSetAside), .swapLine(last)]
  }

  /// A line was sent or run there: behind it the one comes back that was set aside last.
  mutating func lineWasRun(in conversation: ID<Conversation>?) { runIn = conversation }

  /// The next line has begun.
  ///
  /// - Returns: where a line was sent or run just now.
  mutating func beginLine() -> ID<Conversation>? {
    if !keepsKilled { killed = KilledDraft() }
    keepsKilled = false
    return runIn.take()
  }

  /// `/drafts clear`: what was set aside elsewhere is not brought back any more.
  mutating func forgetAside(elsewhereThan here: ID<Conversation>?) {
    aside = aside.filter { $0.key == here }
  }

  // MARK: Sending

  /// The line is being sent: its draft goes with it.
  ///
  /// - Parameter wasWaiting: a draft still waited for the store, and need not be written any more.
  /// - Returns: the text of the stored draft that it came from, and what of that was set aside and
  ///   stays.
  mutating func leavesWithLine(
    in conversation: ID<Conversation>, wasWaiting: Bool
  ) -> (draft: String?, rest: Conversations.Draft?) {
    // Should the line come back, it is not stored yet.
    if wasWaiting { clock = DraftClock() }
    return (known[conversation], head(in: conversation))
  }

  /// The line was sent; the store took it out of its draft in the same transaction.
  ///
  /// - Parameter isDone: nothing else is being written there.
  mutating func sent(_ line: Line, isDone: Bool) {
    if known[line.conversation] == line.draft { known[line.conversation] = line.rest?.text }
    guard isDone else { return }
    clock.stored(LineDraft())
    knownFiles = WaitingFiles()
  }

  // MARK: Coming back

  /// A command that ran in a conversation leaves it: unless something was typed there, the line that
  /// was set aside last is that command's.
  mutating func leaves(_ former: ID<Conversation>) {
    if clock.present.isEmpty, knownFiles.isEmpty { _ = aside[former]?.popLast() }
  }

  /// Whether lines wait there that were set aside.
  func hasAside(in conversation: ID<Conversation>) -> Bool { aside[conversation]?.isEmpty == false }

  mutating func forgetKnown(in conversation: ID<Conversation>) { known[conversation] = nil }

  /// The draft of another conversation than before, without what is set aside there; the step is about
  /// the line that was left.
  ///
  /// - Parameter stored: the draft that the store has, or gets.
  mutating func take(
    _ stored: Conversations.Draft?, in here: ID<Conversation>?
  ) -> (draft: Conversations.Draft, step: Step) {
    let step = listLiveLine()
    clock = DraftClock()
    live = nil
    killed = KilledDraft()
    knownFiles = WaitingFiles()
    guard let here else { return (Conversations.Draft(LineDraft()), step) }
    known[here] = stored?.text
    guard let stored else { return (Conversations.Draft(LineDraft()), step) }
    return (head(in: here).flatMap { stored.below($0) } ?? stored, step)
  }

  /// The draft was put into the line.
  mutating func restored(
    _ draft: Conversations.Draft, mentions: [Span], in here: ID<Conversation>
  ) {
    if known[here] == nil, !draft.isEmpty { known[here] = draft.text }
    let present = LineDraft(draft.text, caret: draft.caret, spans: mentions)
    clock = DraftClock(stored: present)
    killed = KilledDraft()
    killed.note(present)
    restoredText = present.text
  }

  /// Its files wait again. A line that was set aside comes back from between others, or the line is
  /// empty now: then the rest is stored.
  mutating func restored(_ files: WaitingFiles, in here: ID<Conversation>) -> [Write] {
    knownFiles = files
    guard asideDeadline == nil, let whole = whole(in: here), whole.text != known[here] else {
      return []
    }
    return write(files, in: here)
  }

  /// What was typed right behind a draft that came back, without a look at it.
  func textBehindDraft(in text: String) -> String? {
    restoredText.isEmpty || !text.hasPrefix(restoredText)
      ? nil : String(text.dropFirst(restoredText.count))
  }

  // MARK: History

  /// A line of the history is accepted: the one that waits at its end is given up, and goes into the
  /// history, if it has not yet.
  mutating func leaveLiveLine() -> Step {
    if live == nil { live = LiveLine(text: clock.present.text) }
    return listLiveLine()
  }

  /// After leaving the line, Up finds what waited at the end of the history. (Until then it is the
  /// line itself.)
  private mutating func listLiveLine() -> Step {
    guard let live, !live.text.isEmpty, !live.isListed else { return Step() }
    let writes = storeLiveLine()
    self.live?.isListed = true
    return Step(writes: writes, [.effect(.addHistory(live.text))])
  }

  private mutating func storeLiveLine() -> [Write] {
    guard let live, !live.text.isEmpty, !live.isStored else { return [] }
    self.live?.isStored = true
    return [.history(live.text)]
  }

  /// A line enters the input history without a message that it became.
  static func remember(_ line: String) -> Step {
    Secrets.isIn(line) ? Step() : Step(writes: [.history(line)], [.effect(.addHistory(line))])
  }
}

/// A line that waits at the end of the history.
private struct LiveLine {
  let text: String
  /// Whether the history has it: the store's, and this shell's.
  var isStored = false
  var isListed = false
}
