// SPDX-License-Identifier: GPL-3.0-or-later
import ChatPreferences
import ChatRendering
import Conversations
import StyledText

/// The target of `+:` while it is typed: the message that was the newest when typing began (rule
/// 7.8), even if others arrive meanwhile.
package struct ReactionTarget {
  package private(set) var message: Message?

  /// Notes that the text of the line changed.
  ///
  /// - Returns: a sentence about the target, to show.
  mutating func noteChange(
    of text: String, widths: Widths, newest: () -> Message?
  ) -> SafeText? {
    guard text.hasPrefix("+:") || text.hasPrefix("+") && !text.isASCII else {
      message = nil
      return nil
    }
    if message == nil { message = newest() }
    guard let message else { return nil }
    let first = SafeText(body: message.shownBody).lines.first ?? SafeText()
    return say(
      "Reaction to [%1] %2: %3", SafeText(message.number), SafeText(name: message.senderName),
      first.truncated(to: 40, widths: widths))
  }

  mutating func forget() { message = nil }

  /// The message that a reaction would go to now: the newest that has been sent.
  package static func newestMessage(
    in conversation: ID<Conversation>?, for me: ID<Participant>, _ printer: MessagePrinter,
    _ snapshot: borrowing Snapshot
  ) -> Message? {
    guard let conversation else { return nil }
    let newest = try? snapshot.messages(in: conversation, limit: 20, for: me)
    return newest?.last { $0.deletedAt == nil && $0.state >= .sent && !printer.hides($0) }
  }
}
