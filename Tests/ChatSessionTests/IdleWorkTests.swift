// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Foundation
import Platform
import Testing

@testable import ChatSession

@Suite("Housekeeping while no one types") struct IdleWorkTests {
  /// A store with messages that are older than their room keeps them.
  private static func store(_ folder: TemporaryFolder, messages: Int) throws -> Store {
    let long = Clock.wall() - 1_000_000_000
    let store = try Store(path: folder.path + "/store.sqlite", clock: { long })
    let me = try store.writeDurablyIfNeeded { try $0.participant(identity: "anna") }.id
    let room = try store.writeDurablyIfNeeded { try $0.makeRoom("lobby") }.id
    try store.writeDurablyIfNeeded { try $0.join(me, room) }
    for number in 0..<messages {
      try store.writeDurably { try $0.send("old \(number)", in: room, by: me) }
    }
    try store.writeDurablyIfNeeded { try $0.setKeep(room, 1000) }
    return store
  }

  private static func count(_ store: Store) throws -> Int {
    let me = try store.writeDurablyIfNeeded { try $0.participant(identity: "anna") }.id
    let room = try #require(try store.read { try $0.room("lobby") }).id
    return try store.read { try $0.messages(in: room, limit: 1000, for: me) }.count
  }

  @Test("old messages are deleted a few at a time, and never while someone types")
  func stepsWhileNobodyTypes() throws {
    let folder = try TemporaryFolder()
    let store = try Self.store(folder, messages: 90)
    defer { store.close() }
    var now: MonotonicTime = 0
    var work = IdleWork(now: now)
    // Each look at the clock takes a millisecond.
    func turn(lastKey: MonotonicTime) {
      work.turn(store, lastKey: lastKey) {
        now = now + 1
        return now
      }
    }
    turn(lastKey: 0)
    #expect(try Self.count(store) == 90, "a shell that has just begun")
    now = 20_000
    turn(lastKey: now - 200)
    #expect(try Self.count(store) == 90, "somebody types")
    now = now + 2000
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

  @Test("files without a message are deleted once a day, a few milliseconds at a time")
  func files() throws {
    let folder = try TemporaryFolder()
    let store = try Self.store(folder, messages: 0)
    defer { store.close() }
    let hour: Int64 = 3_600_000
    func keep(_ count: Int) throws {
      for number in 0..<count {
        let path = folder.path + "/source"
        try "loose \(number)".write(toFile: path, atomically: false, encoding: .utf8)
        let file = try store.attachmentFolder.keep(
          fileAt: path, name: nil, limit: 0)
        let long = [timespec(tv_sec: 1, tv_nsec: 0), timespec(tv_sec: 1, tv_nsec: 0)]
        utimensat(AT_FDCWD, store.attachmentFolder.path(of: file.hash), long, 0)
      }
    }
    func left() -> Int {
      let all = FileManager.default.subpaths(atPath: folder.path + "/store.attachments") ?? []
      return all.count { $0.contains("/") }
    }
    var now: MonotonicTime = 0
    var work = IdleWork(now: now)
    // Each look at the clock takes a millisecond: a turn has time for few steps.
    func turn() {
      work.turn(store, lastKey: 0) {
        now = now + 1
        return now
      }
    }
    try keep(60)
    now = 0 + hour / 2
    turn()
    #expect(left() == 60, "not in the first hour")
    now = 0 + hour + 1
    var turns = 0
    while left() > 0, turns < 1000 {
      let (before, began) = (left(), now)
      turn()
      #expect(before - left() <= 2 * IdleWork.filesAtOnce && now - began <= IdleWork.longest + 2)
      turns += 1
    }
    #expect(turns > 3 && turns < 1000)
    // The folders that are left have nothing in them; then it is done for today.
    for _ in 0..<300 { turn() }
    try keep(3)
    now = now + 2 * hour
    turn()
    #expect(left() == 3)
    now = now + 24 * hour
    for _ in 0..<300 { turn() }
    #expect(left() == 0)
  }
}
