// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import LineEditing
import StyledText
import Terminal

// MARK: What could not be stored (rule 1.2)

extension InteractiveShell {
  /// A line that could not be stored comes back where its conversation is open and the line is
  /// empty; elsewhere it becomes the draft of its conversation, or goes into the history.
  func giveBack(_ line: WaitingLines.Line, because reason: SafeText) {
    editor.whenLineBegins { [self] in
      let isHere = line.conversation == shell.conversation?.id
      let place = SafeText(name: line.place)
      if isLeaving {
        if exitStatus == 0 { exitStatus = 1 }
        kept.keep(line, because: reason)
      } else if isHere, editor.isEmpty, editor.isIdle, shell.editing == nil {
        answer(unsent: say("%1 Your line is back.", reason))
        put(line.typed, mentions: line.spans(in: line.typed), files: line.files)
      } else if !isHere, kept.canKeep(line) {
        answer(unsent: say("%1 Your line for %2 is the draft there.", reason, place), line)
        kept.keep(line, because: reason)
      } else if isHere {
        if line.files.isEmpty {
          answer(unsent: say("%1 Your line is in the history: press Up.", reason), line)
        } else if line.typed.isEmpty {
          answer(unsent: say("%1 Your files wait again.", reason))
        } else {
          answer(
            unsent: say("%1 Your line is in the history: press Up; its files wait again.", reason),
            line)
        }
        shell.rememberUnsent(line.typed)
        bringBack(line.files)
      } else if line.files.isEmpty {
        answer(
          unsent: say("%1 Your line for %2 is in the history: press Up.", reason, place), line)
        shell.rememberUnsent(line.typed)
      } else {
        // The history has no files, so that it goes in front of the draft that is there.
        answer(unsent: say("%1 Your line for %2 waits there, with its files.", reason, place), line)
        kept.keep(line, because: reason)
      }
    }
  }

  /// Files that were on their way wait again, in front of those that were attached since.
  func bringBack(_ files: WaitingFiles) {
    guard !files.isEmpty else { return }
    shell.files = WaitingFiles(files.files + shell.files.files)
    drafts.save()
    refresh()
  }

  /// - Parameter line: what the sentence is about, where it stands nowhere to be seen: of several lines
  ///   each is named by how it begins.
  private func answer(unsent sentence: SafeText, _ line: WaitingLines.Line? = nil) {
    let text = SafeText(body: line?.typed ?? "").lines.first ?? ""
    shell.complain([
      text.isEmpty
        ? sentence
        : say("%1 It begins: %2", sentence, text.truncated(to: 40, widths: editor.widths))
    ])
  }

  func wireKeptLines() {
    kept.isUnwritten = { [drafts] in drafts.unwritten.contains($0) }
    kept.giveBack = { [weak self] in self?.giveBack($0, because: $1) }
    kept.stored = { [weak self] line, reason, isDraft in
      guard let self, isLeaving else { return }
      let place = SafeText(name: line.place)
      answer(
        unsent:
          isDraft
          ? say("%1 Your line for %2 is the draft there.", reason, place)
          : say("%1 Your line for %2 is in the history.", reason, place), line)
    }
    locked.tried = { [weak self] isFree in
      guard let self else { return }
      if isLeaving, isFree || loop.now >= leavesBy && !shell.hasUnstoredLines { stop() }
      refresh()
    }
  }

  // MARK: Leaving

  /// How long leaving waits for a locked store, in milliseconds: somebody sits there and waits, or
  /// nobody does. For a line it waits as long as it takes.
  private var leavingPatience: Int64 { exitStatus == 0 ? 20_000 : 60_000 }

  func leave() {
    guard !isLeaving else { return }
    isLeaving = true
    locked.isLeaving = true
    kept.isLeaving = true
    leavesBy = loop.now + leavingPatience
    // The loop may end before the end of this turn.
    editor.draw()
    markPrinted()
    if shell.editing == nil {
      drafts.note()
    } else {
      // What is in the editor is no draft (rule 3.6); the draft is what was put aside.
      if let draft = completion.draftAside {
        shell.editing = nil
        drafts.note(draft)
      }
      shell.editing = nil
    }
    drafts.leave()
    _ = shell.signals.sentOrCleared(at: loop.now)
    guard shell.waiting.isEmpty, shell.tryPostponed() else {
      if shell.hasUnstoredLines {
        notice(say("What you typed is kept once the store is free; C-d again leaves without it"))
      }
      return locked.tryAgainSoon()
    }
    stop()
  }

  func stop() {
    let unsent = kept.lines.map(\.line) + shell.waiting.lines
    if !unsent.isEmpty, exitStatus == 0 { exitStatus = 1 }
    for line in unsent {
      // The last resort: what cannot be stored at least stands on the screen, all of it.
      answer(
        unsent: say("Not sent:") + " " + SafeText(body: line.typed).lines.joined(separator: " "))
    }
    loop.stop()
  }
}
