// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import StyledText
import Testing

@testable import ChatParts
@testable import ChatPreferences
@testable import ChatRendering
@testable import ChatSession

/// Anna follows the tutorial in #lobby, where Ben is, too.
@MainActor
@Suite("10: The tutorial")
struct TutorialTests {
  let town: Town
  let anna: Person
  let ben: Person

  init() throws {
    town = try Town()
    ben = try town.person("ben")
    anna = try town.person("anna")
    _ = anna.news()
  }

  /// The lines of the tutorial among those printed since the last call: praise and titles.
  private func told() -> [String] {
    anna.news().filter { $0.hasPrefix("Done.") || $0.hasPrefix("Step ") || $0.contains("This was") }
  }

  private func skip(to lesson: Tutorial.Lesson) {
    anna.say("/tutorial")
    for _ in 0..<lesson.rawValue { anna.say("/tutorial next") }
    #expect(anna.session.tutorial?.lesson == lesson)
    _ = anna.news()
  }

  @Test("it shows each step, notices when it is done, and ends after the last")
  func fromBeginningToEnd() {
    anna.say("/tutorial")
    #expect(told() == ["Step 1 of 8: Write a message"])
    anna.say("hello")
    #expect(
      told() == [
        "Done. Your message has the number 1; use that in commands such as /info 1.",
        "Step 2 of 8: Correct it",
      ])
    anna.tell(.editLast)
    anna.say("hello all")
    #expect(told().last == "Step 3 of 8: Mention somebody")
    anna.say("@ben: tea?")
    #expect(told().last == "Step 4 of 8: React to a message")
    anna.say("+🎉")
    #expect(told().last == "Step 5 of 8: Enter another room")
    anna.say("/join tea")
    #expect(told().last == "Step 6 of 8: Go back with a key")
    anna.tell(.move(.choose))
    anna.say("lob")
    #expect(told().last == "Step 7 of 8: Find a message")
    anna.say("/search hello")
    #expect(told().last == "Step 8 of 8: Get help")
    anna.say("/help")
    let end = told()
    #expect(end.count == 2 && end[1].hasPrefix("This was the tutorial."), "\(end)")
    anna.say("more")
    #expect(told() == [])
  }

  @Test(
    "only the deed that a step asks for ends it",
    arguments: [
      (Tutorial.Lesson.write, "/who"), (.correct, "hello"), (.mention, "hello"),
      (.react, "hello"), (.enter, "/join lobby"), (.goBack, "hello"), (.find, "/help"),
      (.help, "/who"),
    ])
  func otherDeeds(lesson: Tutorial.Lesson, line: String) {
    anna.say("first")
    skip(to: lesson)
    anna.say(line)
    #expect(told() == [] && anna.session.tutorial?.lesson == lesson)
  }

  @Test("praise comes after what the person did, and does not touch the next line")
  func order() throws {
    anna.say("/tutorial")
    _ = anna.news()
    anna.say("hello")
    let lines = anna.news()
    let message = try #require(lines.firstIndex { $0.contains("anna: hello") })
    #expect(lines[message + 1].hasPrefix("Done."))
    #expect(anna.text == "")
  }

  @Test("a key to another conversation ends its step when the person stays there")
  func keys() {
    anna.say("/join tea")
    skip(to: .goBack)
    anna.tell(.move(.last))
    anna.type("half a line")
    #expect(told().last == "Step 7 of 8: Find a message")
    #expect(anna.picture[0] == "#lobby> half a line|")
  }

  @Test("it waits while a message is being edited, and after an edit without a change")
  func editing() {
    anna.say("hello")
    skip(to: .correct)
    anna.say("/edit")
    #expect(told() == [])
    anna.say("hello")
    #expect(told() == [] && anna.picture[0] == "#lobby> |")
    anna.say("/edit")
    anna.say("hello all")
    #expect(told().first?.hasPrefix("Done.") == true)
  }

  @Test("/tutorial repeats the step, next skips it, stop ends it")
  func commands() {
    for argument in ["next", "stop"] {
      #expect(!anna.say("/tutorial " + argument))
      #expect(anna.news().last == "The tutorial is not running; /tutorial begins it.")
    }
    anna.say("/tutorial")
    _ = anna.news()
    anna.say("/tutorial")
    #expect(told() == ["Step 1 of 8: Write a message"])
    anna.say("/tutorial next")
    #expect(told() == ["Step 2 of 8: Correct it"])
    #expect(!anna.say("/tutorial 3"))
    anna.say("/tutorial stop")
    _ = anna.news()
    anna.say("hello")
    #expect(told() == [])
    skip(to: .help)
    anna.say("/tutorial next")
    #expect(told().map { $0.prefix(8) } == ["This was"])
    #expect(anna.session.tutorial == nil)
  }

  @Test("it names the person's own keys, and a command where a function has no key")
  func ownKeys() {
    anna.say("hello")
    skip(to: .correct)
    anna.say("/tutorial")
    #expect(anna.news().contains("  Type /edit to get your message back on the line."))
    anna.bindings = [("edit-last", "\\e\\C-x \\C-xe"), ("switch-conversation", "\\C-xb")]
    anna.say("/tutorial")
    #expect(anna.news().contains { $0.contains("or press M-C-x (M- is Alt) to get") })
    for _ in 0..<4 { anna.say("/tutorial next") }
    #expect(anna.news().contains { $0.hasPrefix("  Press C-x b (C- is Ctrl), type lobby or") })
  }

  @Test("whoever is alone learns how to become somebody else")
  func alone() throws {
    let cem = try town.person("cem", in: "attic")
    cem.say("/tutorial")
    for _ in 0..<2 { cem.say("/tutorial next") }
    let lines = cem.news()
    #expect(lines.contains { $0.contains("Nobody else has been in #attic.") })
    #expect(lines.contains("    hobnob --store \(town.path) --as NAME"))
    skip(to: .mention)
    anna.say("/tutorial")
    #expect(anna.news().contains("  For example, ben is in #lobby."))
  }

  @Test("a pipe has no tutorial")
  func batch() throws {
    let script = try town.person("cem", outputMode: .batch)
    #expect(!script.say("/tutorial"))
    #expect(script.printed.last?.contains("man hobnob-tutorial") == true)
  }
}
