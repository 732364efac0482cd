// SPDX-License-Identifier: GPL-3.0-or-later
import StoreFixture
import Testing

@testable import Conversations

@Suite("7.11: What a person wants to hear of") struct AttentionStoreTests {
  private let lobby: Lobby

  init() throws { lobby = try Lobby() }

  private func unread() throws -> [Unread] {
    try lobby.store.read { try $0.unreadConversations(for: lobby.anna) }
  }

  @Test("7.11: a muted conversation is unread but not urgent, in all shells, until unmuted")
  func muted() throws {
    let chat = try lobby.other.writeDurablyIfNeeded {
      try $0.directChat(lobby.ben, with: lobby.anna)
    }
    .id
    try lobby.other.writeDurably { try $0.send("hello", in: chat, by: lobby.ben) }
    try lobby.benSays("anna: one")
    #expect(try unread().map(\.isForMe) == [true, true])
    #expect(
      try lobby.store.writeDurably { try $0.set(.muted, true, of: lobby.ben, by: lobby.anna) })
    #expect(
      try !lobby.other.writeDurably { try $0.set(.muted, true, of: lobby.ben, by: lobby.anna) })
    #expect(
      try lobby.other.read { try $0.unreadConversations(for: lobby.anna) }.map(\.isForMe) == [
        false, false,
      ])
    #expect(try unread().map(\.count) == [1, 1] && unread().map(\.mentions).max() == 0)
    #expect(
      try lobby.store.writeDurably { try $0.set(.muted, false, of: lobby.ben, by: lobby.anna) })
    #expect(
      try !lobby.store.writeDurably { try $0.set(.muted, false, of: lobby.ben, by: lobby.anna) })
    try lobby.store.writeDurably { try $0.set(.muted, true, of: lobby.lobby, by: lobby.anna) }
    #expect(try unread().map { $0.isForMe ? $0.conversation.kind : nil } == [nil, .direct])
    // Nobody else is concerned.
    #expect(try lobby.store.read { try $0.attention(of: lobby.ben) } == Attention())
  }

  @Test("7.4: a notice does not make a conversation wait longer")
  func notices() throws {
    try lobby.other.writeDurably {
      _ = try $0.send("backup done", kind: .notice, in: lobby.lobby, by: lobby.ben)
    }
    let message = try lobby.benSays("one")
    #expect(try unread().map(\.oldest) == [message.sort])
  }

  @Test("7.11: an ignored conversation is not unread, even after old messages were deleted")
  func ignored() throws {
    let carl = try lobby.store.writeDurablyIfNeeded { try $0.participant(identity: "carl") }.id
    try lobby.store.writeDurablyIfNeeded { try $0.join(carl, lobby.lobby) }
    for _ in 1...3 { try lobby.benSays("anna: x") }
    try lobby.store.writeDurably { try $0.send("anna: y", in: lobby.lobby, by: carl) }
    let deleted = try lobby.benSays("z")
    try lobby.store.writeDurably { try $0.deleteMessage(deleted.id, by: lobby.ben) }
    #expect(try unread().map(\.count) == [4])
    try lobby.store.writeDurably { try $0.set(.ignored, true, of: lobby.ben, by: lobby.anna) }
    #expect(try unread().map(\.count) == [1] && unread().map(\.mentions) == [1])
    #expect(
      try lobby.store.read { try $0.firstUnread(by: lobby.anna, in: lobby.lobby, behind: 0) } == 4)
    try lobby.store.db("UPDATE conversation SET forgotten = 1")
    #expect(try unread().map(\.count) == [1])
    try lobby.store.writeDurably { try $0.set(.ignored, true, of: lobby.lobby, by: lobby.anna) }
    #expect(try unread().isEmpty)
    #expect(try lobby.store.read { try $0.listing(for: lobby.ben) }.map(\.unread) == [1])
  }

  @Test("7.11: notify belongs to a person and a conversation")
  func notify() throws {
    try lobby.store.writeDurably { try $0.setNotify(.nothing, in: lobby.lobby, by: lobby.anna) }
    #expect(
      try lobby.other.read { try $0.attention(of: lobby.anna) }.notify == [lobby.lobby: .nothing])
    try lobby.store.writeDurably { try $0.setNotify(.everything, in: lobby.lobby, by: lobby.anna) }
    #expect(
      try lobby.other.read { try $0.attention(of: lobby.anna) }.notify == [lobby.lobby: .everything]
    )
    #expect(try lobby.store.read { try $0.attention(of: lobby.ben) }.notify.isEmpty)
  }
}
