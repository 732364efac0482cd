// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import StyledText

/// Which messages of the open conversation are on the screen, and so count as read and seen (rules
/// 7.3, 7.6, 7.7).
package struct ReadState {
  /// The number of the last printed message of the open conversation.
  private(set) var printedUpTo = 0
  /// The last printed messages that may not be on the screen yet, by number.
  private var printed: [ID<Conversation>: Int] = [:]
  /// The number of the first unread message that entering did not print; nil if it printed all.
  private(set) var firstUnprinted: Int?
  /// Whether output is paused (`/pause`), and the lines held back.
  private(set) var isPaused = false
  private(set) var held = HeldLines()
  /// Whether nobody looks at new output: the terminal accepts none, or in plain mode a line is
  /// being typed.
  var isHolding = false
  var isBehind = false
  /// Whether the terminal's window has the focus, or does not report it.
  private(set) var isFocused = true
  /// Whether something was printed while nobody looked: the receipt will follow with the focus.
  private(set) var hasUnsentReadMarker = false

  /// How many messages of others were printed while the window had no focus.
  private var missed = 0
  /// Messages of others in the open conversation that nobody has looked at.
  var unseen: Int { missed + held.count }

  /// Records that another conversation was printed. Lines held back of the former are unread there.
  mutating func enter(printedUpTo: Int, firstUnprinted: Int?) {
    (self.printedUpTo, self.firstUnprinted) = (printedUpTo, firstUnprinted)
    isPaused = false
    held = HeldLines()
    hasUnsentReadMarker = false
    missed = 0
  }

  /// Call this when `/history` has shown what the entrance left out.
  mutating func forgetFirstUnprinted() { firstUnprinted = nil }

  /// Records a message that arrived in the open conversation.
  ///
  /// - Returns: false if it is on the screen already.
  mutating func isNew(_ message: Message) -> Bool {
    guard message.number > printedUpTo, !message.isRecalled else { return false }
    printedUpTo = message.number
    return true
  }

  /// Lines about an event, to print below older ones; nothing while output is paused.
  ///
  /// - Parameter new: how many messages of others are among them.
  mutating func present(_ lines: [StyledLine], new: Int) -> [StyledLine] {
    guard isPaused else {
      if !isFocused { missed += new }
      return lines
    }
    held.lines += lines
    held.count += new
    return []
  }

  /// Whether messages that arrive now, at most a screen of them, are visible at the end of this
  /// turn: the terminal accepts output.
  var showsAtOnce: Bool { isLooking && !isBehind && printed.isEmpty }

  // MARK: Holding

  /// `/pause` (rule 7.6).
  mutating func pause() { isPaused = true }

  /// Ends the pause; returns the lines held back.
  mutating func resume() -> HeldLines {
    defer { held = HeldLines() }
    isPaused = false
    return held
  }

  // MARK: Seen (rules 7.3, 7.7)

  /// Someone who paused output is not looking, and neither is someone in another window.
  var isLooking: Bool { !isPaused && isFocused }

  /// Records that the window gained or lost the focus. With the focus, everything printed meanwhile
  /// counts as seen.
  ///
  /// - Parameter isFocused: nil if unknown: then nothing counts as seen, and no receipts are sent.
  mutating func window(isFocused: Bool?) {
    self.isFocused = isFocused ?? false
    if self.isFocused { missed = 0 }
  }

  /// Records what was printed in the open conversation; it counts as read once it is on the screen.
  mutating func markSeen(in conversation: ID<Conversation>) { printed[conversation] = printedUpTo }

  /// Whether ``SessionEvent/turnEnded`` has anything to do.
  package var hasToMark: Bool { !printed.isEmpty }

  /// The same, at the end of a turn, when the terminal has accepted it.
  ///
  /// - Parameter tells: whether to send receipts.
  mutating func markPrinted(tells: Bool) -> [Write] {
    if printed.isEmpty || isBehind { return [] }
    defer { printed = [:] }
    hasUnsentReadMarker = !isFocused
    return printed.map { .shown($0, upTo: $1, tells: tells, isSeen: isFocused) }
  }
}

/// Lines held back while output was paused.
struct HeldLines {
  var lines: [StyledLine] = []
  /// How many messages of others are among them.
  var count = 0
}
