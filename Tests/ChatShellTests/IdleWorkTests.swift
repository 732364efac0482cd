// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Testing

@testable import ChatShell

@Suite("Housekeeping while nobody types") struct IdleWorkTests {
  /// A store with messages that are older than their room keeps them.
  private static func store(_ folder: TemporaryFolder, messages: Int) throws -> Store {
    let long = Store.wallClock() - 1_000_000_000
    let store = try Store(path: folder.path + "/store.sqlite", clock: { long })
    let me = try store.participant(identity: "anna").id
    let room = try #require(try store.room("lobby", create: true)).id
    try store.join(me, room)
    for number in 0..<messages { try store.send("old \(number)", in: room, by: me) }
    try store.setKeep(room, 1000)
    return store
  }

  private static func count(_ store: Store) throws -> Int {
    let me = try store.participant(identity: "anna").id
    let room = try #require(try store.room("lobby", create: false)).id
    return try store.messages(in: room, limit: 1000, for: me).count
  }

  @Test("old messages go, some at a turn, and nothing is done while somebody types")
  func stepsWhileNobodyTypes() throws {
    let folder = try TemporaryFolder()
    let store = try Self.store(folder, messages: 90)
    defer { store.close() }
    var now: Int64 = 0
    var work = IdleWork(now: now)
    // Each look at the clock takes a millisecond.
    func turn(lastKey: Int64) {
      work.turn(store, lastKey: lastKey) {
        now += 1
        return now
      }
    }
    turn(lastKey: 0)
    #expect(try Self.count(store) == 90, "a shell that has just begun")
    now = 20_000
    turn(lastKey: now - 200)
    #expect(try Self.count(store) == 90, "somebody types")
    now += 2000
    turn(lastKey: 19_800)
    let first = try Self.count(store)
    #expect(first < 90 && first > 0, "one turn does not do all of it: \(first)")
    for _ in 0..<20 { turn(lastKey: 0) }
    #expect(try Self.count(store) == 0)
    // Nothing is left: the next look is a minute away.
    let rest = now
    turn(lastKey: 0)
    #expect(now == rest + 1)
  }
}
