// SPDX-License-Identifier: GPL-3.0-or-later
import Testing

@testable import ChatSession

@MainActor
@Suite("10: One message: /info, and how it is printed")
struct MessageInfoTests {
  private let town: Town
  private let anna: Person

  init() throws {
    town = try Town()
    anna = try town.person("anna")
  }

  /// What a command answers.
  private func answer(_ line: String, to person: Person? = nil) -> [String] {
    let person = person ?? anna
    _ = person.news()
    person.say(line)
    return person.news().map { String($0.drop { $0 == " " }) }
  }

  @Test("7.2: /info shows sender, time, each person's state, reactions, reply, earlier texts")
  func infoTellsAll() throws {
    let (ben, cleo) = (try town.person("ben"), try town.person("cleo"))
    cleo.say("/pause")
    anna.say("green")
    for person in [ben, cleo] { person.look() }
    ben.say("/react 1 :tada:")
    anna.say("/edit")
    anna.say("black")
    anna.say("/reply 1 or oolong?")
    for person in [ben, cleo, anna] { person.look() }
    let info = answer("/info 1")
    #expect(info.first == "Message 1 in #lobby")
    for row in ["From      anna (anna)", "State     delivered", "Reactions 🎉 ben"] {
      #expect(info.contains { $0.hasPrefix(row) }, "\(row): \(info)")
    }
    for part in [
      "ben  seen", "cleo  delivered", "Sent ", "Old text  until ", "green", "Text      since ",
      "black",
    ] {
      #expect(info.contains { $0.contains(part) }, "\(part): \(info)")
    }
    #expect(answer("/info -1").contains { $0.hasPrefix("Answers   [1] anna: black") })
    // How far it came is the sender's to know.
    let others = answer("/info 1", to: ben)
    #expect(
      others.contains { $0.contains("Text      since ") }
        && !others.contains { $0.contains("State") })
  }

  @Test("10: /info of a deleted message, without a message, and of a bad number")
  func infoOfNothing() {
    anna.say("gone soon")
    anna.say("/delete")
    #expect(answer("/info 1").contains { $0.hasPrefix("Deleted   ") })
    for (line, reason) in [
      ("/info 7", "There is no message 7 here."), ("/info x", "“x” is not a message number"),
      ("/info", "Usage: /info N"),
    ] {
      #expect(answer(line).joined(separator: " ").contains(reason), "\(line)")
    }
  }

  @Test("12.3: a name that looks like another's is marked, and /info says who it is")
  func lookAlikes() throws {
    anna.say("I am anna")
    // A Cyrillic letter.
    let other = try town.person("\u{430}nna")
    other.say("so am I")
    let ben = try town.person("ben")
    #expect(ben.printed.contains { $0.hasSuffix("  1  anna: I am anna") })
    #expect(ben.printed.contains { $0.hasSuffix("  2 ≈\u{430}nna: so am I") })
    #expect(
      answer("/info 2", to: ben).joined(separator: " ").contains(
        "this name looks like another name"))
    // Somebody who comes later is found as well.
    try town.person("ann\u{430}").say("me too")
    ben.look()
    #expect(ben.printed.contains { $0.hasSuffix("≈ann\u{430}: me too") })
    #expect(!answer("/who", to: ben).joined().contains("≈ben"))
  }

  @Test("12.5: a body of more than fold-lines lines is folded when printed")
  func manyLines() throws {
    let ben = try town.person("ben")
    ben.say((1...41).map { "line \($0)." }.joined(separator: "\n"))
    anna.look()
    #expect(
      anna.printed.contains { $0.hasSuffix("(41 lines, folded; to read all: /info 1)") })
    #expect(!anna.printed.contains { $0.hasSuffix("line 11.") })
    anna.say("/set fold-lines 41")
    #expect(answer("/history").contains { $0.hasSuffix("line 41.") })
  }

  @Test("10: /quote puts the text on the line")
  func quotes() throws {
    let ben = try town.person("ben")
    ben.say("first\n\nsecond")
    anna.look()
    anna.say("/quote 1")
    #expect(anna.text == "> first\n>\n> second\n")
    ben.look()
    #expect(!ben.picture[1].contains("typing"))
    anna.type("")
    #expect(answer("/quote 9").joined().contains("There is no message 9"))
  }

  @Test("7.8: any emoji reacts, with its skin tone; an unknown shortcode is not sent")
  func reactions() throws {
    try town.person("ben").say("hello")
    anna.look()
    anna.say("+👍🏿")
    anna.say("/react 1 ❤")
    #expect(anna.printed.contains { $0.hasSuffix("    👍🏿 anna") })
    #expect(anna.printed.contains { $0.hasSuffix("    ❤️ anna") })
    #expect(!anna.say("+:nosuch:") && anna.text == "+:nosuch:")
    #expect(anna.printed.joined(separator: " ").contains(":nosuch: is not an emoji"))
    anna.say("+:nosuch: it is")
    #expect(anna.printed.last?.hasSuffix("2 anna: +:nosuch: it is") == true)
  }
}
