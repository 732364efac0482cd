// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Glibc
import NetworkInbox
import Platform
import Repeatable

/// A store to measure with: ten rooms, twenty people, `messages` messages in the past months.
struct BenchStore {
  let path: String

  private static let words = [
    "hello", "tea", "the", "build", "is", "green", "again", "who", "wants", "lunch", "today",
    "naïve", "über", "漢字", "привет", "🎉", "at", "noon", "by", "the", "lake",
  ]

  /// - Parameter names: how many more people there are; each of their names begins with the whole
  ///   alphabet.
  static func make(
    in folder: ScratchFolder, named name: String, messages: Int, names: Int = 0
  ) throws -> BenchStore {
    let path = "\(folder.path)/\(name)/store.sqlite"
    try fill(path, messages: messages, names: names)
    return BenchStore(path: path)
  }

  private static func fill(_ path: String, messages: Int, names: Int) throws {
    let folder = path.split(separator: "/").dropLast().joined(separator: "/")
    mkdir("/" + folder, 0o700)
    let start = Clock.wall() - 90 * 86_400_000
    var sent: Int64 = 0
    let store = try Store(path: path) { start + sent * 60_000 }
    defer { store.close() }
    var dice = FixedRandom(seed: 20_240_601)
    let people = try (["anna", "ben"] + (1...18).map { "guest\($0)" })
      .map { each in try store.writeDurablyIfNeeded { try $0.participant(identity: each) } }
    let roomNames = [
      "lobby", "dev", "tea", "lunch", "ops", "music", "books", "garden", "chess", "news",
    ]
    let rooms = try roomNames.map { each in try store.writeDurablyIfNeeded { try $0.makeRoom(each) }
    }
    for room in rooms {
      for person in people { try store.writeDurablyIfNeeded { try $0.join(person.id, room.id) } }
    }
    if names > 0 {
      let account = try store.writeDurably {
        try $0.addAccount(owner: people[0].id, network: "bench:anna@example.org")
      }
      // Make them contacts, whom a menu offers everywhere; it does not offer people of other rooms.
      let crowd = (0..<names).map { index in
        NetworkEvent.contact(
          NetworkUser(identity: "abcdefghijklmnopqrstuvwxyz\(index)@example.org"), isOnline: nil,
          away: nil)
      }
      try StoredAccount(network: account.network, inStoreAt: path)?.lease()?.apply(crowd)
    }
    // A hundred thousand commits that each wait for the disk would take minutes.
    for first in stride(from: 0, to: messages, by: 1_000) {
      try store.writeDurably {
        for index in first..<min(first + 1_000, messages) {
          let body = (0..<(3 + dice.below(12))).map { _ in words[dice.below(words.count)] }
            .joined(separator: " ")
          // Half of everything was said in the lobby.
          let room = index % 2 == 0 ? rooms[0] : rooms[dice.below(rooms.count)]
          try $0.send(body, in: room.id, by: people[dice.below(people.count)].id)
          sent += 1
        }
      }
    }
    // Most of it has been read, as in a store that is in use.
    for room in rooms.dropLast(3) {
      guard let now = try store.read({ try $0.conversation(room.id, for: people[0].id) }) else {
        continue
      }
      try store.writeIfNeeded {
        try $0.noteSeen(by: people[0].id, in: room.id, upTo: now.lastNumber, sendReceipt: true)
      }
    }
  }
}
