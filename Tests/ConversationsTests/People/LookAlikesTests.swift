// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import StoreFixture
import Testing

@testable import Conversations

@Suite("12.3: Names that look like another's") struct LookAlikesTests {
  @Test(
    "letters of the same shape, digits and padding look alike",
    arguments: [
      ("anna", "аnnа"), ("anna", "_Anna"), ("bob", "b0b"), ("lisa", "1isa"), ("Ivan", "lvan"),
      ("oscar", "οscаr"), ("mark", "rnark"), ("anna", "ａｎｎａ"), ("anna", "𝐚𝐧𝐧𝐚"),
      ("william", "vvilliam"), ("anna", "an\u{200B}na"), ("ben", "..ben.."), ("mark", "маrк"),
      ("WALL", "vvall"), ("x", "χ"), ("anna", "\u{E0061}anna\u{FE0F}"),
    ])
  func alike(one: String, other: String) {
    #expect(NameShape.skeleton(one) == NameShape.skeleton(other))
  }

  @Test(
    "12.3: spaces, fillers, apostrophes and dots of any script look like none or the usual ones",
    arguments: [
      ("anna", "anna\u{2800}"), ("anna", "\u{2800}\u{2800}anna"), ("anna", "an\u{2800}na"),
      ("anna", "anna\u{16FE4}"), ("anna", "an\u{16FE4}na"), ("anna", "anna\u{13441}"),
      ("anna", "anna\u{1D159}"), ("anna", "anna\u{3164}"), ("anna", "anna\u{115F}"),
      ("anna", "anna\u{34F}"), ("anna", "anna\u{3000}\u{A0}"), ("anna", "\u{1680}anna"),
      ("anna", "anna\u{2BC}"), ("o'brien", "o\u{2BC}brien"), ("o'brien", "o\u{2019}brien"),
      ("anna", "anna\u{589}"), ("a:b", "a\u{589}b"), ("anna", "\u{AB}anna\u{BB}"),
      ("anna", "anna."), ("anna", "anna\u{2024}"), ("anna", "anna\u{60C}"),
    ])
  func blanksAndStops(one: String, other: String) {
    #expect(NameShape.skeleton(one) == NameShape.skeleton(other))
  }

  @Test(
    "12.3: what Unicode's table says looks alike does, from its beginning to its end",
    arguments: [
      ("¢", "c̸"), ("à", "a\u{300}"), ("scope", "ѕсоре"), ("dan", "ꓒꓮꓠ"), ("bob", "Ꮟоᖯ"),
      ("us", "υѕ"),
      ("joe", "ϳοҽ"), ("rose", "ᴦoѕe"), ("luis", "ⅼuіѕ"), ("DAVE", "ᎠᎪᏙᎬ"), ("tea", "𝓉ℯ𝒶"),
      ("Bert", "𝔅𝔢𝔯𝔱"), ("ole", "σlе"), ("anna", "ａｎｎａ"), ("zoe", "𝘻𝟬е"), ("一", "⼀"),
      ("鼻", "\u{2FA1C}"),
      ("한", "\u{1112}\u{1161}\u{11AB}"), ("가", "\u{1100}\u{1161}"),
      ("a\u{323}\u{308}", "a\u{308}\u{323}"), ("ạ\u{308}", "ä\u{323}"), ("IVAN", "lvan"),
    ])
  func unicodesTable(one: String, other: String) {
    #expect(NameShape.skeleton(one) == NameShape.skeleton(other))
  }

  @Test("12.3: a skeleton is its own skeleton, whatever is in the name")
  func isIdempotent() {
    let odd = stride(from: UInt32(0), to: 0x30000, by: 61).filter { value in
      guard let scalar = Unicode.Scalar(value), scalar.properties.generalCategory != .unassigned
      else { return false }
      let once = NameShape.skeleton("x" + String(Character(scalar)) + "x")
      return !NameShape.skeleton(once).utf8.elementsEqual(once.utf8)
    }
    #expect(odd == [], "\(odd.prefix(20).map { String($0, radix: 16) })")
  }

  @Test(
    "different names do not",
    arguments: [
      ("anna", "anne"), ("ian", "lan"), ("ben", "bens"), ("tim", "tom"), ("anna", "änna"),
      ("аня", "аля"), ("_", "-"), ("anna", "ann"), ("kim", "kin"), ("李", "王"), ("anna", "anna2"),
      ("한", "하"), ("c", "c++"), ("🎉", "🎈"), ("", "anna"),
      // So IRC calls whoever finds their name taken.
      ("anna", "anna_"), ("anna", "anna__"),
    ])
  func different(one: String, other: String) {
    #expect(NameShape.skeleton(one) != NameShape.skeleton(other))
  }

  @Test("the first of several look-alikes is unmarked: me, this machine, then by age")
  func whoIsMarked() throws {
    let lobby = try Lobby()
    let store = lobby.store
    let account = try store.writeDurably {
      try $0.addAccount(owner: lobby.ben, network: "xmpp:ben@example.org")
    }
    try store.hear(
      "hi", from: "anna@example.org", name: "b\u{435}n", in: .room("far"), of: account)
    let far = try #require(try store.read { try $0.allParticipants() }.first { $0.network != nil })
      .id
    let late = try store.writeDurablyIfNeeded { try $0.participant(identity: "_BEN") }.id
    func marked(_ me: ID<Participant>) throws -> [Bool] {
      let alike = try store.read {
        try $0.lookAlikes(among: [late, lobby.anna, far, lobby.ben], to: me)
      }
      #expect(try store.read { try $0.lookAlikes(to: me) } == Set(alike))
      return [lobby.anna, lobby.ben, far, late].map { alike.contains($0) }
    }
    #expect(try marked(lobby.anna) == [false, false, true, true])
    #expect(try marked(late) == [false, true, true, false])
    _ = try store.writeDurably { try $0.rename(lobby.anna, to: "Ben.") }
    #expect(try marked(late) == [true, true, true, false])
  }

  @Test("12.3: names without a shape are checked at once")
  func missingShapes() throws {
    let lobby = try Lobby()
    let late = try lobby.store.writeDurablyIfNeeded { try $0.participant(identity: "b3n") }.id
    _ = try lobby.store.writeDurably { try $0.rename(late, to: "b\u{435}n") }
    try lobby.store.database.execute("UPDATE participant SET skeleton = ''")
    #expect(try lobby.store.read { try $0.lookAlikes(among: [late], to: lobby.anna) } == [])
    try lobby.store.writeIfNeeded { try $0.checkLookAlikes() }
    #expect(try lobby.store.read { try $0.lookAlikes(among: [late], to: lobby.anna) } == [late])
    let now = try lobby.store.read { try $0.position }
    try lobby.store.writeIfNeeded { try $0.checkLookAlikes() }
    #expect(try lobby.store.read { try $0.position } == now)
  }
}
