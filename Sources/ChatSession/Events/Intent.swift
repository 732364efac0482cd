// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// What the person answered to a question.
package enum Intent: Equatable, Sendable {
  /// To go to this room, made if there is none (rule 13.4).
  case room(String)
  /// To make this room here and go to it (rule 11.7).
  case newRoom(String)
  /// To go to this conversation, which is there.
  case conversation(String)
  /// That a conversation forgets what is older than so many milliseconds (rule 7.12).
  case keep(ID<Conversation>, Milliseconds)
  /// That a room is removed (rule 13.10).
  case removal(ID<Conversation>)
}
