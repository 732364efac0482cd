// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import StyledText

/// Lines that come back, because they could not be stored or the person took them back.
extension Outgoing {
  /// How long a line waits before it comes back, in milliseconds.
  private static let patience: Int64 = 10_000

  func giveUpOldLine() {
    guard let line = queue.takeReadyLine(since: now - Self.patience) else { return }
    comesBack(line, because: sentence(for: StoreError.locked(path: store.path)))
  }

  func comesBack(_ line: Line, because reason: SafeText) {
    // Who leaves begins no other line.
    guard !isLeaving else { return giveBack(line, because: reason) }
    emit(.whenLineBegins(.gaveBack(line, reason)))
  }

  /// C-g and `/cancel`: the line that waits longest comes back. False: none waits.
  func takeBackLine() -> Bool {
    guard let line = queue.takeFirstLine() else { return false }
    comesBack(line, because: say("The line that waited for the store was not sent."))
    // Its files held up those behind it, or the leaving.
    if queue.isReady || isLeaving { tryAgainSoon() }
    return true
  }

  /// A line that could not be stored comes back where its conversation is open and the line is
  /// empty; elsewhere it becomes the draft of its conversation, or goes into the history.
  func giveBack(_ line: Line, because reason: SafeText) {
    let isHere = line.conversation == switcher.present?.id
    let name = SafeText(name: line.place)
    if isLeaving {
      leavesUnsent()
      write(.returned(line, reason))
    } else if isHere, self.line.isEmpty, self.line.isIdle, !editing.isOn, !switcher.isChoosing {
      complain(say("%1 Your line is back.", reason))
      emit(.put(line.typed, mentions: line.spans(in: line.typed)))
      files.bringBack(line.files)
    } else if !isHere, canBecomeDraft(line) {
      complain(say("%1 Your line for %2 is the draft there.", reason, name), line)
      write(.returned(line, reason))
    } else if isHere {
      if line.files.isEmpty {
        complain(say("%1 Your line is in the history: press Up.", reason), line)
      } else if line.typed.isEmpty {
        complain(say("%1 Your files wait again.", reason))
      } else {
        complain(
          say("%1 Your line is in the history: press Up; its files wait again.", reason), line)
      }
      drafts.remember(line.typed)
      files.bringBack(line.files)
    } else if line.files.isEmpty {
      complain(say("%1 Your line for %2 is in the history: press Up.", reason, name), line)
      drafts.remember(line.typed)
    } else {
      // The history has no files, so that it goes above the draft that is there.
      complain(say("%1 Your line for %2 waits there, with its files.", reason, name), line)
      write(.returned(line, reason))
    }
  }

  /// Whether a line can be the draft of its conversation: there is none yet.
  private func canBecomeDraft(_ line: Line) -> Bool {
    guard line.asDraft != nil, queue.draft(of: line.conversation) == nil else { return false }
    let draft = (try? store.read { try $0.draft(of: me.id, in: line.conversation) }) ?? nil
    return draft == nil || draft?.text == line.draft
  }

  /// A conversation was entered before the store took what came back of it.
  func bringBackLines(of conversation: ID<Conversation>) {
    for (line, reason) in queue.takeReturned(of: conversation) { comesBack(line, because: reason) }
  }

  /// Stores a line that came back, and all others of its conversation, above the draft there.
  func store(returned line: Line, _ reason: SafeText) throws {
    let conversation = line.conversation
    // What was typed there since comes below.
    if let waiting = queue.draft(of: conversation) { try perform(waiting) }
    _ = queue.removeDraft(of: conversation)
    let others = queue.returned(of: conversation).map(\.0)
    try drafts.store([line] + others, aboveDraftOf: conversation)
    for (line, reason) in [(line, reason)] + queue.takeReturned(of: conversation)
    where isLeaving {
      let name = SafeText(name: line.place)
      complain(
        line.asDraft != nil
          ? say("%1 Your line for %2 is the draft there.", reason, name)
          : say("%1 Your line for %2 is in the history.", reason, name), line)
    }
  }

  /// - Parameter line: what the sentence is about, where it is nowhere to be seen: of several lines
  ///   each is named by how it begins.
  private func complain(_ sentence: SafeText, _ line: Line? = nil) {
    let text = SafeText(body: line?.typed ?? "").lines.first ?? ""
    let widths = transcript.printer.options.widths
    transcript.complain([
      text.isEmpty
        ? sentence : say("%1 It begins: %2", sentence, text.truncated(to: 40, widths: widths))
    ])
  }
}
