// SPDX-License-Identifier: GPL-3.0-or-later
import ChatPreferences
import ChatRendering
import Composer
import Conversations
import Platform
import StyledText

/// What the parts of a session read of the whole at an event: who the person is, what they
/// have set, where they are.
@MainActor
package struct Scene {
  package let me: Participant
  package let preferences: Preferences
  /// The person's mutes, ignores and notify settings, the same in all of their shells (rule 7.11).
  package let attention: Attention
  package let outputMode: OutputMode
  package let open: OpenConversation
  /// The conversation that the line belongs to.
  let present: Conversation?
  /// The time of the event.
  package let now: MonotonicTime
  /// This process among the running shells; nil until the store has it.
  package let shell: ShellID?
  /// Whether the first prompt is not on the screen yet.
  let isStarting: Bool

  package init(
    me: Participant, preferences: Preferences, attention: Attention, outputMode: OutputMode,
    open: OpenConversation, present: Conversation?, now: MonotonicTime, shell: ShellID?,
    isStarting: Bool
  ) {
    (self.me, self.preferences, self.attention) = (me, preferences, attention)
    (self.outputMode, self.open, self.present) = (outputMode, open, present)
    (self.now, self.shell, self.isStarting) = (now, shell, isStarting)
  }

  package var settings: Settings { preferences.settings }
  var glyphs: Glyphs { preferences.glyphs }

  /// Whether somebody types at a terminal. If so, messages can arrive between commands, and a line
  /// can wait for the store.
  package var isInteractive: Bool { outputMode != .batch }

  /// The largest file to send with a line, in bytes; 0 for none.
  package var attachmentLimit: Int { settings.attachmentLimit * 1_000_000 }

  /// - Throws: ``TextTooLong`` for a text that is too long for a message (rule 1.7).
  package func checkLength(of body: String) throws {
    let (count, limit) = (LineRules.characters(in: body), settings.messageLimit)
    if limit > 0, count > limit { throw TextTooLong(count: count, limit: limit) }
  }
}

/// The message is too long. The shell also rings the terminal bell.
package struct TextTooLong: Error {
  let count: Int
  let limit: Int

  package init(count: Int, limit: Int) {
    (self.count, self.limit) = (count, limit)
  }

  package var sentence: SafeText {
    say(
      "The message has %1 characters; at most %2 are allowed. Shorten it and press Return again.",
      SafeText(count), SafeText(limit))
  }
}
