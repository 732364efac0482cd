// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import StyledText

/// What of the open conversation is on the screen, and so is read and counts as seen (rules 7.3, 7.6,
/// 7.7).
package struct ReadState {
  /// The number up to which the open conversation was printed.
  private(set) var printedUpTo = 0
  /// What was printed and is not on the screen yet, for all that is known: up to which number.
  private var printed: [ID<Conversation>: Int] = [:]
  /// The number of the first unread message that entering did not print; nil: it printed all.
  private(set) var firstUnprinted: Int?
  /// Printing is held (`/pause`), and what is held.
  private(set) var isPaused = false
  private(set) var held = HeldLines()
  /// What comes is not looked at: the terminal takes nothing, or a line is being typed in plain mode.
  var isHolding = false
  var isBehind = false
  /// The terminal's window has the focus, or does not tell.
  private(set) var isFocused = true
  /// Something was printed while nobody looked: the others are told with the focus.
  private(set) var hasUnsentReadMarker = false

  /// Another conversation was printed. What is held of the former is unread there.
  mutating func enter(printedUpTo: Int, firstUnprinted: Int?) {
    (self.printedUpTo, self.firstUnprinted) = (printedUpTo, firstUnprinted)
    isPaused = false
    held = HeldLines()
    hasUnsentReadMarker = false
  }

  /// `/history` shows what the entrance did not print, once.
  mutating func forgetFirstUnprinted() { firstUnprinted = nil }

  /// A message in the open conversation arrived.
  ///
  /// - Returns: false where it is on the screen already.
  mutating func isNew(_ message: Message) -> Bool {
    guard message.number > printedUpTo, !message.isRecalled else { return false }
    printedUpTo = message.number
    return true
  }

  /// Lines about what happened, to be printed below what is older; nothing while printing is held.
  ///
  /// - Parameter new: how many messages of others there are among them.
  mutating func present(_ lines: [StyledLine], new: Int) -> [StyledLine] {
    guard isPaused else { return lines }
    held.lines += lines
    held.count += new
    return []
  }

  /// Whether messages that come now, no more than a screen of them, are before somebody's eyes at the
  /// end of this turn: the terminal takes what is printed.
  var showsAtOnce: Bool { isLooking && !isBehind && printed.isEmpty }

  // MARK: Holding

  /// `/pause` (rule 7.6).
  mutating func pause() { isPaused = true }

  /// What was held is printed.
  mutating func resume() -> HeldLines {
    defer { held = HeldLines() }
    isPaused = false
    return held
  }

  // MARK: Seen (rules 7.3, 7.7)

  /// Who holds printing does not look on, nor who works in another window.
  var isLooking: Bool { !isPaused && isFocused }

  /// The window gained or lost the focus. What was printed meanwhile is seen from now on.
  ///
  /// - Parameter isFocused: nil while it is not known: then nothing counts as seen, and nobody is
  ///   told anything.
  mutating func window(isFocused: Bool?) { self.isFocused = isFocused ?? false }

  /// What was printed in the open conversation is read as soon as it is on the screen.
  mutating func markSeen(in conversation: ID<Conversation>) { printed[conversation] = printedUpTo }

  /// Whether ``SessionEvent/turnEnded`` has something to do.
  package var hasToMark: Bool { !printed.isEmpty }

  /// The same, at the end of a turn: the terminal has taken it.
  ///
  /// - Parameter tells: whether the others may know.
  mutating func markPrinted(tells: Bool) -> [Write] {
    if printed.isEmpty || isBehind { return [] }
    defer { printed = [:] }
    hasUnsentReadMarker = !isFocused
    return printed.map { .shown($0, upTo: $1, tells: tells, isSeen: isFocused) }
  }
}

/// What would have been printed, had printing not been held.
struct HeldLines {
  var lines: [StyledLine] = []
  /// Messages of others among them.
  var count = 0
}
