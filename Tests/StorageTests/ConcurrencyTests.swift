// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import StoreFixture
import Synchronization
import Testing

@testable import Conversations

/// Runs `body` on several threads at once, and hands back what went wrong.
private func atOnce(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) -> [String] {
  let failures = Mutex<[String]>([])
  DispatchQueue.concurrentPerform(iterations: count) { index in
    do { try body(index) } catch { failures.withLock { $0.append("\(error)") } }
  }
  return failures.withLock { $0 }
}

@Suite("Several processes at once") struct ConcurrencyTests {
  @Test("Several create the same store together, and all use it", arguments: [false, true])
  func creation(touched: Bool) throws {
    let fixture = Fixture()
    let path = fixture.path
    if touched { _ = FileManager.default.createFile(atPath: path, contents: nil) }
    let failures = atOnce(8) { index in
      let store = try Store(path: path)
      let me = try store.writeDurablyIfNeeded { try $0.participant(identity: "person\(index)") }.id
      let room = try store.writeDurablyIfNeeded { try $0.makeRoom("lobby") }.id
      try store.writeDurablyIfNeeded { try $0.join(me, room) }
      try store.writeDurably { try $0.send("hello from \(index)", in: room, by: me) }
    }
    #expect(failures == [])
    let store = try fixture.open()
    let room = try #require(try store.read { try $0.room("lobby") })
    #expect(room.lastNumber == 8)
    #expect(try store.read { try $0.rooms() }.count == 1)
    #expect(try store.read { try $0.members(of: room.id) }.count == 8)
    #expect(try store.upkeep.check().allSatisfy { $0.severity == .fine })
  }

  @Test("Each writer's messages are all there, once, in its order, under numbers without gaps")
  func writers() throws {
    let fixture = Fixture()
    let path = fixture.path
    let (writers, each) = (4, 50)
    let room = try fixture.open().writeDurablyIfNeeded { try $0.makeRoom("lobby") }.id
    let failures = atOnce(writers) { writer in
      let store = try Store(path: path)
      let me = try store.writeDurablyIfNeeded { try $0.participant(identity: "person\(writer)") }.id
      try store.writeDurablyIfNeeded { try $0.join(me, room) }
      for number in 0..<each {
        try store.writeDurably { try $0.send("\(writer) \(number)", in: room, by: me) }
      }
    }
    #expect(failures == [])
    let store = try fixture.open()
    let me = try store.writeDurablyIfNeeded { try $0.participant(identity: "reader") }.id
    let messages = try store.read { try $0.messages(in: room, limit: 1000, for: me) }
    #expect(messages.map(\.number) == Array(1...(writers * each)))
    #expect(messages.map(\.id.rawValue) == messages.map(\.id.rawValue).sorted())
    #expect(Set(messages.map(\.uid)).count == writers * each)
    for writer in 0..<writers {
      let bodies = messages.map(\.body).filter { $0.hasPrefix("\(writer) ") }
      #expect(bodies == (0..<each).map { "\(writer) \($0)" })
    }
  }

  @Test("Of taking back and receiving at the same moment exactly one wins, every time")
  func theRace() throws {
    let fixture = Fixture()
    let path = fixture.path
    let setUp = try fixture.open()
    let anna = try setUp.writeDurablyIfNeeded { try $0.participant(identity: "anna") }.id
    let ben = try setUp.writeDurablyIfNeeded { try $0.participant(identity: "ben") }.id
    let room = try setUp.writeDurablyIfNeeded { try $0.makeRoom("lobby") }.id
    try setUp.writeDurablyIfNeeded { try $0.join(anna, room) }
    try setUp.writeDurablyIfNeeded { try $0.join(ben, room) }
    let outcomes = Mutex<[String]>([])
    for _ in 1...20 {
      let message = try setUp.writeDurably { try $0.send("oops", in: room, by: anna) }
      let failures = atOnce(2) { index in
        let store = try Store(path: path)
        if index == 0 {
          do {
            _ = try store.writeDurably { try $0.takeBack(message.id, by: anna) }
            outcomes.withLock { $0.append("back \(message.number)") }
          } catch RuleError.othersHaveIt {
            outcomes.withLock { $0.append("kept \(message.number)") }
          }
        } else {
          let recalled = try store.writeIfNeeded {
            try $0.noteDelivered(to: ben, upTo: [room: message.number])
          }
          let verb = recalled.contains(message.id) ? "unprinted" : "printed"
          outcomes.withLock { $0.append("\(verb) \(message.number)") }
        }
      }
      #expect(failures == [])
      let pair = outcomes.withLock { Set($0.suffix(2)) }
      let number = message.number
      #expect(
        pair == ["back \(number)", "unprinted \(number)"]
          || pair == ["kept \(number)", "printed \(number)"])
    }
  }
}
