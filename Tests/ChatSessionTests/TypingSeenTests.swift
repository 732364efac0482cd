// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Testing

@testable import ChatParts
@testable import ChatPreferences
@testable import ChatRendering
@testable import ChatSession
@testable import NetworkInbox

@MainActor
@Suite("4: Who is seen typing, and when")
struct TypingSeenTests {
  private let town: Town
  private let anna: Person
  private let ben: Person

  init() throws {
    town = try Town()
    (anna, ben) = (try town.person("anna"), try town.person("ben"))
  }

  /// Whether anna sees that ben types.
  private var isSeen: Bool {
    anna.look()
    return anna.picture[1].contains("ben is typing")
  }

  @Test("4.1, 4.3: it appears, and ends with the message, with C-c, or after a time")
  func appearsAndGoes() {
    ben.type("I could")
    #expect(isSeen)
    ben.say("I could come")
    #expect(!isSeen)
    // At most one signal in three seconds.
    ben.wait(3100)
    ben.type("or not")
    #expect(isSeen)
    ben.tell(.emptied)
    ben.type("")
    #expect(!isSeen)
    ben.wait(3100)
    ben.type("x")
    #expect(isSeen)
    ben.wait(6000)
    #expect(!isSeen)
  }

  @Test(
    "4.3: commands signal no typing, nor does anything with /typing off or `typing` off",
    arguments: ["/typing off", "/set typing off"])
  func signalsNothing(command: String) {
    ben.type("/histor")
    ben.wait(4000)
    #expect(!isSeen)
    ben.say(command)
    ben.type("secretly")
    ben.wait(4000)
    #expect(!isSeen)
  }

  @Test("4.3: /typing shows and changes whether others see it")
  func command() {
    ben.say("/typing")
    #expect(ben.printed.last?.hasPrefix("Others see when you are typing") == true)
    ben.say("/typing off")
    ben.say("/typing")
    #expect(ben.printed.last?.hasPrefix("Others do not see when you are typing") == true)
    #expect(!ben.say("/typing maybe"))
    #expect(ben.printed.joined().contains("Usage: /typing [on|off]"))
  }

  @Test(
    "4.2: typing-timeout sets how long a person stays typing; with 0, until they pause",
    arguments: [("1", 1100, false), ("0", 5000, true)] as [(String, Int64, Bool)])
  func timeout(seconds: String, pause: Int64, stays: Bool) {
    anna.say("/set typing-timeout \(seconds)")
    ben.type("I")
    #expect(isSeen)
    anna.wait(pause)
    #expect(anna.picture[1].contains("ben is typing") == stays)
    ben.type("")
    #expect(!isSeen)
  }

  @Test(
    "4.2, 4.3: a network that repeats the signal shows it for 6 s, and another for 30 s",
    arguments: [(true, 6_100), (false, 30_100)] as [(Bool, Int64)])
  func elsewhere(isRepeated: Bool, end: Int64) throws {
    let account = try anna.addedOnIRC()
    var abilities = Abilities()
    abilities.repeatsTyping = isRepeated
    anna.say("/join #tea@irc.x.org")
    let ben = NetworkUser(identity: "ben", name: "ben")
    try anna.store.inbox.apply(
      [.joined(room: "#tea", nick: "anna"), .present(ben, room: "#tea")], of: account)
    // While the room is open, as at the first connection.
    try anna.provide(NetworkAbilities(rooms: abilities), for: account)
    try anna.store.inbox.apply([.typing(ben, in: .room("#tea"), true)], of: account)
    #expect(isSeen)
    anna.wait(end - 1_000)
    #expect(isSeen)
    anna.wait(1_000)
    #expect(!isSeen)
  }

  @Test("4.3: text typed right after a sent line is signalled within 3 s")
  func typingAgainAfterSending() {
    ben.type("first")
    #expect(isSeen)
    ben.say("first")
    #expect(!isSeen)
    // Too soon for a signal, and no key comes after it.
    ben.type("second")
    #expect(!isSeen)
    ben.wait(3000)
    #expect(isSeen)
  }

  @Test("3.2, 4.3: starting an edit does not signal what was typed before")
  func editingAfterTyping() {
    ben.say("first")
    ben.type("half")
    ben.tell(.editLast)
    #expect(ben.picture[0] == "edit 1> first|" && !isSeen)
    ben.wait(4000)
    #expect(!isSeen)
  }

  @Test("4.4: in plain mode nothing appears by itself, and /who shows who is typing")
  func plainModeIsSilent() throws {
    let cleo = try town.person("cleo", outputMode: .plain)
    ben.type("I could")
    cleo.look()
    #expect(!cleo.printed.joined().contains("typing"))
    cleo.say("/who")
    #expect(cleo.printed.contains { $0 == "  ben: typing" })
    ben.tell(.emptied)
    ben.type("")
    _ = cleo.news()
    cleo.look()
    cleo.say("/who")
    #expect(cleo.printed.contains { $0.hasPrefix("  ben: here") })
  }
}
