// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import StyledText
import Testing

@testable import ChatParts
@testable import ChatRendering
@testable import ChatSession

/// Names as people type them, and what calls somebody.
@MainActor
@Suite("2.12, 7.10: Names and words that call a person")
struct NameTests {
  private func names(_ person: Person, _ text: String) -> [String] {
    let found = person.session.bareName(in: text, caret: text.utf8.count)
    return found?.candidates.sorted { $0.recency > $1.recency }.map(\.text) ?? []
  }

  @Test("2.12: names of people here with that beginning, recent speakers first")
  func bareNames() throws {
    let town = try Town()
    let anna = try town.person("anna")
    for name in ["ben", "bea", "berta"] { try town.person(name).say("hello") }
    _ = try town.person("bernd", in: "tea")
    anna.look()
    #expect(names(anna, "be") == ["berta", "bea", "ben"])
    #expect(names(anna, "so (BE") == ["berta", "bea", "ben"])
    // Nobody is completed in the middle of their name, nor oneself, nor nothing.
    #expect(names(anna, "ert") == [] && names(anna, "ann") == [] && names(anna, "so ") == [])
    anna.say("/set bare-names off")
    #expect(names(anna, "be") == [])
  }

  @Test(
    "2.12: in the text that a command sends to others, and nowhere else in it",
    arguments: [
      ("/me hugs be", true), ("/msg anna ask be", true), ("/reply 1 be", true), ("/me\nbe", true),
      ("/be", false), ("/nick be", false), ("/msg be", false), ("/reply be", false),
    ])
  func inCommands(line: String, isCompleted: Bool) throws {
    let town = try Town()
    let anna = try town.person("anna")
    try town.person("ben").say("hello")
    anna.look()
    #expect(names(anna, line) == (isCompleted ? ["ben"] : []))
  }

  @Test(
    "2.12, 7.10: a text that calls a person rings and runs notify-command; other texts do not",
    arguments: [
      ("ben: tea?", true), ("Ben, tea?", true), ("@ben tea?", true), ("a DEPLOY!", true),
      ("so ben: tea?", false), ("ben", false), ("deployed", false),
    ])
  func calls(text: String, rings: Bool) throws {
    let town = try Town()
    let (anna, ben) = (try town.person("anna"), try town.person("ben"))
    ben.say("/set notify-command notify")
    ben.say("/set highlight deploy release")
    anna.say(text)
    ben.look()
    #expect(ben.bells == (rings ? 1 : 0))
    #expect(ben.notified == (rings ? [["anna", "#lobby", text]] : []))
  }

  @Test(
    "7.10: a sender's name that begins with - is no option of notify-command",
    arguments: ["--rm=x", "-\u{301}x"])
  func senderLikeAnOption(name: String) throws {
    let town = try Town()
    let (anna, ben) = (try town.person("anna"), try town.person(name))
    anna.say("/set notify-command notify")
    ben.say("anna: tea?")
    anna.look()
    #expect(anna.notified == [["@" + name, "#lobby", "anna: tea?"]])
  }

  @Test("7.10: neither is a text that begins with -", arguments: ["--rm=x anna", "-\u{301}x anna"])
  func textLikeAnOption(text: String) throws {
    let town = try Town()
    let (anna, ben) = (try town.person("anna"), try town.person("ben"))
    anna.say("/set notify-command notify")
    ben.say("/msg anna " + text)
    anna.look()
    #expect(anna.notified == [["ben", "@ben", " " + text]])
  }

  @Test("12.3: a completed name that looks like another's is marked, and the other one comes first")
  func lookAlikes() throws {
    let town = try Town()
    let (anna, _, false_) = (
      try town.person("anna"), try town.person("ben"), try town.person("b\u{435}n")
    )
    false_.say("I am ben")
    anna.look()
    let people = anna.session.candidates(after: .person)
    #expect(people.first { $0.text == "b\u{435}n" }?.mark == "≈")
    #expect(people.filter { !$0.mark.isEmpty }.count == 1)
    #expect(
      Ranking.candidates(people, matching: "b").beginning.map(\.text) == ["ben", "b\u{435}n"])
    anna.say("/msg b\u{435}n")
    anna.say("/switch lobby")
    let chats = try #require(anna.session.commandArgument(in: "/switch @b", caret: 10)).candidates
    #expect(chats.map(\.mark).sorted() == ["", "≈"])
  }

  @Test("7.9, 7.10: they are marked, but not in one's own messages")
  func marks() throws {
    let town = try Town()
    let ben = try town.person("ben")
    ben.say("/set highlight deploy")
    func marked(_ text: String, by sender: Person) throws -> [String] {
      sender.say(text)
      let message = try #require(try sender.newest())
      var printer = ben.session.feed.renderer.printer
      let reversed = printer.lines(for: message).last?.runs.filter {
        $0.style.attributes.contains(.reverse)
      }
      return (reversed ?? []).map(\.text.string)
    }
    let anna = try town.person("anna")
    #expect(try marked("ben: the deploy of ben", by: anna) == ["ben", "deploy"])
    #expect(try marked("ben: the deploy", by: ben) == [])
  }

  @Test("7.10: the unread count includes them")
  func unread() throws {
    let town = try Town()
    let ben = try town.person("ben")
    ben.say("/join tea")
    let anna = try town.person("anna")
    for text in ["ben: one", "a deploy", "a deployed one", "nothing"] { anna.say(text) }
    let me = ben.session.me
    #expect(
      try ben.store.read { try $0.unread(mentioning: me, Highlights()) }.map(\.mentions) == [1])
    #expect(
      try ben.store.read { try $0.unread(mentioning: me, Highlights(words: ["Deploy"])) }.map(
        \.mentions)
        == [2])
  }

  @Test("13.4: a name close to an existing one is asked about")
  func nearNames() throws {
    let town = try Town()
    let anna = try town.person("anna")
    _ = try town.person("benjamin", in: "kitchen")
    anna.say("/join kichten")
    #expect(
      anna.question?.text
        == "There is no room #kichten. y: join #kitchen, m: make #kichten, any other key: neither")
    #expect(try anna.store.read { try $0.rooms() }.map(\.name) == ["#kitchen", "#lobby"])
    anna.answer("y")
    #expect(anna.picture[0] == "#kitchen> |")
    anna.say("/switch lobby")
    anna.say("/join kichten")
    anna.answer("n")
    #expect(anna.picture[0] == "#lobby> |")
    anna.say("/join kichten")
    anna.answer("m")
    #expect(anna.picture[0] == "#kichten> |")
    anna.say("/switch @benjamn")
    #expect(anna.question?.text == "There is no @benjamn. y: go to @benjamin, any other key: stay")
    anna.answer("n")
    #expect(anna.picture[0] == "#kichten> |")
    anna.say("/switch benjamn")
    anna.answer("y")
    #expect(anna.picture[0] == "@benjamin> |")
  }

  @Test(
    "13.4: a name close to no other is not asked about",
    arguments: ["garden", "kitchen2", "li", "lobby-of-the-hotel"])
  func farNames(name: String) throws {
    let anna = try Town().person("anna", in: "kitchen")
    for room in ["lobby", "dev1", "it"] { anna.say("/join " + room) }
    anna.say("/join " + name)
    #expect(anna.question == nil && anna.picture[0] == "#\(name)> |")
  }

  @Test("13.4: without a terminal nothing is asked: /join creates the room, /switch fails")
  func nearNamesInScripts() throws {
    let script = try Town().person("anna", in: "kitchen", outputMode: .batch)
    #expect(!script.say("/switch kichten"))
    #expect(script.printed.last == "There is no room kichten; /join makes it.")
    #expect(script.say("/join kichten") && script.question == nil)
    #expect(try script.store.read { try $0.rooms() }.map(\.name) == ["#kichten", "#kitchen"])
  }
}
