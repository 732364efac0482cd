// SPDX-License-Identifier: GPL-3.0-or-later
import StoreFixture
import Testing

@testable import Conversations

@Suite("Changes that others have to know") struct ChangesTests {
  @Test func nothingHappenedIsNothing() throws {
    let lobby = try Lobby()
    let position = try lobby.other.read { try $0.position }
    let changes = try lobby.other.read { try $0.changes(since: position, for: lobby.ben) }
    #expect(changes.isEmpty && !changes.hasMore && changes.position == position)
  }

  @Test("After an older copy was restored, changes are followed from there")
  func olderCopy() throws {
    let lobby = try Lobby()
    let position = try lobby.other.read { try $0.position }
    let changes = try lobby.other.read { try $0.changes(since: position + 1000, for: lobby.ben) }
    #expect(changes.isEmpty && changes.position == position)
  }

  @Test func messagesArriveOnceInOrderFromEverySender() throws {
    let lobby = try Lobby()
    var position = try lobby.other.read { try $0.position }
    try lobby.says("one")
    try lobby.benSays("two")
    try lobby.says("three")
    let changes = try lobby.other.read { try $0.changes(since: position, for: lobby.ben) }
    #expect(changes.arrived.map(\.body) == ["one", "two", "three"])
    position = changes.position
    #expect(try lobby.other.read { try $0.changes(since: position, for: lobby.ben) }.isEmpty)
  }

  @Test func onlyConversationsIAmInConcernMe() throws {
    let lobby = try Lobby()
    let (store, anna) = (lobby.store, lobby.anna)
    let carl = try store.writeDurablyIfNeeded { try $0.participant(identity: "carl") }.id
    let position = try store.read { try $0.position }
    let chat = try store.writeDurablyIfNeeded { try $0.directChat(anna, with: carl) }.id
    let secret = try store.writeDurably { try $0.send("secret", in: chat, by: anna) }
    try store.writeDurably { try $0.edit(secret.id, to: "secret!", by: anna) }
    try store.writeIfNeeded { try $0.noteSeen(by: carl, in: chat, upTo: 1, sendReceipt: true) }
    let changes = try lobby.other.read { try $0.changes(since: position, for: lobby.ben) }
    #expect(changes.arrived.isEmpty && changes.revised.isEmpty && changes.receiptsChanged.isEmpty)
    // An edit since is in the text already.
    #expect(
      try store.read { try $0.changes(since: position, for: carl) }.arrived.map(\.body) == [
        "secret!"
      ])
  }

  @Test func joiningBringsNoOldMessagesAndLeavingKeepsThoseOfTheStay() throws {
    let lobby = try Lobby()
    let carl = try lobby.store.writeDurablyIfNeeded { try $0.participant(identity: "carl") }.id
    let position = try lobby.store.read { try $0.position }
    try lobby.says("before")
    try lobby.store.writeDurablyIfNeeded { try $0.join(carl, lobby.lobby) }
    try lobby.says("during")
    try lobby.store.writeDurablyIfNeeded { try $0.leave(carl, lobby.lobby) }
    try lobby.says("after")
    let arrived = try lobby.store.read { try $0.changes(since: position, for: carl) }.arrived
    #expect(arrived.map(\.body) == ["during"])
  }

  @Test("3.5, 3.8: Edits, deletions and recalls of delivered messages are reported")
  func revised() throws {
    let lobby = try Lobby()
    let messages = try (1...4).map { try lobby.says("message \($0)") }
    let position = try lobby.other.read { try $0.position }
    try lobby.store.writeDurably { try $0.edit(messages[2].id, to: "edited", by: lobby.anna) }
    try lobby.store.writeDurably { try $0.deleteMessage(messages[0].id, by: lobby.anna) }
    _ = try lobby.store.writeDurably { try $0.takeBack(messages[3].id, by: lobby.anna) }
    let late = try lobby.says("late")
    try lobby.store.writeDurably { try $0.edit(late.id, to: "late, edited", by: lobby.anna) }
    let taken = try lobby.says("oops").id
    _ = try lobby.store.writeDurably { try $0.takeBack(taken, by: lobby.anna) }
    let changes = try lobby.other.read { try $0.changes(since: position, for: lobby.ben) }
    #expect(changes.revised.map(\.number) == [3, 1, 4])
    #expect(changes.revised[0].body == "edited")
    #expect(changes.revised[1].deletedAt != nil)
    #expect(changes.revised[2].isRecalled)
    #expect(changes.arrived.map(\.body) == ["late, edited"])
  }

  @Test("In pages, every change is reported exactly once")
  func pages() throws {
    let lobby = try Lobby()
    let old = try (1...5).map { try lobby.says("old \($0)") }
    var position = try lobby.other.read { try $0.position }
    var new: [String] = []
    for number in 1...10 {
      new.append(try lobby.says("new \(number)").uid)
      if number % 2 == 0 {
        try lobby.store.writeDurably {
          try $0.edit(old[number / 2 - 1].id, to: "edited", by: lobby.anna)
        }
      }
    }
    var (arrived, revised, pages) = ([String](), [Int](), 0)
    while true {
      let changes = try lobby.other.read {
        try $0.changes(since: position, for: lobby.ben, limit: 3)
      }
      #expect(changes.arrived.count <= 3 && changes.revised.count <= 3)
      #expect(changes.position > position)
      arrived += changes.arrived.map(\.uid)
      revised += changes.revised.map(\.number)
      position = changes.position
      pages += 1
      if !changes.hasMore { break }
    }
    #expect(arrived == new)
    #expect(revised == [1, 2, 3, 4, 5])
    #expect(pages == 4)
    #expect(try position == lobby.other.read { try $0.position })
  }

  @Test func receiptsNameTheirConversation() throws {
    let lobby = try Lobby()
    try lobby.says("one")
    let position = try lobby.store.read { try $0.position }
    try lobby.other.writeIfNeeded { try $0.noteDelivered(to: lobby.ben, upTo: [lobby.lobby: 1]) }
    let changes = try lobby.store.read { try $0.changes(since: position, for: lobby.anna) }
    #expect(changes.receiptsChanged == [lobby.lobby])
    #expect(changes.arrived.isEmpty && changes.revised.isEmpty && changes.moved.isEmpty)
  }

  @Test("1.12: Another shell's lines are new to my input history, mine are not")
  func history() throws {
    let lobby = try Lobby()
    let shell = try lobby.store.shells.attach(lobby.anna)
    let position = try lobby.store.read { try $0.position }
    try lobby.store.write { try $0.appendHistory("mine", of: lobby.anna, shell: shell) }
    #expect(
      try !lobby.store.read { try $0.changes(since: position, for: lobby.anna) }.historyChanged)
    #expect(
      try lobby.other.read { try $0.changes(since: position, for: lobby.anna) }.historyChanged)
    #expect(
      try !lobby.other.read { try $0.changes(since: position, for: lobby.ben) }.historyChanged)
  }

  @Test func namesAndPresenceAreTold() throws {
    let lobby = try Lobby()
    func tells(_ act: () throws -> Void) throws -> Bool {
      let position = try lobby.other.read { try $0.position }
      try act()
      return try lobby.other.read { try $0.changes(since: position, for: lobby.ben) }.peopleChanged
    }
    #expect(try tells { _ = try lobby.store.writeDurably { try $0.rename(lobby.anna, to: "Ann") } })
    #expect(try tells { _ = try lobby.store.shells.attach(lobby.anna) })
    #expect(try tells { try lobby.store.shells.show(lobby.lobby) })
    #expect(try !tells { try lobby.store.shells.show(lobby.lobby) })
    #expect(try tells { try lobby.store.shells.detach() })
    #expect(try !tells { try lobby.says("hello") })
  }

  @Test("A draft is reported to no one else")
  func draftsAreSilent() throws {
    let lobby = try Lobby()
    let position = try lobby.store.read { try $0.position }
    try lobby.store.writeDurablyIfNeeded {
      try $0.setDraft(Draft(text: "x", caret: 1), of: lobby.anna, in: lobby.lobby)
    }
    #expect(try lobby.store.read { try $0.position } == position)
  }
}
