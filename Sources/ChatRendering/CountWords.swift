// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import StyledText

extension Unread {
  /// `12`, and `3!` if a message in a room mentions the person.
  package var mark: SafeText {
    SafeText(count) + (conversation.kind == .room && isForMe ? "!" : "")
  }

  /// Messages for the person stand out.
  package func style(accent: Color?) -> Style {
    isForMe ? Style(.bold, foreground: accent) : .plain
  }
}

extension DeliveryCounts {
  /// `seen by 2 of 3`, while only some of several recipients have the message (rule 7.2).
  package var words: SafeText? {
    guard recipients > 1, state < .seen else { return nil }
    if seen > 0 { return say("seen by %1 of %2", SafeText(seen), SafeText(recipients)) }
    guard delivered > 0, state < .delivered else { return nil }
    return say("delivered to %1 of %2", SafeText(delivered), SafeText(recipients))
  }
}
