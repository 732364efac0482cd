// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox

/// When lines are a playback, which repeats what the store may have: those of a batch, and those
/// that a bouncer sends outside a batch, between the owner's arrival and the first live line.
struct Playbacks: Sendable {
  private var last = 0
  /// The playback of the direct chats, until one of them has a live line.
  private var chats: Int?

  /// The number of a new playback.
  mutating func next() -> Int {
    last += 1
    return last
  }

  /// Begins with the direct chats of a new connection.
  mutating func connect() { chats = next() }

  /// Begins with a room that the owner has entered.
  mutating func enter(_ address: String, _ rooms: inout Rooms) {
    rooms.byAddress[address]?.playback = next()
  }

  /// Notes a live line.
  mutating func end(in conversation: ConversationAddress, _ rooms: inout Rooms) {
    switch conversation {
    case .room(let address): rooms.byAddress[address]?.playback = nil
    case .direct: chats = nil
    }
  }

  /// The number of the playback that an old line outside a batch is from; nil if it is from none.
  func number(in conversation: ConversationAddress, _ rooms: Rooms) -> Int? {
    switch conversation {
    case .room(let address): rooms[address]?.playback
    case .direct: chats
    }
  }
}
