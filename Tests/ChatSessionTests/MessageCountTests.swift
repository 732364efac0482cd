// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import StoreFixture
import StyledText
import Testing

@testable import ChatCommands
@testable import ChatParts
@testable import ChatSession
@testable import NetworkInbox

/// A network that cuts a long text into several messages, as IRC does.
@MainActor
@Suite("1.9: How many messages a text becomes, and whom a reply names")
struct MessageCountTests {
  private let town: Town
  private let anna: Person
  private let account: Account

  init() throws {
    town = try Town()
    anna = try town.person("anna")
    account = try anna.addedOnIRC()
    try provide { _ in }
    anna.say("/join #tea")
    try anna.store.inbox.apply(
      [
        .joined(room: "#tea", nick: "anna"),
        .present(NetworkUser(identity: "benny", name: "Ben"), room: "#tea"),
      ], of: account)
    anna.look()
  }

  /// A line has 100 bytes, 4 of them for the address of the room.
  private func provide(_ change: (inout Abilities) -> Void) throws {
    var abilities = Abilities.ofIRC
    (abilities.longestMessage, abilities.longestLine) = (nil, 104)
    change(&abilities)
    try anna.provide(NetworkAbilities(rooms: abilities), for: account)
    anna.look()
  }

  /// The status line after typing a text.
  private func status(_ text: String) -> String {
    anna.type(text)
    return anna.status()
  }

  private func text(_ bytes: Int) -> String { String(repeating: "x", count: bytes) }

  @Test("the status line says it while one types, but not of a single message")
  func status() {
    #expect(!status(text(100)).contains("goes as"))
    #expect(status(text(101)).contains("becomes 2 messages"))
    #expect(status("one\n\ntwo\nthree").contains("becomes 3 messages"))
    #expect(!status("one\n\n").contains("goes as"))
    #expect(status("//" + text(100)).contains("becomes 2 messages"))
    #expect(status(text(1_000_000)).contains("becomes 50+ messages"))
    // The mark of an action has 9 bytes.
    #expect(!status("/me " + text(91)).contains("goes as"))
    #expect(status("/me " + text(92)).contains("becomes 2 messages"))
    #expect(status("/reply 1 " + text(101)).contains("becomes 2 messages"))
    #expect(!status("/topic " + text(101)).contains("goes as"))
    #expect(anna.session.messageCount(of: text(501)) > OpenConversation.messagesUnasked)
    #expect(anna.session.messageCount(of: text(500)) == OpenConversation.messagesUnasked)
  }

  @Test("in a narrow terminal, it comes before the newest message's state and who is here")
  func narrow() throws {
    anna.say("waits for the server")
    anna.type(text(101))
    // What is left of 40 columns beside the number of rows.
    #expect(anna.status(columns: 23).hasSuffix("| becomes 2 messages"))
    #expect(!anna.status(columns: 23).contains("an"))
    #expect(anna.status(columns: 60).hasPrefix("anna, with 1 other here |"))
    anna.type("")
    #expect(anna.status(columns: 23) == " | [1] … sending")
  }

  @Test("where a message has no such limit, or people see one, nothing is said")
  func silent() throws {
    try provide { $0.joinsLines = true }
    #expect(!status(text(1000)).contains("goes as"))
    try provide { $0.longestLine = nil }
    #expect(!status(text(1000)).contains("goes as"))
    try provide { $0.longestLine = 54 }
    #expect(status(text(100)).contains("becomes 2 messages"))
    anna.say("/switch #lobby")
    #expect(!status(text(1000)).contains("goes as"))
    anna.say("/switch #tea")
    #expect(status(text(100)).contains("becomes 2 messages"))
    #expect(!anna.session.open.takesFiles)
    try provide { $0.largestFile = nil }
    #expect(anna.session.open.takesFiles)
  }

  @Test("set irc-reply-prefix: a reply names whom it answers, only where that may be hidden")
  func replies() throws {
    try anna.store.inbox.apply(
      [
        .messageReceived(
          NetworkMessage(
            name: MessageIDs(archive: "a"),
            speaker: NetworkUser(identity: "benny", name: "Ben"), body: "tea?"),
          in: .room("#tea"))
      ], of: account)
    anna.look()
    func reply() throws -> String? {
      #expect(anna.say("/reply 1 yes"))
      return try anna.newest()?.body
    }
    try provide { $0.repliesMayBeHidden = true }
    #expect(try reply() == "yes")
    anna.say("/set irc-reply-prefix on")
    #expect(try reply() == "Ben: yes")
    #expect(anna.history.last == "/reply 1 yes")
    #expect(try anna.newest()?.replyTo?.number == 1)
    // Nobody is called by their own name.
    #expect(anna.say("/reply 3 indeed"))
    #expect(try anna.newest()?.body == "indeed")
    _ = anna.news()
    anna.say("/can")
    #expect(
      anna.news().contains(
        "  reply     /reply N shows which message you answer, in programs that can; see /set irc-reply-prefix"
      ))
    try provide { $0.repliesMayBeHidden = false }
    #expect(try reply() == "yes")
  }

  @Test("where a network has no replies, /reply begins with the name of whom it answers")
  func repliesByName() throws {
    try anna.store.inbox.apply(
      [
        .messageReceived(
          NetworkMessage(
            name: MessageIDs(archive: "a"),
            speaker: NetworkUser(identity: "benny", name: "Ben"), body: "tea?"),
          in: .room("#tea"))
      ], of: account)
    anna.look()
    try provide { ($0.replies, $0.repliesMayBeHidden) = (false, true) }
    #expect(anna.say("/reply 1 yes"))
    #expect(try anna.newest()?.body == "Ben: yes")
    #expect(try anna.newest()?.replyTo == nil)
    // Nobody is called by their own name.
    #expect(!anna.say("/reply 2 indeed"))
    #expect(try anna.newest()?.body == "Ben: yes")
  }
}
