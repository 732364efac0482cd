// SPDX-License-Identifier: GPL-3.0-or-later
import ChatPreferences
import Composer
import Conversations
import Platform
import StyledText

/// Entered lines that wait for the store or for their files, and come back if they cannot be
/// stored.
extension Committer {
  /// How long a line waits before it comes back, in milliseconds.
  private static let linePatience: Int64 = 10_000

  package func giveBack(_ line: PendingLine, because reason: SafeText) -> [Effect] {
    let back = ReturnedLine(line: line, reason: reason)
    guard isLeaving else { return [.whenLineBegins(.lineReturned(back))] }
    // Someone who is leaving begins no other line.
    noteUnsent()
    queue.add(.returned([back], to: line.conversation))
    return []
  }

  func giveBackOldLine(at now: MonotonicTime) -> [Effect] {
    queue.takeReadyLine(since: now - Self.linePatience).map {
      giveBack($0, because: sentence(for: StoreError.locked(path: store.path)))
    } ?? []
  }

  /// C-g and `/cancel`: takes back the line that has waited longest; nil if none waits.
  package func takeBackOldestLine(at now: MonotonicTime) -> [Effect]? {
    guard let line = queue.takeFirstLine() else { return nil }
    let effects = giveBack(line, because: say("The line that waited for the store was not sent."))
    // Its files may have held up later lines, or the end of the program.
    if queue.isReady || isLeaving { scheduleRetry(at: now) }
    return effects
  }

  /// Stores a line when its files are in the store, or gives it back since they could not be stored;
  /// does nothing if the line was taken back meanwhile.
  package func copied(
    _ files: WaitingFiles, ofLine number: Int, _ outcome: FileChore.Outcome,
    at now: MonotonicTime, _ commit: () -> Void
  ) -> [Effect] {
    var effects: [Effect] = []
    do {
      let kept = try outcome.attachments(of: files)
      guard queue.filesReady(kept, copy: number) else { return [] }
    } catch {
      guard let line = queue.takeLine(copy: number) else { return [] }
      effects = giveBack(line, because: error.sentence)
    }
    queue.waitAnew(now: now)
    return effects + retry(at: now, commit)
  }

  /// Gives back the lines of a conversation that was entered before the store accepted them.
  package func giveBackLines(of conversation: ID<Conversation>) -> [Effect] {
    queue.takeReturned(to: conversation).flatMap { giveBack($0.line, because: $0.reason) }
  }

  /// Reports returned lines that were stored above the draft of their conversation. Unless the
  /// person is leaving, they know already.
  func storedReturned(_ lines: [ReturnedLine], _ widths: Widths) -> [Effect] {
    guard isLeaving else { return [] }
    return lines.map {
      let name = SafeText(name: $0.line.conversationName)
      let said =
        $0.line.asDraft != nil
        ? say("%1 Your line for %2 was saved as a draft there.", $0.reason, name)
        : say("%1 Your line for %2 is in the history.", $0.reason, name)
      return .complain([$0.line.named(in: said, widths)])
    }
  }

  /// Why the end of the program waits; nil if nothing typed is unstored.
  var waitNotice: SafeText? {
    guard queue.holdsTypedText else { return nil }
    return queue.isReady
      ? say("hobnob is waiting for the store to save your line; C-d again leaves without it")
      : say("hobnob is copying files to send your line; C-d again leaves without it")
  }

  /// What cannot be stored if the program ends now.
  var unsentLines: [PendingLine] {
    queue.writes.flatMap { write -> [PendingLine] in
      switch write {
      case .line(let line): [line]
      case .returned(let lines, _): lines.map(\.line)
      default: []
      }
    }
  }
}
