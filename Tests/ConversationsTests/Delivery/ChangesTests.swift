// SPDX-License-Identifier: GPL-3.0-or-later
import StoreFixture
import Testing

@testable import Conversations

@Suite("What others have to know") struct ChangesTests {
  @Test func nothingHappenedIsNothing() throws {
    let lobby = try Lobby()
    let position = try lobby.other.position
    let changes = try lobby.other.changes(since: position, for: lobby.ben)
    #expect(changes.isEmpty && !changes.hasMore && changes.position == position)
  }

  @Test("After an older copy was put back, it is followed from there")
  func olderCopy() throws {
    let lobby = try Lobby()
    let position = try lobby.other.position
    let changes = try lobby.other.changes(since: position + 1000, for: lobby.ben)
    #expect(changes.isEmpty && changes.position == position)
  }

  @Test func messagesArriveOnceInOrderFromEverySender() throws {
    let lobby = try Lobby()
    var position = try lobby.other.position
    try lobby.says("one")
    try lobby.benSays("two")
    try lobby.says("three")
    let changes = try lobby.other.changes(since: position, for: lobby.ben)
    #expect(changes.arrived.map(\.body) == ["one", "two", "three"])
    position = changes.position
    #expect(try lobby.other.changes(since: position, for: lobby.ben).isEmpty)
  }

  @Test func onlyConversationsIAmInConcernMe() throws {
    let lobby = try Lobby()
    let (store, anna) = (lobby.store, lobby.anna)
    let carl = try store.participant(identity: "carl").id
    let position = try store.position
    let chat = try store.direct(anna, with: carl).id
    let secret = try store.send("secret", in: chat, by: anna)
    try store.edit(secret.id, to: "secret!", by: anna)
    try store.noteSeen(by: carl, in: chat, upTo: 1, sendReceipt: true)
    let changes = try lobby.other.changes(since: position, for: lobby.ben)
    #expect(changes.arrived.isEmpty && changes.revised.isEmpty && changes.receiptsChanged.isEmpty)
    // An edit since is in the text already.
    #expect(try store.changes(since: position, for: carl).arrived.map(\.body) == ["secret!"])
  }

  @Test func joiningBringsNoOldMessagesAndLeavingKeepsThoseOfTheStay() throws {
    let lobby = try Lobby()
    let carl = try lobby.store.participant(identity: "carl").id
    let position = try lobby.store.position
    try lobby.says("before")
    try lobby.store.join(carl, lobby.lobby)
    try lobby.says("during")
    try lobby.store.leave(carl, lobby.lobby)
    try lobby.says("after")
    let arrived = try lobby.store.changes(since: position, for: carl).arrived
    #expect(arrived.map(\.body) == ["during"])
  }

  @Test("3.5, 3.8: Edits, deletions and recalls of what had arrived are told")
  func revised() throws {
    let lobby = try Lobby()
    let messages = try (1...4).map { try lobby.says("message \($0)") }
    let position = try lobby.other.position
    try lobby.store.edit(messages[2].id, to: "edited", by: lobby.anna)
    try lobby.store.delete(messages[0].id, by: lobby.anna)
    _ = try lobby.store.takeBack(messages[3].id, by: lobby.anna)
    let late = try lobby.says("late")
    try lobby.store.edit(late.id, to: "late, edited", by: lobby.anna)
    _ = try lobby.store.takeBack(try lobby.says("oops").id, by: lobby.anna)
    let changes = try lobby.other.changes(since: position, for: lobby.ben)
    #expect(changes.revised.map(\.number) == [3, 1, 4])
    #expect(changes.revised[0].body == "edited")
    #expect(changes.revised[1].deletedAt != nil)
    #expect(changes.revised[2].isRecalled)
    #expect(changes.arrived.map(\.body) == ["late, edited"])
  }

  @Test("In pages, everything is told exactly once")
  func pages() throws {
    let lobby = try Lobby()
    let old = try (1...5).map { try lobby.says("old \($0)") }
    var position = try lobby.other.position
    var new: [String] = []
    for number in 1...10 {
      new.append(try lobby.says("new \(number)").uid)
      if number % 2 == 0 {
        try lobby.store.edit(old[number / 2 - 1].id, to: "edited", by: lobby.anna)
      }
    }
    var (arrived, revised, pages) = ([String](), [Int](), 0)
    while true {
      let changes = try lobby.other.changes(since: position, for: lobby.ben, limit: 3)
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
    #expect(try position == lobby.other.position)
  }

  @Test func receiptsNameTheirConversation() throws {
    let lobby = try Lobby()
    try lobby.says("one")
    let position = try lobby.store.position
    try lobby.other.noteDelivered(to: lobby.ben, upTo: [lobby.lobby: 1])
    let changes = try lobby.store.changes(since: position, for: lobby.anna)
    #expect(changes.receiptsChanged == [lobby.lobby])
    #expect(changes.arrived.isEmpty && changes.revised.isEmpty && changes.moved.isEmpty)
  }

  @Test("1.12: Another shell's lines are news to the input history, mine are not")
  func history() throws {
    let lobby = try Lobby()
    let shell = try lobby.store.attach(lobby.anna)
    let position = try lobby.store.position
    try lobby.store.appendHistory("mine", of: lobby.anna, shell: shell)
    #expect(try !lobby.store.changes(since: position, for: lobby.anna).historyChanged)
    #expect(try lobby.other.changes(since: position, for: lobby.anna).historyChanged)
    #expect(try !lobby.other.changes(since: position, for: lobby.ben).historyChanged)
  }

  @Test func namesAndPresenceAreTold() throws {
    let lobby = try Lobby()
    func tells(_ act: () throws -> Void) throws -> Bool {
      let position = try lobby.other.position
      try act()
      return try lobby.other.changes(since: position, for: lobby.ben).peopleChanged
    }
    #expect(try tells { _ = try lobby.store.rename(lobby.anna, to: "Ann") })
    #expect(try tells { _ = try lobby.store.attach(lobby.anna) })
    #expect(try tells { try lobby.store.open(lobby.lobby) })
    #expect(try !tells { try lobby.store.open(lobby.lobby) })
    #expect(try tells { try lobby.store.detach() })
    #expect(try !tells { try lobby.says("hello") })
  }

  @Test("A draft is nobody else's business")
  func draftsAreSilent() throws {
    let lobby = try Lobby()
    let position = try lobby.store.position
    try lobby.store.setDraft(Draft(text: "x", caret: 1), of: lobby.anna, in: lobby.lobby)
    #expect(try lobby.store.position == position)
  }
}
