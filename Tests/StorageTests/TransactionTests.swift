// SPDX-License-Identifier: GPL-3.0-or-later
import CSQLite
import StoreFixture
import Testing

@testable import Conversations

@Suite("Transactions") struct TransactionTests {
  let lobby: Lobby

  init() throws { lobby = try Lobby() }

  private struct Stop: Error {}

  @Test("pages that were read take no memory once it is released, and can be read again")
  func releasedMemory() throws {
    func bytesOfPages() -> Int32 {
      var (now, most): (Int32, Int32) = (0, 0)
      sqlite3_db_status(
        lobby.store.database.connection, SQLITE_DBSTATUS_CACHE_USED, &now, &most, 0)
      return now
    }
    for number in 0..<200 { try lobby.says("message \(number)") }
    let before = bytesOfPages()
    lobby.store.upkeep.releaseMemory()
    #expect(bytesOfPages() < before / 4)
    #expect(lobby.store.database.known.isEmpty)
    let messages = try lobby.store.read {
      try $0.messages(in: lobby.lobby, limit: 300, for: lobby.anna)
    }
    #expect(messages.count == 200)
  }

  @Test("a query that is being read goes on when memory is released")
  func releasedWhileReading() throws {
    let database = lobby.store.database
    for number in 0..<20 { try lobby.says("message \(number)") }
    var count = 0
    try database.each("SELECT id FROM message") { _ in
      if count == 3 { database.releaseMemory() }
      count += 1
      return true
    }
    #expect(count == 20)
  }

  @Test("a query cannot change anything while one state is read, but can in a transaction")
  func queriesOnly() throws {
    let renaming = "UPDATE participant SET name = 'Bea' RETURNING id"
    #expect(throws: StoreError.self) {
      try lobby.store.read { snapshot in
        try snapshot.database.exists(renaming)
      }
    }
    #expect(try lobby.store.read { try $0.participant(lobby.anna).name } == "anna")
    #expect(try lobby.store.write { try $0.database.exists(renaming) })
  }

  @Test("a write that changes nothing waits for no one")
  func needsNothing() throws {
    let store = try lobby.fixture.open()
    try lobby.other.write { other in
      try other.touchPeople()
      let anna = try store.writeDurablyIfNeeded { try $0.participant(identity: "anna") }
      #expect(anna.id == lobby.anna)
      #expect(throws: StoreError.locked(path: store.path)) {
        try store.writeDurablyIfNeeded { try $0.participant(identity: "cleo") }
      }
    }
    #expect(try store.writeDurablyIfNeeded { try $0.participant(identity: "cleo") }.name == "cleo")
  }

  @Test("if others have written since it was read, it is read again")
  func runsAgain() throws {
    var runs = 0
    try lobby.store.writeIfNeeded { transaction in
      runs += 1
      let away = try transaction.away(of: lobby.anna) ?? ""
      if runs == 1 { try lobby.other.write { try $0.setAway("lunch", of: lobby.anna) } }
      try transaction.setAway(away + "!", of: lobby.anna)
    }
    #expect(runs == 2)
    #expect(try lobby.other.read { try $0.away(of: lobby.anna) } == "lunch!")
  }

  @Test("a failed transaction changes nothing, and the next one can write")
  func fails() throws {
    let before = try lobby.store.read { try $0.position }
    #expect(throws: Stop.self) {
      try lobby.store.writeDurably {
        try $0.send("hello", in: lobby.lobby, by: lobby.anna)
        throw Stop()
      }
    }
    #expect(throws: Stop.self) {
      try lobby.store.writeIfNeeded {
        try $0.touchPeople()
        throw Stop()
      }
    }
    #expect(try lobby.store.read { try $0.position } == before)
    #expect(try lobby.says("again").number == 1)
  }

  @Test("a snapshot reads one moment")
  func oneMoment() throws {
    try lobby.store.read {
      let before = try $0.position
      try lobby.benSays("meanwhile")
      #expect(try $0.position == before)
      #expect(try lobby.store.read { try $0.position } == before)
    }
  }
}
