// SPDX-License-Identifier: GPL-3.0-or-later
import Testing

@testable import Conversations

@Suite("12.3: names that look like another's") struct LookAlikesTests {
  @Test(
    "letters of the same shape, digits and padding look alike",
    arguments: [
      ("anna", "аnnа"), ("anna", "Anna_"), ("bob", "b0b"), ("lisa", "1isa"), ("Ivan", "lvan"),
      ("oscar", "οscаr"), ("mark", "rnark"), ("anna", "ａｎｎａ"), ("anna", "𝐚𝐧𝐧𝐚"),
      ("william", "vvilliam"), ("anna", "an\u{200B}na"), ("ben", "..ben.."),
    ])
  func alike(one: String, other: String) {
    #expect(NameShape.skeleton(one) == NameShape.skeleton(other))
  }

  @Test(
    "other names do not",
    arguments: [
      ("anna", "anne"), ("ian", "lan"), ("ben", "bens"), ("tim", "tom"), ("anna", "änna"),
      ("аня", "аля"), ("_", "-"),
    ])
  func different(one: String, other: String) {
    #expect(NameShape.skeleton(one) != NameShape.skeleton(other))
  }

  @Test("of those who look alike the first goes unmarked: me, this machine, then by age")
  func whoIsMarked() throws {
    let lobby = try Lobby()
    let store = lobby.store
    try store.receive(
      "hi", from: "anna@example.org", name: "b\u{435}n", network: "stub", in: .room("far"))
    let far = try #require(try store.participants().first { $0.network != nil }).id
    let late = try store.participant(identity: "BEN_").id
    func marked(_ me: ID<Participant>) throws -> [Bool] {
      let alike = try store.lookAlikes(among: [late, lobby.anna, far, lobby.ben], to: me)
      return [lobby.anna, lobby.ben, far, late].map { alike.contains($0) }
    }
    #expect(try marked(lobby.anna) == [false, false, true, true])
    #expect(try marked(late) == [false, true, true, false])
    #expect(try marked(far) == [false, true, false, true])
    _ = try store.rename(lobby.anna, to: "Ben.")
    #expect(try marked(late) == [true, true, true, false])
  }

  @Test("names of a store from before are looked at once")
  func olderStores() throws {
    let lobby = try Lobby()
    let late = try lobby.store.participant(identity: "b3n").id
    _ = try lobby.store.rename(late, to: "b\u{435}n")
    try lobby.store.database.execute("UPDATE participant SET skeleton = ''")
    #expect(try lobby.store.lookAlikes(among: [late], to: lobby.anna) == [])
    try lobby.store.lookAtNames()
    #expect(try lobby.store.lookAlikes(among: [late], to: lobby.anna) == [late])
    let now = try lobby.store.position
    try lobby.store.lookAtNames()
    #expect(try lobby.store.position == now)
  }
}
