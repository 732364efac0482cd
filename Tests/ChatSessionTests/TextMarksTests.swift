// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import StyledText
import Testing

@testable import ChatSession

@Suite("7.9: names in a text") struct TextMarksTests {
  private let marks = TextMarks(
    naming: Participant(id: .init(rawValue: 1), identity: "anna", name: "anna"))

  @Test(
    "a mention is a word of its own",
    arguments: [
      ("hi @anna", true), ("@anna: tea?", true), ("(@ANNA)", true), ("@anna's tea", true),
      ("@Änna!", true), ("*@anna*", true), ("@annabel", false), ("x@anna", false), ("anna", false),
      ("@@anna", false), ("@anna-lena", false), ("mail anna@example.org", false),
      // 2.12: the name at the start, with a colon or a comma.
      ("anna: tea?", true), ("Ännä, tea?", true), ("anna:", true), ("anna:\ntea", true),
      ("anna:8080", false), ("so anna: tea?", false), ("anna tea", false), ("annabel: tea", false),
      ("ben, anna: tea", false), (" anna: tea", false), (":", false),
    ])
  func mentions(text: String, isMe: Bool) {
    #expect(marks.mentionsMe(in: text) == isMe)
  }

  @Test(
    "7.10: highlight words match whole words, in any case and with any accents",
    arguments: [
      ("the deploy, now", true), ("DÉPLOY!", true), ("deploys", false), ("re-deploy", true),
      ("deplo", false), ("c++ please", true), ("nothing", false),
    ])
  func highlighted(text: String, calls: Bool) {
    let marks = TextMarks(highlight: ["Deploy", "c++"])
    #expect(marks.mentionsMe(in: text) == calls)
    #expect(marks.highlighted(in: text).isEmpty != calls)
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

  @Test("a name inside an address is part of the address")
  func namesInAddresses() {
    let found = marks.overlays(in: "https://a.b/@anna mailto:x@anna")
    #expect(found.allSatisfy { $0.link != nil } && found.count == 2)
  }
}
