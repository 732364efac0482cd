// SPDX-License-Identifier: GPL-3.0-or-later
import StyledText
import Testing

@testable import ChatParts
@testable import ChatPreferences
@testable import ChatRendering
@testable import ChatSession

@MainActor
@Suite("10: Rooms, and being away")
struct RoomCommandTests {
  private let town: Town
  private let anna: Person
  private let ben: Person

  init() throws {
    town = try Town()
    (anna, ben) = (try town.person("anna"), try town.person("ben"))
  }

  private func said(_ person: Person) -> String { person.printed.joined(separator: " ") }

  @Test("10: /topic shows, sets and removes; others see it, also when they enter")
  func topics() throws {
    anna.say("/topic")
    #expect(anna.printed.last == "#lobby has no topic.")
    anna.say("/topic tea at \u{1B}[31mnoon")
    ben.look()
    for person in [anna, ben] {
      #expect(said(person).contains("anna changed the topic: tea at ^[[31mnoon"))
    }
    ben.say("/topic")
    #expect(ben.printed.last?.hasPrefix("Topic of #lobby: tea at") == true)
    #expect(said(try town.person("cleo")).contains("topic: tea at"))
    ben.say("/topic -")
    anna.look()
    for person in [anna, ben] { #expect(said(person).contains("ben removed the topic")) }
    #expect(!anna.say("/topic " + String(repeating: "x", count: 301)))
    #expect(said(anna).contains("A topic can have at most 300 characters; this one has 301."))
  }

  @Test("7.4, 13.4: the topic is in the status line as far as the rest leaves room")
  func topicInTheStatusLine() throws {
    anna.say("/topic tea at noon in the kitchen, with cake")
    anna.say("hello")
    let whole = anna.status(columns: 100)
    #expect(whole.hasPrefix("anna, with 1 other here · tea at noon in the kitchen, with cake |"))
    #expect(whole.hasSuffix("[1] ✓ sent"))
    let narrow = anna.status(columns: 60)
    #expect(narrow.hasPrefix("anna, with 1 other here · tea at") && narrow.contains("… |"))
    #expect(narrow.hasSuffix("[1] ✓ sent") && !anna.status(columns: 44).contains("tea"))
    #expect(!anna.status(notice: "a hint", columns: 100).contains("tea"))
  }

  @Test("10: /invite brings a person in: they are told, and the room is in their list")
  func invitations() throws {
    anna.say("/join tea")
    anna.say("/invite @ben")
    #expect(said(anna).contains("anna invited ben"))
    ben.look()
    #expect(said(ben).contains("anna invited you to #tea; /switch #tea goes there."))
    #expect(ben.bells == 1)
    anna.say("welcome")
    ben.look()
    #expect(ben.picture[1].hasSuffix("#tea 1"))
    ben.say("/next")
    #expect(said(ben).contains("anna: welcome"))
    anna.say("/invite ben")
    #expect(said(anna).contains("ben is in #tea already."))
    #expect(!anna.say("/invite nobody"))
    #expect(said(anna).contains("There is no one named nobody here"))
    anna.say("/query ben hi")
    #expect(!anna.say("/invite ben"))
    #expect(said(anna).contains("@ben is not a room of this machine"))
  }

  @Test("10: /away with a word, which others see in /who, until /back")
  func away() throws {
    anna.say("/back")
    #expect(said(anna).contains("You are not away."))
    anna.say("/away at \u{07}lunch")
    #expect(anna.picture[1].hasPrefix("anna, away: at"))
    anna.say("/status")
    #expect(said(anna).contains("You are away: at"))
    ben.say("/who")
    #expect(ben.printed.contains { $0.hasPrefix("  anna ") && $0.contains("away: at") })
    // Another shell of hers knows, and it outlives the first.
    anna.tell(.leave(status: 0))
    let again = try town.person("anna")
    #expect(again.picture[1].hasPrefix("anna, away: at"))
    again.say("/back")
    #expect(!again.picture[1].contains("away"))
    _ = ben.news()
    ben.say("/who")
    #expect(ben.printed.contains { $0.hasPrefix("  anna ") && $0.contains("here") })
  }

  @Test("7.4: a notice stands beside a room whose name is longer than the screen")
  func longName() throws {
    let room = String(repeating: "r", count: 60)
    ben.say("/join \(room)")
    ben.say("/switch lobby")
    anna.say("/join \(room)")
    anna.say("hello")
    ben.look()
    let status = ben.status(notice: "Copied", columns: 60)
    #expect(status.contains("Copied") && status.hasSuffix("rr… 1"), "\(status)")
  }

  @Test("10: events of a room one has left are hidden; returning shows its end, nothing as new")
  func comingBack() {
    ben.say("said before")
    anna.look()
    anna.say("/leave")
    #expect(anna.picture[0] == "#lobby (left)> |")
    ben.say("said between")
    anna.look()
    #expect(!anna.say("still there?") && anna.text == "still there?")
    #expect(said(anna).contains("You are not in #lobby") && !said(anna).contains("said between"))
    anna.say("/join lobby")
    ben.say("said after")
    anna.look()
    #expect(anna.printed.count { $0.contains("said between") } == 1)
    #expect(anna.printed.count { $0.contains("said before") } == 2)
    #expect(said(anna).contains("said after") && !anna.printed.contains { $0.contains("new") })
  }

  @Test("1.13: a room one has left is read-only, and shows no typing")
  func leftRoomIsReadOnly() {
    ben.say("first")
    anna.look()
    anna.say("mine")
    anna.say("/leave")
    for command in ["/edit", "/delete 2", "/react 2 :tada:", "/me waves"] {
      _ = anna.news()
      #expect(!anna.say(command), "\(command)")
      #expect(said(anna).contains("You are not in #lobby"), "\(command)")
    }
    anna.type("words")
    ben.look()
    #expect(!ben.picture[1].contains("typing"))
    anna.say("/join lobby")
    anna.type("words")
    // At most one signal in three seconds.
    anna.wait(3000)
    ben.look()
    #expect(ben.picture[1].contains("anna is typing"))
  }

  @Test("1.13: a room one was never in is different from a room one has left")
  func neverJoined() {
    ben.say("/join tea")
    ben.say("one")
    anna.say("/switch tea")
    #expect(
      anna.picture == [
        "#tea (not joined)> |", "Only commands work here; /join #tea enters the room",
      ])
    #expect(!anna.say("words") && said(anna).contains("/join #tea enters it."))
    anna.say("/status")
    #expect(said(anna).contains("You are anna, but not in #tea."))
    anna.say("/join tea")
    #expect(anna.picture[0] == "#tea> |")
    anna.say("/leave")
    #expect(anna.picture[0] == "#lobby> |")
  }
}
