// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// A person's answer to a question: what they want.
package enum Intent: Equatable, Sendable {
  /// Open this room, and create it if it does not exist (rule 13.4).
  case room(String)
  /// Create this room and open it (rule 11.7).
  case newRoom(String)
  /// Open this existing conversation.
  case conversation(String)
  /// Make a conversation remove messages older than a number of milliseconds (rule 7.12).
  case keep(ID<Conversation>, Milliseconds)
  /// Remove a room (rule 13.10).
  case removal(ID<Conversation>)
}
