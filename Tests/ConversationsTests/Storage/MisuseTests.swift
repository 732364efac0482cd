// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import StoreFixture
import Testing

@Suite("decision 8: mistakes that compile name themselves") struct MisuseTests {
  private let lobby: Lobby
  private var store: Store { lobby.store }

  init() throws { lobby = try Lobby() }

  private func topic() throws -> String? {
    try store.read { try $0.conversation(lobby.lobby, for: lobby.anna)?.topic }
  }

  @Test("a write within a read")
  func writeInRead() throws {
    #expect(throws: StoreMisuse.writeWithinRead) {
      try store.read { _ in try store.writeDurably { _ in } }
    }
    #expect(throws: StoreMisuse.writeWithinRead) {
      try store.read { _ in try store.shells.attach(lobby.anna) }
    }
    try store.writeDurably { try $0.setTopic("tea", of: lobby.lobby, by: lobby.anna) }
    #expect(try topic() == "tea")
  }

  @Test("a write within a write; the outer one goes on if it catches the error")
  func writeInWrite() throws {
    try store.writeDurably { transaction in
      #expect(throws: StoreMisuse.writeWithinWrite) { try store.write { _ in } }
      #expect(throws: StoreMisuse.writeWithinWrite) { try store.shells.attach(lobby.anna) }
      try transaction.setTopic("tea", of: lobby.lobby, by: lobby.anna)
    }
    #expect(try topic() == "tea")
  }

  @Test("a close within a read or a write, which then stores nothing")
  func closeInside() throws {
    #expect(throws: StoreMisuse.closeWithinAccess) { try store.read { _ in store.close() } }
    #expect(throws: StoreMisuse.closeWithinAccess) {
      try store.writeDurably { transaction in
        try transaction.setTopic("tea", of: lobby.lobby, by: lobby.anna)
        store.close()
      }
    }
    #expect(try topic() != "tea")
    try store.writeDurably { try $0.setTopic("cake", of: lobby.lobby, by: lobby.anna) }
    #expect(try topic() == "cake")
  }

  @Test("observing returns each change once, and sleeps until there is one")
  func observing() throws {
    var observation = try lobby.other.observe(for: lobby.ben)
    for text in ["one", "two"] {
      try store.writeDurably { try $0.send(text, in: lobby.lobby, by: lobby.anna) }
    }
    #expect(try observation.wait()?.arrived.map(\.body) == ["one", "two"])
    #expect(try observation.wait(milliseconds: 0) == nil)
    let position = observation.position
    try store.writeDurably { try $0.send("three", in: lobby.lobby, by: lobby.anna) }
    #expect(try observation.next().arrived.map(\.body) == ["three"])
    #expect(try observation.next().arrived.isEmpty)
    var again = try lobby.other.observe(for: lobby.ben, since: position)
    #expect(try again.next().arrived.map(\.body) == ["three"])
  }
}
