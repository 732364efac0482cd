// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Testing

@testable import IRC

/// Rule 14.1 and 14.2: a state says what is known, nothing is sent twice, and nothing is lost.
@Suite("states of a message on IRC")
struct StateTests {
  private static let labels = ["labeled-response", "echo-message", "message-tags", "batch"]

  @Test("with labels, a message is sent when the server answers with its label")
  func byLabel() throws {
    var talk = IRCTalk(Self.labels)
    talk.enter("#tea")
    _ = talk.takeSent()
    talk.write("one")
    talk.write("two")
    #expect(talk.takeSent() == ["@label=h1 PRIVMSG #tea :one", "@label=h2 PRIVMSG #tea :two"])
    talk.receive("@label=h2;msgid=m2 :anna!~anna@host PRIVMSG #tea :two")
    #expect(talk.results == ["2 sent m2"])
    talk.receive("@label=h1;msgid=m1 :anna!~anna@host PRIVMSG #tea :one")
    #expect(talk.results == ["2 sent m2", "1 sent m1"])
    #expect(talk.said.isEmpty)
  }

  @Test("without labels, the echoes count in order; those of another client are messages")
  func byEcho() {
    var talk = IRCTalk(["echo-message"])
    talk.enter("#tea")
    talk.write("one")
    talk.receive(":anna!~anna@host PRIVMSG #tea :o n e")
    talk.receive(":anna!~anna@host PRIVMSG #tea :from my telephone")
    #expect(talk.results == ["1 sent"])
    #expect(talk.said == ["anna: from my telephone"])
  }

  @Test("without echoes, the PONG after the burst counts, and a refusal before it")
  func byPong() {
    var talk = IRCTalk()
    talk.enter("#tea")
    _ = talk.takeSent()
    talk.write("one")
    talk.write("two", to: .direct("ben"))
    #expect(
      talk.takeSent() == [
        "PRIVMSG #tea :one", "PING hobnob-1", "PRIVMSG ben :two", "PING hobnob-2",
      ])
    talk.receive(":srv 401 anna ben :No such nick/channel", ":srv PONG srv :hobnob-1")
    #expect(talk.results == ["2 failed: ben: No such nick/channel", "1 sent"])
    talk.receive(":srv PONG srv :hobnob-2")
    #expect(talk.results.count == 2)
  }

  @Test(
    "what a server refuses because of its limits and filters is not sent",
    arguments: [439, 440, 707, 936])
  func limits(number: Int) {
    var talk = IRCTalk(["echo-message"])
    talk.write("one", to: .direct("ben"))
    talk.receive(":srv \(number) anna ben :message dropped", ":srv PONG srv :hobnob-1")
    #expect(talk.results == ["1 failed: ben: message dropped"])
  }

  @Test(
    "a ZNC answers PING and echoes by itself: the answer to WHOIS counts, which is the server's")
  func behindZNC() {
    var talk = IRCTalk(["server-time", "znc.in/batch"])
    talk.enter("#tea")
    _ = talk.takeSent()
    talk.write("one")
    #expect(talk.takeSent() == ["PRIVMSG #tea :one", "WHOIS hobnob-1"])
    talk.receive(":srv 401 anna hobnob-1 :No such nick", ":srv 318 anna hobnob-1 :End")
    #expect(talk.results == ["1 sent"])
    talk.write("two")
    talk.receive(
      ":srv 404 anna #tea :no", ":srv 401 anna hobnob-2 :No such nick",
      ":srv 318 anna hobnob-2 :End")
    #expect(talk.results == ["1 sent", "2 failed: #tea: no"])
  }

  @Test("what was written and not answered fails at a break; what was not written goes out later")
  func breaks() {
    var talk = IRCTalk(settings: ["flood": "2/2"])
    talk.enter("#tea")
    _ = talk.takeSent()
    for text in ["one", "two", "three"] { talk.write(text) }
    #expect(
      talk.takeSent().filter { $0.hasPrefix("PRIVMSG") } == [
        "PRIVMSG #tea :one", "PRIVMSG #tea :two",
      ])
    talk.disconnect()
    #expect(talk.results.isEmpty)
    talk.tell(.up(Login.Welcome(nick: "anna", capabilities: Capabilities())))
    talk.receive(":srv 422 anna :No MOTD")
    talk.wait(60_000)
    talk.enter("#tea")
    talk.deliver()
    let doubt = "The connection broke, and the message may have arrived. /retry sends it again."
    #expect(talk.results == ["1 failed: \(doubt)", "2 failed: \(doubt)"])
    #expect(talk.takeSent().contains("PRIVMSG #tea :three"))
  }

  @Test("a break is told where the server keeps no history of what others wrote meanwhile")
  func gaps() {
    for capabilities in [[], ["draft/chathistory", "batch", "server-time"]] {
      var talk = IRCTalk(capabilities)
      func notices() -> [String] {
        talk.events.compactMap { if case .notice(let text) = $0 { text.text } else { nil } }
      }
      #expect(notices().isEmpty)
      // The break began when the server was last heard.
      talk.now += 40_000
      talk.disconnect()
      talk.now += 40_000
      talk.reconnect(capabilities, support: "CHATHISTORY=100")
      #expect(
        notices()
          == (capabilities.isEmpty
            ? [
              "The connection was broken for 80 seconds. The server keeps no history, so what others wrote in that time is missing here."
            ] : []))
    }
  }

  @Test("after a break, the history decides what arrived")
  func breaksWithHistory() {
    let capabilities = Self.labels + ["draft/chathistory", "server-time"]
    var talk = IRCTalk(capabilities, marks: ["#tea": "2023-11-14T22:00:00.000Z m0"])
    talk.enter("#tea")
    talk.receive(
      "@label=h1 :srv BATCH +1 chathistory #tea", ":srv BATCH -1")
    _ = talk.takeSent()
    talk.write("one")
    talk.write("two")
    talk.disconnect()
    var agreed = Capabilities()
    agreed.enabled = Set(capabilities)
    talk.tell(.up(Login.Welcome(nick: "anna", capabilities: agreed)))
    talk.receive(":srv 422 anna :No MOTD")
    talk.deliver()
    talk.enter("#tea")
    let question = talk.takeSent().first { $0.contains("CHATHISTORY AFTER #tea") }
    let label = question?.split(separator: " ").first.map { $0.dropFirst() } ?? ""
    talk.receive(
      "@\(label);draft/chathistory-end :srv BATCH +2 chathistory #tea",
      "@batch=2;msgid=m1;time=2023-11-14T22:13:20.000Z :anna!~anna@host PRIVMSG #tea :one",
      ":srv BATCH -2")
    #expect(talk.results == ["1 sent m1"])
    // The store knows it by its id; what follows in the history comes after it.
    let names = talk.events.compactMap {
      if case .messageReceived(let message, _) = $0 { message.name } else { nil }
    }
    #expect(names == [MessageIDs(origin: "u1")])
    #expect(talk.takeSent().contains { $0.hasSuffix("PRIVMSG #tea :two") })
  }

  @Test("a text of several lines is one message: the least of its parts")
  func parts() {
    var talk = IRCTalk(["echo-message"])
    talk.enter("#tea")
    talk.write("one\n\ntwo")
    talk.receive(":anna!~anna@host PRIVMSG #tea :one")
    #expect(talk.results.isEmpty)
    talk.receive(":srv 404 anna #tea :Cannot send to channel")
    #expect(
      talk.results == [
        "1 failed: A part of the message has arrived, and /retry sends that part again, too. #tea: Cannot send to channel"
      ])
  }

  @Test("when the server refuses a part, the others' answers are awaited, and the rest not sent")
  func refusedParts() {
    let capabilities = ["echo-message", "labeled-response", "batch"]
    for arrives in [false, true] {
      var talk = IRCTalk(capabilities, settings: ["flood": "2/5"])
      talk.enter("#tea")
      talk.write("one\n\ntwo\n\nthree")
      _ = talk.takeSent()
      talk.receive("@label=h1 :srv 404 anna #tea :No")
      #expect(talk.results.isEmpty)
      talk.receive(
        arrives
          ? "@label=h2 :anna!~a@h PRIVMSG #tea :two" : "@label=h2 :srv 404 anna #tea :Nor this")
      let words =
        arrives
        ? "A part of the message has arrived, and /retry sends that part again, too. #tea: No"
        : "#tea: No"
      #expect(talk.results == ["1 failed: \(words)"])
      talk.wait(10_000)
      #expect(talk.takeSent().isEmpty)
    }
  }

  @Test("a refused message does not wait for the room's new name")
  func renamedAfterRefusal() {
    var talk = IRCTalk(["echo-message", "labeled-response", "batch"])
    talk.enter("#tea")
    talk.write("one\n\ntwo")
    talk.receive(
      "@label=h1 :srv 404 anna #tea :No", ":srv RENAME #tea #milk :",
      "@label=h2 :srv 404 anna #tea :No")
    #expect(talk.results == ["1 failed: #tea: No"])
  }

  @Test("a break after a refused part leaves the others in doubt")
  func breaksAfterRefusal() {
    var talk = IRCTalk(["echo-message", "labeled-response", "batch"])
    talk.enter("#tea")
    talk.write("one\n\ntwo")
    talk.receive("@label=h1 :srv 404 anna #tea :No")
    talk.reconnect()
    talk.enter("#tea")
    talk.deliver()
    let doubt = "The connection broke, and the message may have arrived. /retry sends it again."
    #expect(talk.results == ["1 failed: \(doubt)"])
  }
}
