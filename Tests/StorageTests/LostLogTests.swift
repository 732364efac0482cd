// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import StoreFixture
import Testing

@testable import Conversations
@testable import NetworkInbox

@Suite("a write-ahead log that was deleted") struct LostLogTests {
  /// How many messages the store's file has without its log.
  private func messagesInFile(_ fixture: Fixture) throws -> Int {
    let copy = fixture.folder + "/copy.sqlite"
    try FileManager.default.copyItem(atPath: fixture.path, toPath: copy)
    let store = try fixture.open("copy.sqlite")
    defer { store.close() }
    return try store.count("message")
  }

  @Test("A shell that ends brings it into the store, and waits for those who still read")
  func shell() throws {
    let lobby = try Lobby()
    _ = try lobby.store.shells.attach(lobby.anna)
    let ended = DispatchSemaphore(value: 0)
    let shell = UncheckedStore(lobby.store)
    try lobby.other.read { snapshot in
      _ = try snapshot.rooms()
      try lobby.says("one")
      unlink(lobby.fixture.path + "-wal")
      Thread.detachNewThread {
        shell.store.close()
        ended.signal()
      }
      let waits = ended.wait(timeout: .now() + 0.1) == .timedOut
      #expect(waits)
      if !waits { ended.signal() }
    }
    ended.wait()
    #expect(try messagesInFile(lobby.fixture) == 1)
  }

  @Test("It does not if somebody put another log back, which is read over the file from then on")
  func anotherLog() throws {
    let lobby = try Lobby()
    _ = try lobby.store.shells.attach(lobby.anna)
    let log = lobby.fixture.path + "-wal"
    try FileManager.default.copyItem(atPath: log, toPath: log + ".old")
    try lobby.says("one")
    rename(log + ".old", log)
    lobby.store.close()
    #expect(try messagesInFile(lobby.fixture) == 0)
  }

  @Test("So does the process of an account")
  func network() throws {
    let lobby = try Lobby()
    let account = try lobby.store.writeDurably {
      try $0.addAccount(owner: lobby.anna, network: "xmpp:anna@example.org")
    }
    let lease = try #require(try AccountLease.acquire(account, in: lobby.other))
    try lobby.says("one")
    unlink(lobby.fixture.path + "-wal")
    try? lease.release()
    #expect(try messagesInFile(lobby.fixture) == 1)
  }

  @Test("Nothing is written to it any more, even if it was there when the change began")
  func commit() throws {
    let lobby = try Lobby()
    _ = try lobby.store.shells.attach(lobby.anna)
    let log = lobby.fixture.path + "-wal"
    #expect(throws: StoreError.logReplaced(path: lobby.fixture.path, file: log)) {
      try lobby.other.writeDurably {
        _ = try $0.makeRoom("tea")
        unlink(log)
      }
    }
    #expect(try lobby.store.read { try $0.rooms() }.count == 1)
  }

  @Test("A store notices that other files have the names of those it has opened")
  func names() throws {
    let fixture = Fixture()
    let store = try fixture.open()
    defer { store.close() }
    #expect(try #require(WALFiles(of: fixture.path)).areOpen)
    for name in ["store.sqlite-wal", "store.sqlite-shm"] {
      let path = fixture.folder + "/" + name
      rename(path, path + ".away")
      fixture.file(name, "")
      #expect(try !#require(WALFiles(of: fixture.path)).areOpen, "\(name)")
      rename(path + ".away", path)
    }
  }
}

/// For a store that one thread hands to another.
private struct UncheckedStore: @unchecked Sendable {
  let store: Store
  init(_ store: Store) { self.store = store }
}
