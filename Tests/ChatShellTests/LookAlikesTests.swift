// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import StyledText
import Testing

@testable import ChatShell

@Suite("12.3: names that look like another's") struct LookAlikesTests {
  @Test(
    "letters of the same shape, digits and padding look alike",
    arguments: [
      ("anna", "аnnа"), ("anna", "Anna_"), ("bob", "b0b"), ("lisa", "1isa"), ("Ivan", "lvan"),
      ("oscar", "οscаr"), ("mark", "rnark"), ("anna", "ａｎｎａ"), ("anna", "𝐚𝐧𝐧𝐚"),
      ("william", "vvilliam"), ("anna", "an\u{200B}na"), ("ben", "..ben.."),
    ])
  func alike(one: String, other: String) {
    #expect(LookAlikes.skeleton(one) == LookAlikes.skeleton(other))
  }

  @Test(
    "other names do not",
    arguments: [
      ("anna", "anne"), ("ian", "lan"), ("ben", "bens"), ("tim", "tom"), ("anna", "änna"),
      ("аня", "аля"), ("_", "-"),
    ])
  func different(one: String, other: String) {
    #expect(LookAlikes.skeleton(one) != LookAlikes.skeleton(other))
  }

  private func person(_ id: Int64, _ name: String, _ network: String? = nil) -> Participant {
    Participant(id: .init(rawValue: id), identity: "\(id)", name: name, network: network)
  }

  @Test("of those who look alike the first goes unmarked: me, this machine, then by age")
  func whoIsMarked() {
    let people = [
      person(1, "anna", "xmpp"), person(2, "аnna"), person(3, "anna"), person(4, "ben"),
    ]
    func marked(_ me: Int64) -> Set<Int64> {
      Set(LookAlikes(people, me: .init(rawValue: me)).marked.map(\.rawValue))
    }
    #expect(marked(4) == [1, 3])
    #expect(marked(3) == [1, 2])
    #expect(marked(1) == [2, 3])
  }
}

@Suite("7.9: names in a text") struct TextMarksTests {
  private let marks = TextMarks(myNames: ["anna"])

  @Test(
    "a mention is a word of its own",
    arguments: [
      ("hi @anna", true), ("@anna: tea?", true), ("(@ANNA)", true), ("@anna's tea", true),
      ("@Änna!", true), ("*@anna*", true), ("@annabel", false), ("x@anna", false), ("anna", false),
      ("@@anna", false), ("@anna-lena", false), ("mail anna@example.org", false),
    ])
  func mentions(text: String, isMe: Bool) {
    #expect(marks.mentionMe(in: text) == isMe)
  }

  @Test(
    "people and rooms are marked, other uses of the signs are not",
    arguments: [
      ("@ben and #tea.", ["@ben", "#tea"]), ("#1 # ## @ #! C#", []), ("#tea-2", ["#tea-2"]),
      ("\"@ben\", #чай", ["@ben", "#чай"]),
    ])
  func words(text: String, marked: [String]) {
    let bytes = Array(text.utf8)
    let found = marks.overlays(in: SafeText(line: text)).map {
      String(decoding: bytes[$0.range], as: UTF8.self)
    }
    #expect(found == marked)
  }

  @Test("a name inside an address is the address's")
  func namesInAddresses() {
    let found = marks.overlays(in: "https://a.b/@anna mailto:x@anna")
    #expect(found.allSatisfy { $0.link != nil } && found.count == 2)
  }
}
