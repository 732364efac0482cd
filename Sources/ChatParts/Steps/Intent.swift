// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// A person's answer to a question: what they want.
package enum Intent: Equatable, Sendable {
  /// Open this room, and create it if it does not exist (rule 13.4).
  case room(String)
  /// Create this room and open it (rule 11.7).
  case newRoom(String)
  /// Join this room on this machine or on a network, and remember which for the names of further
  /// rooms (rule 11.2).
  case roomSide(String, RoomSide)
  /// Run this command line, which now says which room or person it means.
  case line(String)
  /// Open this existing conversation.
  case conversation(String)
  /// Make a conversation remove messages older than a number of milliseconds (rule 7.12).
  case keep(ID<Conversation>, Milliseconds)
  /// Remove a room (rule 13.10).
  case removal(ID<Conversation>)
  /// Send to this conversation without encryption from now on (rule 14.15).
  case unencrypted(Conversation)
  /// Remove one of the devices of this account's owner, by its number (rule 14.17).
  case deviceRemoval(Int, of: Account)
  /// Leave everything as it is.
  case nothing
  /// Type the key, which is no answer.
  case typing
  /// Send the file at this path with the next message (rule 1.9).
  case attach(path: String)
  /// Type this text, which was pasted.
  case paste(String)
  /// Empty the line (rule 1.6).
  case clear
  /// Send the long text of the line (rule 1.9).
  case send(LongTextForm)
}

package enum LongTextForm: Sendable { case text, file }

/// Where `/join #tea` looks for a room that is not known yet: the value of an account's option
/// `rooms` (rule 11.2).
package enum RoomSide: String, CaseIterable, Sendable {
  case network, here

  package static let option = "rooms"
}
