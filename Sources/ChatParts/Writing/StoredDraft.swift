// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import Platform

/// The draft that the line is, and what the store has of it (rule 5).
package struct StoredDraft {
  /// The texts of the drafts that this shell last stored or restored.
  package var known: [ID<Conversation>: String] = [:]
  private var clock = DraftClock()
  private var files = WaitingFiles()
  /// The draft restored into the line, while the line begins with it.
  private var restoredText = ""

  var deadline: MonotonicTime? { clock.deadline.map { MonotonicTime(milliseconds: $0) } }
  var text: LineDraft { clock.present }

  /// The draft to store; nil without text and files.
  var draft: Conversations.Draft? { isEmpty ? nil : Conversations.Draft(text, files: files) }

  var isEmpty: Bool { text.isEmpty && files.isEmpty }

  /// Notes the text to keep, which is that of the line. A command is not the draft of a message.
  mutating func note(_ line: LineDraft, at now: MonotonicTime) {
    if !line.text.hasPrefix(restoredText) { restoredText = "" }
    clock.changed(to: LineRules.isCommand(line.text) ? LineDraft() : line, at: now.milliseconds)
  }

  /// Whether this shell has not stored the text, or these files with it.
  func isUnsaved(with files: WaitingFiles) -> Bool {
    clock.unsaved != nil || files != self.files
  }

  /// Records that the text and these files are about to be stored.
  mutating func noteWritten(with files: WaitingFiles) {
    self.files = files
    clock.stored(clock.present)
  }

  /// Call this when the line belongs to another conversation, or its text was set aside.
  mutating func beginLine() { (clock, files) = (DraftClock(), WaitingFiles()) }

  /// Forgets that the text was to be stored, since it never reached the store: if the line comes
  /// back, it must be stored.
  mutating func forgetText() { clock = DraftClock() }

  /// Records that a line was sent; the same transaction removed it from its draft.
  ///
  /// - Parameter isDone: whether nothing else is being written there.
  mutating func sent(_ line: PendingLine, isDone: Bool) {
    if known[line.conversation] == line.draft { known[line.conversation] = line.rest?.text }
    guard isDone else { return }
    clock.stored(LineDraft())
    files = WaitingFiles()
  }

  mutating func restored(_ text: LineDraft) {
    clock = DraftClock(stored: text)
    restoredText = text.text
  }

  /// Records that the files of the restored draft are attached again.
  mutating func restored(_ files: WaitingFiles) { self.files = files }

  /// The text that somebody typed right after a restored draft without looking at the draft.
  package func textAfterDraft(in text: String) -> String? {
    restoredText.isEmpty || !text.hasPrefix(restoredText)
      ? nil : String(text.dropFirst(restoredText.count))
  }
}
