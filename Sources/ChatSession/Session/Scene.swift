// SPDX-License-Identifier: GPL-3.0-or-later
import ChatPreferences
import ChatRendering
import Composer
import Conversations
import StyledText

/// What the parts of a session read of the whole at an event: who I am, what I have set, where I
/// am.
@MainActor
struct Scene {
  let me: Participant
  let preferences: Preferences
  /// My mutes, ignores and notify settings, the same in all of my shells (rule 7.11).
  let attention: Attention
  let outputMode: OutputMode
  let open: OpenConversation
  /// The conversation that the line belongs to.
  let present: Conversation?
  /// Monotonic milliseconds: the time of the event.
  let now: Int64
  /// This process among the running shells; nil until the store has it.
  let shell: ShellID?
  /// Whether the first prompt is not on the screen yet.
  let isStarting: Bool

  var settings: Settings { preferences.settings }
  var glyphs: Glyphs { preferences.glyphs }

  /// Whether somebody types at a terminal. If so, messages can arrive between commands, and a line
  /// can wait for the store.
  var isInteractive: Bool { outputMode != .batch }

  /// The largest file to send with a line, in bytes; 0 for none.
  var attachmentLimit: Int { settings.attachmentLimit * 1_000_000 }

  /// - Throws: ``TextTooLong`` for a text that is too long for a message (rule 1.7).
  func checkLength(of body: String) throws {
    let (count, limit) = (LineRules.characters(in: body), settings.messageLimit)
    if limit > 0, count > limit { throw TextTooLong(count: count, limit: limit) }
  }
}

extension Settings {
  /// How to read a typed line.
  package var lineRules: LineRules {
    LineRules(
      messageLimit: messageLimit, slashGuard: slashGuard,
      takesNewlines: { Command.named($0)?.takesNewlines == true })
  }
}
