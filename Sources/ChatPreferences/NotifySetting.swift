// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import StyledText

/// `/set notify`: which messages of the open conversation notify the person. The store keeps it
/// with the person, so it is not in the table of settings.
package enum NotifySetting {
  package static let name = "notify"
  package static let values = Attention.Notify.allCases.map(\.word)
  package static var help: SafeText {
    say("for which messages of this conversation hobnob rings and notifies you")
  }

  /// The setting of a conversation; by default mentions in a room, everything in a direct chat.
  package static func value(_ attention: Attention, in conversation: Conversation)
    -> Attention.Notify
  {
    attention.notify[conversation.id] ?? (conversation.kind == .direct ? .everything : .mentions)
  }
}
