// SPDX-License-Identifier: GPL-3.0-or-later
import Sentences
import Storage

/// The rooms that a program has said the owner is in. hobnob stores nothing of others.
struct KnownRooms {
  private(set) var rooms: Set<String> = []

  mutating func insert(_ room: String) { rooms.insert(room) }

  /// - Throws: ``BridgeFault`` for a message of a room that the program has not told of.
  mutating func note(_ line: BridgeLine) throws(BridgeFault) {
    switch line.type {
    case "room": rooms.insert(line[.room].text ?? "")
    case "left", "lost": rooms.remove(line[.room].text ?? "")
    case "message":
      guard let room = line[.conversation][.room].text, !rooms.contains(room) else { return }
      throw BridgeFault(
        filled(
          (
            "a message of the room %1 comes before the line “room” for it; hobnob does not store it",
            [room]
          )))
    default: break
    }
  }
}
