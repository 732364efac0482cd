// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import StyledText

/// Stores and restores the line being typed in a conversation (rule 5), and keeps the lines typed
/// before (rule 1.12).
@MainActor
struct Drafts {
  /// The texts of the drafts that this shell last stored or restored.
  private(set) var known: [ID<Conversation>: String] = [:]
  private var clock = DraftClock()
  /// The line that waits at the end of the history while the person changes an older line. The
  /// changed line becomes the draft, and the waiting line enters the history.
  private var live: LiveLine?
  /// The files of the draft in the store.
  private var knownFiles = WaitingFiles()
  /// Whether another shell of mine added to the history while the line was busy.
  var isHistoryStale = false
  /// The draft restored into the line, while the line begins with it.
  private var restoredText = ""
  /// The text removed from the line before a command was begun.
  private var killed = KilledDraft()
  /// Whether that text is kept through the next line, because a question about the destination is
  /// open.
  private var keepsKilled = false
  /// The lines that were set aside, by conversation, the latest last (rule 13.3).
  private var aside: [ID<Conversation>: [Conversations.Draft]] = [:]
  /// When to store a draft that was set aside, in monotonic milliseconds; nil once stored.
  private var asideDeadline: Int64?
  /// The conversation where a line was just sent or run.
  private var runIn: ID<Conversation>?

  var deadline: Int64? { [clock.deadline, asideDeadline].compactMap { $0 }.min() }

  /// Notes that the line may have changed. The draft is stored after one idle second.
  mutating func note(_ line: any SessionLine, at now: Int64) {
    if line.isLive {
      live = nil
    } else if live == nil {
      live = LiveLine(text: clock.present.text)
    }
    let draft = line.draft
    if !draft.text.hasPrefix(restoredText) { restoredText = "" }
    // A command is not the draft of a message.
    let isCommand = LineRules.isCommand(draft.text)
    if !isCommand { killed.note(draft) }
    clock.changed(to: isCommand ? LineDraft() : draft, at: now)
  }

  /// Keeps the removed text while the command asks a question in the next line.
  mutating func keepKilled() { keepsKilled = true }

  /// Call this when the person emptied the line, so that no command brings its text back.
  mutating func forgetKilled() { killed = KilledDraft() }

  // MARK: Storing

  /// Stores the draft now, unless this shell has stored it.
  ///
  /// - Parameters:
  ///   - files: to send with the line.
  ///   - here: the conversation whose line it is; nil if the line is not a draft.
  mutating func save(_ files: WaitingFiles, in here: ID<Conversation>?) -> [Write] {
    guard clock.unsaved != nil || files != knownFiles || asideDeadline != nil else { return [] }
    return write(files, in: here)
  }

  /// Stores the draft before the person leaves the line. Stores it even if this shell has done so
  /// before: another shell of this person may have replaced it (rule 5.3).
  mutating func leave(_ files: WaitingFiles, in here: ID<Conversation>?) -> [Write] {
    clock.present.isEmpty && files.isEmpty ? save(files, in: here) : write(files, in: here)
  }

  /// Makes the text that the line had before a command the draft, since that command switches
  /// conversations (rule 13.2).
  mutating func restoreKilled(at now: Int64) {
    if let text = killed.text { clock.changed(to: text, at: now) }
  }

  private mutating func write(_ files: WaitingFiles, in here: ID<Conversation>?) -> [Write] {
    guard let here else { return [] }
    let history = storeLiveLine()
    asideDeadline = nil
    knownFiles = files
    clock.stored(clock.present)
    return history + [.draft(here, combinedDraft(in: here))]
  }

  /// Records that a draft was stored or removed.
  mutating func noteStored(_ text: String?, in conversation: ID<Conversation>) {
    known[conversation] = text
  }

  /// The lines that were set aside, and below them the current one; nil if all are empty.
  private func combinedDraft(in conversation: ID<Conversation>) -> Conversations.Draft? {
    let isEmptied = clock.present.isEmpty && knownFiles.isEmpty
    let present = isEmptied ? nil : Conversations.Draft(clock.present, files: knownFiles)
    return Conversations.Draft.joined((aside[conversation] ?? []) + (present.map { [$0] } ?? []))
  }

  /// The lines that were set aside, as one draft.
  private func asideDraft(in conversation: ID<Conversation>) -> Conversations.Draft? {
    Conversations.Draft.joined(aside[conversation] ?? [])
  }

  // MARK: Set aside (rule 13.3)

  /// Sets the line aside, and stores it at once, since it leaves the screen (rule 5.1).
  mutating func setAside(
    _ line: any SessionLine, _ files: WaitingFiles, in here: ID<Conversation>
  ) -> Step {
    var step = listLiveLine()
    if !line.isLive, live == nil, !clock.present.isEmpty {
      // The line at the end of the history waits below the one on the screen: set it aside as well.
      aside[here, default: []].append(Conversations.Draft(clock.present))
    }
    aside[here, default: []].append(Conversations.Draft(line.draft, files: files))
    (clock, live) = (DraftClock(), nil)
    killed = KilledDraft()
    step.writes += write(WaitingFiles(), in: here)
    step.outcomes += [
      .effect(.swapLine(Conversations.Draft(LineDraft()))), .shortNotice(Self.isSetAside),
    ]
    return step
  }

  /// The files of the lines that were set aside in a conversation.
  func filesSetAside(in conversation: ID<Conversation>) -> [DraftFile] {
    (aside[conversation] ?? []).flatMap(\.files)
  }

  private static let isSetAside = say("Line set aside; it comes back after you send the next one")

  /// Sets aside a draft that cannot come back because the line has text; it comes back after that
  /// text.
  mutating func stash(
    _ draft: Conversations.Draft, in here: ID<Conversation>, at now: Int64
  ) {
    aside[here, default: []].append(draft)
    asideDeadline = now + DraftClock.idle
  }

  /// Brings back the line that was set aside last; nil if no line was set aside.
  mutating func bringBackLast(in conversation: ID<Conversation>) -> [Effect]? {
    guard let last = aside[conversation]?.popLast() else { return nil }
    return [.endNotice(Self.isSetAside), .swapLine(last)]
  }

  /// Records that a line was sent or run in a conversation: the next line there is the one that was
  /// set aside last.
  mutating func lineWasRun(in conversation: ID<Conversation>?) { runIn = conversation }

  /// Call this when the next line has begun.
  ///
  /// - Returns: where a line was just sent or run.
  mutating func beginLine() -> ID<Conversation>? {
    if !keepsKilled { killed = KilledDraft() }
    keepsKilled = false
    return runIn.take()
  }

  /// `/drafts clear`: lines that were set aside elsewhere do not come back.
  mutating func forgetAside(elsewhereThan here: ID<Conversation>?) {
    aside = aside.filter { $0.key == here }
  }

  // MARK: Sending

  /// Call this before sending the line, which removes its draft.
  ///
  /// - Parameter wasWaiting: whether a draft still waited for the store, which is now unnecessary.
  /// - Returns: the text of the stored draft that the line came from, and the part of the draft to
  ///   keep, which was set aside.
  mutating func takeForSending(
    in conversation: ID<Conversation>, wasWaiting: Bool
  ) -> (draft: String?, rest: Conversations.Draft?) {
    // The draft never reached the store: if the line comes back, it must be stored.
    if wasWaiting { clock = DraftClock() }
    return (known[conversation], asideDraft(in: conversation))
  }

  /// Records that the line was sent; the same transaction removed it from its draft.
  ///
  /// - Parameter isDone: whether nothing else is being written there.
  mutating func sent(_ line: Line, isDone: Bool) {
    if known[line.conversation] == line.draft { known[line.conversation] = line.rest?.text }
    guard isDone else { return }
    clock.stored(LineDraft())
    knownFiles = WaitingFiles()
  }

  // MARK: Coming back

  /// Records that a command switched away from `former`. If nothing else was typed there, the line
  /// that was set aside last only made room for this command: it is the draft there, and no longer
  /// set aside.
  mutating func noteCommandLeft(_ former: ID<Conversation>) {
    if clock.present.isEmpty, knownFiles.isEmpty { _ = aside[former]?.popLast() }
  }

  /// Whether lines that were set aside wait there.
  func hasAside(in conversation: ID<Conversation>) -> Bool { aside[conversation]?.isEmpty == false }

  mutating func forgetKnown(in conversation: ID<Conversation>) { known[conversation] = nil }

  /// Returns the draft of the conversation that the line now belongs to, without the lines that
  /// were set aside there, and a step that adds the waiting line of the previous one to the
  /// history.
  ///
  /// - Parameter stored: the draft that the store has, or will have.
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
    return (asideDraft(in: here).flatMap { stored.below($0) } ?? stored, step)
  }

  /// Records that the draft is in the line.
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

  /// Records that the files of the restored draft are attached again. Stores the draft if it
  /// differs from the stored one: a line that was set aside may have come back from between others,
  /// or the line may be empty now.
  mutating func restored(_ files: WaitingFiles, in here: ID<Conversation>) -> [Write] {
    knownFiles = files
    guard asideDeadline == nil, let whole = combinedDraft(in: here), whole.text != known[here]
    else {
      return []
    }
    return write(files, in: here)
  }

  /// The text that somebody typed right after a restored draft without looking at the draft.
  func textAfterDraft(in text: String) -> String? {
    restoredText.isEmpty || !text.hasPrefix(restoredText)
      ? nil : String(text.dropFirst(restoredText.count))
  }

  // MARK: History

  /// Call this when the person accepted an older line of the history: the line that waits at its
  /// end enters the history, unless it is there already.
  mutating func leaveLiveLine() -> Step {
    if live == nil { live = LiveLine(text: clock.present.text) }
    return listLiveLine()
  }

  /// Adds the line that waited at the end of the history to the history, so that Up finds it once
  /// the person has left it. (Until then it is the line itself.)
  private mutating func listLiveLine() -> Step {
    guard let live, !live.text.isEmpty, !live.isListed, !Secrets.isIn(live.text) else {
      return Step()
    }
    let writes = storeLiveLine()
    self.live?.isListed = true
    return Step(writes: writes, [.effect(.addHistory(live.text))])
  }

  private mutating func storeLiveLine() -> [Write] {
    guard let live, !live.text.isEmpty, !live.isStored, !Secrets.isIn(live.text) else { return [] }
    self.live?.isStored = true
    return [.history(live.text)]
  }

  /// Adds a line to the input history without sending it.
  static func remember(_ line: String) -> Step {
    Secrets.isIn(line) ? Step() : Step(writes: [.history(line)], [.effect(.addHistory(line))])
  }
}

/// A line that waits at the end of the history.
private struct LiveLine {
  let text: String
  /// Whether the history of the store, and of this shell, has it.
  var isStored = false
  var isListed = false
}
