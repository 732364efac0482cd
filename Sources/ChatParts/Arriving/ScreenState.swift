// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import StyledText

/// Which messages of the open conversation are on the screen, and so count as read and seen (rules
/// 7.3, 7.6, 7.7).
package struct ScreenState {
  /// The number of the last printed message of the open conversation.
  private(set) var printedUpTo = 0
  /// By conversation, the number of the last printed message, if it may not be on the screen yet.
  private var printed: [ID<Conversation>: Int] = [:]
  /// The number of the first unread message that entering did not print; nil if it printed all.
  package private(set) var firstUnprinted: Int?
  /// Whether output is paused (`/pause`), and the lines that are held back meanwhile.
  package private(set) var isPaused = false
  package private(set) var held = HeldLines()
  /// Whether new output has to wait: the terminal accepts none, or in plain mode a line is being
  /// typed.
  package var isHolding = false
  /// Whether the terminal accepts no output at present.
  package var isBehind = false
  /// Whether the terminal's window has the focus; true if the terminal does not report it, and
  /// false while that is unknown.
  private(set) var isFocused = true
  /// Whether something was printed while the window had no focus: the receipt is sent when it gains
  /// the focus.
  private(set) var hasUnsentReadMarker = false

  /// How many messages of others, without muted ones, were printed while the window had no focus.
  private var missed = 0
  /// How many messages of others in the open conversation nobody has looked at, without muted ones.
  package var unseen: Int { missed + held.count - held.muted }

  /// Records that another conversation was printed. Lines that were held back for the previous
  /// conversation stay unread there.
  mutating func enter(printedUpTo: Int, firstUnprinted: Int?) {
    (self.printedUpTo, self.firstUnprinted) = (printedUpTo, firstUnprinted)
    isPaused = false
    held = HeldLines()
    hasUnsentReadMarker = false
    missed = 0
  }

  /// Call this when `/history` has shown the messages that were not printed at the entrance.
  mutating func forgetFirstUnprinted() { firstUnprinted = nil }

  /// Records a message that arrived in the open conversation.
  ///
  /// - Returns: whether to print it: not if it is on the screen already, or was recalled.
  mutating func recordArrival(of message: Message) -> Bool {
    guard message.number > printedUpTo, !message.isRecalled else { return false }
    printedUpTo = message.number
    return true
  }

  /// Holds lines back while output is paused.
  ///
  /// - Parameters:
  ///   - new: how many messages of others are among the lines.
  ///   - muted: how many of these are muted.
  /// - Returns: the lines to print now, below older ones.
  mutating func holdIfPaused(_ lines: [StyledLine], new: Int, muted: Int) -> [StyledLine] {
    guard isPaused else {
      if !isFocused { missed += new - muted }
      return lines
    }
    held.lines += lines
    held.count += new
    held.muted += muted
    return []
  }

  /// Whether messages that arrive now will be visible at the end of this turn, if they fit on one
  /// screen.
  var showsAtOnce: Bool { isLooking && !isBehind && printed.isEmpty }

  // MARK: Holding

  /// Pauses output, for `/pause` (rule 7.6).
  mutating func pause() { isPaused = true }

  /// Ends the pause, and returns the lines that were held back.
  mutating func resume() -> HeldLines {
    defer { held = HeldLines() }
    isPaused = false
    return held
  }

  // MARK: Seen (rules 7.3, 7.7)

  /// Someone who paused output is not looking, and neither is someone in another window.
  package var isLooking: Bool { !isPaused && isFocused }

  /// Records that the window gained or lost the focus. Once it has the focus again, everything
  /// printed without it counts as seen.
  ///
  /// - Parameter isFocused: nil if unknown; then nothing counts as seen, and no receipts are sent.
  mutating func window(isFocused: Bool?) {
    self.isFocused = isFocused ?? false
    if self.isFocused { missed = 0 }
  }

  /// Records what was printed in the open conversation; it counts as read once it is on the screen.
  mutating func notePrinted(in conversation: ID<Conversation>) {
    printed[conversation] = printedUpTo
  }

  /// Whether ``SessionEvent/turnEnded`` has anything to do.
  package var hasToMark: Bool { !printed.isEmpty }

  /// Marks printed messages as read, at the end of a turn, once the terminal has accepted the
  /// output.
  ///
  /// - Parameter sendsReceipts: whether to send receipts.
  package mutating func markPrinted(sendsReceipts: Bool) -> [Write] {
    if printed.isEmpty || isBehind { return [] }
    defer { printed = [:] }
    hasUnsentReadMarker = !isFocused
    return printed.map { .shown($0, upTo: $1, sendsReceipts: sendsReceipts, isSeen: isFocused) }
  }
}

/// Lines that were held back while output was paused.
package struct HeldLines {
  var lines: [StyledLine] = []
  /// How many messages of others are among the lines, and how many of these are muted.
  package var count = 0
  var muted = 0
}
