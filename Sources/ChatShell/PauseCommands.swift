// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import StyledText

/// What would have been printed, had printing not been held.
struct HeldLines {
  var lines: [StyledLine] = []
  /// Messages of others among them.
  var count = 0
}

/// `/pause` and `/bottom`: printing held, and let go again (rule 7.6).
extension Shell {
  func pause(_ argument: String) throws {
    guard argument.isEmpty else { throw usage("pause") }
    guard !isPaused else { return tell(say("Printing is held already; /bottom goes on.")) }
    let conversation = try requireConversation()
    isPaused = true
    if backlog != nil { held.count = unreadHere }
    // What is held shows its sender's name, whatever stands above it then.
    printer.endRun()
    tellOthers(conversation)
    tell(say("Printing is held; /bottom goes on, and so does sending."))
    face?.refresh()
  }

  func bottom(_ argument: String) throws {
    guard argument.isEmpty else { throw usage("bottom") }
    guard isPaused else { return tell(say("Printing is not held; /pause holds it.")) }
    let count = held.count
    letGo()
    catchUp()
    if count == 0 { face?.notice(say("Nothing came meanwhile")) }
  }

  /// Shows lines that came from elsewhere, or keeps them while printing is held.
  func present(_ lines: [StyledLine], new: Int) {
    if isPaused {
      held.lines += lines
      held.count += new
    } else if !lines.isEmpty {
      face?.show(lines)
    }
  }

  /// Prints what was held, in its order. Nothing where nothing is held.
  func letGo() {
    guard isPaused else { return }
    isPaused = false
    let held = held
    self.held = HeldLines()
    present(held.lines, new: held.count)
    printer.endRun()
    if let conversation {
      tellOthers(conversation)
      if held.count > 0 || owesSeen { markSeen(conversation) }
    }
    face?.refresh()
  }

  /// Whoever holds printing does not look on, nor who works in another window (rule 7.3).
  var isLooking: Bool { !isPaused && isFocused }

  /// The window gained or lost the focus. What was printed meanwhile is seen from now on.
  func take(focus isFocused: Bool) {
    self.isFocused = isFocused
    guard let conversation else { return }
    tellOthers(conversation)
    if isLooking, owesSeen { markSeen(conversation) }
  }

  private func tellOthers(_ conversation: Conversation) {
    guard shellID != nil else { return }
    let isLooking = isLooking
    postpone("open") { [store] in try store.open(conversation.id, paused: !isLooking) }
  }
}
