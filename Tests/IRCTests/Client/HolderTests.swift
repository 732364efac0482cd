// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Testing

@testable import IRC

/// Rule 14.3: a direct message reaches the person with the account, or nobody.
@Suite("who has a nick on IRC")
struct HolderTests {
  private static let capabilities = ["account-tag", "echo-message", "message-tags"]

  private static let ping = "PING hobnob-lists"
  private static let pong = ":srv PONG srv hobnob-lists"

  private func talk(_ capabilities: [String] = capabilities, _ support: String = "CHANTYPES=#")
    -> IRCTalk
  {
    var talk = IRCTalk(capabilities, support: support, proven: ["ben"])
    talk.forget()
    return talk
  }

  @Test("before the first message to a person with an account, the client asks who has the nick")
  func stranger() {
    var talk = talk()
    talk.write("secret", to: .direct("ben"))
    talk.write("more", to: .direct("ben"))
    talk.write("hello", to: .direct("carla"))
    #expect(talk.takeSent() == ["WHOIS ben", Self.ping, "PRIVMSG carla :hello"])
    talk.receive(
      ":srv 311 anna Ben x h * :X", ":srv 318 anna ben :End of /WHOIS list.", Self.pong)
    #expect(talk.takeSent().isEmpty)
    let sentence = "Somebody else has the nick ben now."
    #expect(talk.results == ["1 failed: \(sentence)", "2 failed: \(sentence)"])
  }

  @Test("a nick that nobody has is so for the owner's command as well")
  func command() {
    var talk = IRCTalk(Self.capabilities, rooms: ["#tea"], proven: ["ben"])
    talk.enter("#tea", with: "")
    talk.write("secret", to: .direct("ben"))
    talk.tell(.request(.invite, "#tea", "ben", id: 9))
    talk.receive(
      ":srv 401 anna ben :No such nick/channel", ":srv PONG srv :hobnob-request-1")
    #expect(talk.answers == ["9: Refused: /invite ben (ben: No such nick/channel)"])
  }

  @Test("somebody else with the nick does not see that the owner types")
  func typing() {
    var talk = talk()
    talk.write("secret", to: .direct("ben"))
    talk.tell(.signals([.typing(.direct("ben"), true)]))
    talk.receive(
      ":srv 311 anna ben x h * :X", ":srv 318 anna ben :End of /WHOIS list.", Self.pong)
    talk.tell(.signals([.typing(.direct("ben"), true)]))
    #expect(!talk.sent.contains { $0.contains("TAGMSG") })
    talk.tell(.signals([.typing(.direct("carla"), true)]))
    #expect(talk.sent.contains { $0.contains("TAGMSG carla") })
  }

  @Test("the person with the account gets it, also if the answer was refused at first")
  func person() {
    var talk = talk()
    talk.write("secret", to: .direct("ben"))
    talk.receive(":srv 263 anna WHOIS :Please wait a while and try again.", Self.pong)
    _ = talk.takeSent()
    talk.wait(30_000)
    #expect(talk.takeSent() == ["WHOIS ben", Self.ping])
    talk.receive(
      ":srv 311 anna ben b h * :B", ":srv 330 anna ben Ben :is logged in as",
      ":srv 318 anna ben :End of /WHOIS list.")
    #expect(talk.takeSent() == ["PRIVMSG ben :secret"])
    talk.write("more", to: .direct("ben"))
    #expect(talk.takeSent() == ["PRIVMSG ben :more"])
    // On the next connection, somebody else may have the nick.
    talk.reconnect(Self.capabilities)
    talk.forget()
    talk.write("and more", to: .direct("ben"))
    #expect(!talk.takeSent().contains { $0.contains("and more") })
  }

  @Test("a nick that nobody has gets nothing")
  func nobody() {
    var talk = talk()
    talk.write("secret", to: .direct("ben"))
    talk.receive(":srv 401 anna ben :No such nick", ":srv 318 anna ben :End of /WHOIS list.")
    #expect(talk.results.isEmpty)
    talk.receive(Self.pong)
    #expect(talk.results == ["1 failed: ben: No such nick"])
    #expect(talk.takeSent() == ["WHOIS ben", Self.ping])
  }

  @Test("the person may be in a room, under another nick than before")
  func otherNick() {
    var talk = IRCTalk(
      Self.capabilities, support: "CHANTYPES=# WHOX", rooms: ["#tea"], proven: ["ben"])
    talk.write("secret", to: .direct("ben"))
    #expect(!talk.takeSent().contains { $0.contains("ben") })
    talk.enter("#tea", with: "ben ben_away")
    #expect(talk.takeSent() == ["WHOIS ben", "WHO #tea %tnfa,42", Self.ping])
    // The stranger answers first.
    talk.receive(":srv 311 anna ben x h * :X", ":srv 318 anna ben :End of /WHOIS list.")
    talk.receive(":srv 354 anna 42 ben_away H ben", ":srv 354 anna 42 ben H 0")
    #expect(talk.takeSent() == ["PRIVMSG ben_away :secret"])
    talk.receive(Self.pong)
    #expect(talk.results.isEmpty)
  }

  @Test("the question goes before those about the people in rooms, which the flood limit delays")
  func throttled() {
    let rooms = (0..<30).map { "#r\($0)" }
    var talk = IRCTalk(
      Self.capabilities, support: "CHANTYPES=# WHOX", settings: ["flood": "2/2"], rooms: rooms,
      proven: ["ben"])
    talk.write("secret", to: .direct("ben"))
    talk.wait(60_000)
    for room in rooms.dropLast() { talk.enter(room, with: "dan") }
    talk.forget()
    talk.wait(4_000)
    #expect(!talk.takeSent().contains("WHOIS ben"))
    talk.enter("#r29", with: "dan")
    talk.wait(2_000)
    #expect(talk.takeSent() == ["WHOIS ben"])
  }

  // MARK: The last nick

  private static let away = [
    ":srv 311 anna ben_away b h * :B", ":srv 330 anna ben_away ben :is logged in as",
    ":srv 318 anna ben_away :End of /WHOIS list.",
  ]

  @Test("the person may still have the nick that an earlier process knew")
  func lastNick() {
    var talk = IRCTalk(Self.capabilities, support: "CHANTYPES=#", nicks: ["ben": "Ben_away"])
    talk.enter("#tea", with: "")
    // A stranger has the other nick.
    talk.receive("@account=* :ben!x@h PRIVMSG #tea :hi")
    talk.forget()
    talk.write("secret", to: .direct("ben"))
    #expect(talk.takeSent() == ["WHOIS ben_away", Self.ping])
    talk.tell(.lines(Self.away.compactMap { IRCLine($0) }))
    #expect(talk.takeSent() == ["PRIVMSG ben_away :secret"])
  }

  @Test("the last nick is kept over a break, also after the person has changed it")
  func lastNickHere() {
    var talk = IRCTalk(Self.capabilities, support: "CHANTYPES=#")
    talk.enter("#tea", with: "ben")
    talk.receive("@account=ben :ben!b@h PRIVMSG #tea :hi", ":ben!b@h NICK ben_away")
    talk.reconnect(Self.capabilities, support: "CHANTYPES=#")
    talk.enter("#tea", with: "")
    talk.forget()
    talk.write("secret", to: .direct("ben"))
    #expect(Set(talk.takeSent()) == ["WHOIS ben", "WHOIS ben_away", Self.ping])
    talk.tell(.lines(Self.away.compactMap { IRCLine($0) }))
    #expect(talk.takeSent() == ["PRIVMSG ben_away :secret"])
  }

  @Test("nobody gets it if neither nick is the person's")
  func neitherNick() {
    var talk = IRCTalk(Self.capabilities, support: "CHANTYPES=#", nicks: ["ben": "ben_away"])
    talk.forget()
    talk.write("secret", to: .direct("ben"))
    #expect(Set(talk.takeSent()) == ["WHOIS ben", "WHOIS ben_away", Self.ping])
    talk.receive(Self.pong, ":srv 401 anna ben :No such nick")
    #expect(talk.results.isEmpty)
    talk.receive(":srv 311 anna ben_away x h * :X", ":srv 318 anna ben_away :End of /WHOIS list.")
    #expect(talk.results == ["1 failed: ben: No such nick"])
    // The next one is asked for again.
    talk.write("more", to: .direct("ben"))
    #expect(talk.takeSent() == ["WHOIS ben", Self.ping])
  }

  @Test("what a break left in doubt is looked for, and sent again, under the nick of now")
  func doubt() {
    let capabilities =
      Self.capabilities + ["batch", "server-time", "draft/chathistory", "labeled-response"]
    var talk = IRCTalk(
      capabilities, support: "CHANTYPES=# WHOX", rooms: ["#tea"], proven: ["ben"])
    talk.write("one", to: .direct("ben"), wasTried: true)
    talk.write("two", to: .direct("ben"), wasTried: true)
    talk.enter("#tea", with: "ben ben_away")
    talk.receive(":srv 354 anna 42 ben H 0")
    #expect(!talk.takeSent().contains { $0.contains("CHATHISTORY LATEST ben") })
    talk.receive(":srv 354 anna 42 ben_away H ben")
    let question = talk.takeSent().first { $0.contains("CHATHISTORY LATEST ben_away") } ?? ""
    talk.receive(
      "\(question.prefix { $0 != " " }) :srv BATCH +1 chathistory ben_away",
      "@batch=1;msgid=m1;time=2023-11-14T22:13:19.000Z :anna!~a@h PRIVMSG ben_away :one",
      ":srv BATCH -1")
    #expect(talk.results == ["1 sent m1"])
    #expect(talk.takeSent().filter { $0.hasSuffix("PRIVMSG ben_away :two") }.count == 1)
  }

  @Test("the rest of a long message follows a person to another nick")
  func rest() {
    var talk = IRCTalk(
      ["extended-join", "echo-message"], settings: ["flood": "1/2"], proven: ["ben"])
    talk.enter("#tea", with: "")
    talk.receive(":ben!b@h JOIN #tea ben :Ben")
    talk.wait(2_000)
    _ = talk.takeSent()
    talk.write("one\ntwo", to: .direct("ben"))
    #expect(talk.takeSent() == ["PRIVMSG ben :one"])
    talk.receive(
      ":anna!a@h PRIVMSG ben :one", ":ben!b@h NICK ben_away", ":ben!x@h JOIN #tea * :X")
    talk.wait(2_000)
    #expect(talk.takeSent() == ["PRIVMSG ben_away :two"])
  }

  @Test("where the server knows no accounts, the nick is all there is")
  func noAccounts() {
    var talk = talk(["echo-message"])
    talk.write("hello", to: .direct("ben"))
    #expect(talk.takeSent() == ["PRIVMSG ben :hello"])
  }
}
