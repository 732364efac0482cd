// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Testing

@testable import IRC

/// What the owner asks for happens once, and they learn what became of it.
@Suite("requests on IRC that a break or the flood limit delays")
struct RequestBreakTests {
  private func request(
    _ verb: NetworkRequest.Verb, _ target: String, _ text: String = "", id: Int64 = 1
  ) -> NetworkRequest {
    NetworkRequest(verb, target, text, id: id)
  }

  @Test(
    "what somebody may have seen is not said again after a break",
    arguments: [NetworkRequest.Verb.line, .ctcp])
  func spoken(verb: NetworkRequest.Verb) {
    var talk = IRCTalk()
    let (target, text) = verb == .line ? ("", "PRIVMSG ben :hello") : ("ben", "VERSION")
    let command = verb == .line ? "/irc PRIVMSG …" : "/ctcp ben VERSION"
    talk.tell(.requests([request(verb, target, text), request(verb, target, text, id: 2)]))
    #expect(talk.takeSent().count { $0.hasPrefix("PRIVMSG ben") } == 1)
    talk.disconnect()
    #expect(talk.answers == ["1: The connection broke, and “\(command)” may have arrived."])
    // The second one was not sent yet.
    talk.reconnect()
    #expect(talk.takeSent().count { $0.hasPrefix("PRIVMSG ben") } == 1)
  }

  @Test(
    "what a process that is gone had begun is not said again",
    arguments: [NetworkRequest.Verb.line, .ctcp, .kick, .whois])
  func begunBefore(verb: NetworkRequest.Verb) {
    var talk = IRCTalk()
    var begun = request(verb, "ben", "PRIVMSG ben :hello")
    begun.wasTried = true
    talk.tell(.requests([begun, begun]))
    let isRepeated = verb == .whois
    #expect(talk.takeSent().isEmpty != isRepeated)
    let command = verb == .line ? "/irc PRIVMSG …" : "/\(verb.command) ben PRIVMSG ben :hello"
    let doubt = "1: The connection broke, and “\(command)” may have arrived."
    #expect(talk.answers == (isRepeated ? [] : [doubt]))
  }

  @Test("what the flood limit held back is sent after the break")
  func held() {
    var talk = IRCTalk(settings: ["flood": "1/60"])
    talk.write("one", to: .direct("ben"))
    talk.tell(.requests([request(.line, "", "PRIVMSG ben :hello")]))
    #expect(!talk.takeSent().contains("PRIVMSG ben :hello"))
    talk.reconnect()
    #expect(talk.answers.isEmpty)
    #expect(talk.takeSent().contains("PRIVMSG ben :hello"))
  }

  @Test("the time for an answer begins when the flood limit lets the line go")
  func patience() {
    var talk = IRCTalk(settings: ["flood": "1/20"])
    talk.enter("#tea")
    talk.wait(20_000)
    talk.write("one", to: .direct("ben"))
    talk.tell(.requests([request(.kick, "#tea", "ben")]))
    _ = talk.takeSent()
    talk.wait(20_000)
    #expect(talk.takeSent() == ["PING hobnob-2", "KICK #tea :ben"])
    talk.wait(20_000)
    #expect(talk.takeSent() == ["PING hobnob-3", "PING hobnob-request-1"])
    talk.wait(14_000)
    #expect(talk.answers.isEmpty)
    talk.wait(1_000)
    #expect(talk.answers == ["1: The server does not answer."])
  }

  @Test("what concerns a room waits until the owner is in it, or learns why they cannot be")
  func entering() {
    var talk = IRCTalk(rooms: ["#tea", "#milk", "#left"])
    talk.forget()
    let kick = request(.kick, "#tea", "ben", id: 2)
    talk.tell(
      .requests([
        request(.topic, "#tea", "green"), kick, request(.mode, "#tea", "+m", id: 3),
        request(.topic, "#milk", "white", id: 4), request(.topic, "#left", "x", id: 5),
      ]))
    #expect(talk.takeSent().isEmpty)
    talk.receive(":anna!a@h JOIN #tea", ":srv 353 anna = #tea :anna @Ben")
    #expect(talk.takeSent().isEmpty && talk.answers.isEmpty)
    talk.receive(":srv 366 anna #tea :End of NAMES")
    #expect(talk.takeSent().contains("TOPIC #tea :green"))
    for number in 1...3 { talk.receive(":srv PONG srv hobnob-request-\(number)") }
    #expect(talk.takeSent().filter { !$0.hasPrefix("PING") } == ["KICK #tea :Ben", "MODE #tea +m"])
    talk.receive(":srv 471 anna #milk :Cannot join channel (+l)")
    #expect(talk.answers.last == "4: #milk is full.")
    talk.tell(.requests([request(.leave, "#left", id: 6)]))
    #expect(talk.answers.suffix(2) == ["6: ", "5: You are not in #left."])
  }
}
