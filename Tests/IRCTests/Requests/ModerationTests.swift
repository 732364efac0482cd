// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Testing

@testable import IRC

/// What the owner asks for about people in a room.
@Suite("bans and ranks on IRC")
struct ModerationTests {
  private func talk(
    settings: [String: String] = ["flood": "off"]
  ) -> IRCTalk {
    var talk = IRCTalk(settings: settings)
    talk.enter("#Tea", with: "@ben carla")
    _ = (talk.takeSent(), talk.takeEvents())
    return talk
  }

  @Test("a ban is on the host, and its end is the end of any ban on that person")
  func bans() {
    var talk = talk()
    func act(
      _ verb: NetworkRequest.Verb, _ id: Int64, _ nick: String = "ben", hosts: String,
      sends line: String
    ) {
      talk.tell(.request(verb, "#tea", nick, id: id))
      let asked = talk.takeSent()
      #expect(asked.first == "USERHOST " + nick)
      // The answer has a blank at its end.
      talk.receive(":srv 302 anna :\(hosts)", ":srv PONG srv \(asked[1].dropFirst(5))")
      let sent = talk.takeSent()
      #expect(sent.first == line)
      talk.receive(":srv PONG srv \(sent[1].dropFirst(5))")
    }
    act(.ban, 1, hosts: "ben*=-~b@h.example.net ", sends: "MODE #Tea +b *!*@h.example.net")
    // He is gone.
    act(.unban, 2, hosts: "", sends: "MODE #Tea -bb *!*@h.example.net ben!*@*")
    act(.ban, 3, "zoe", hosts: "", sends: "MODE #Tea +b zoe!*@*")
    // The owner must not ban themselves.
    act(.ban, 4, "carl", hosts: "carl=+~c@host", sends: "MODE #Tea +b *!~c@host")
    act(.ban, 5, "dora", hosts: "dora=+~anna@host", sends: "MODE #Tea +b dora!*@*")
    #expect(
      talk.answers == [
        "1: ben (*!*@h.example.net) can no longer enter #tea.",
        "2: ben (*!*@h.example.net, ben!*@*) can enter #tea again.",
        "3: zoe (zoe!*@*) can no longer enter #tea.",
        "4: carl (*!~c@host) can no longer enter #tea.",
        "5: dora (dora!*@*) can no longer enter #tea.",
      ])
    talk.tell(.request(.ban, "#tea", "ben", id: 6))
    talk.receive(
      ":srv 421 anna USERHOST :Unknown command", ":srv PONG srv hobnob-request-11",
      ":srv 482 anna #Tea :You're not a channel operator", ":srv PONG srv hobnob-request-12")
    #expect(talk.answers.last == "6: Refused: /ban ben (#Tea: You're not a channel operator)")
  }

  @Test("an answer names a person as the server does")
  func spelling() {
    var talk = talk()
    talk.receive(":B[en]_!b@h JOIN #Tea")
    talk.tell(.request(.promote, "#tea", "b{en}_"))
    #expect(talk.takeSent().first == "MODE #Tea +o B[en]_")
    talk.receive(":srv PONG srv hobnob-request-1")
    #expect(talk.answers == ["1: B[en]_ is an operator of #tea now."])
  }

  @Test("requests that the server's limit holds back are counted among the lines that wait")
  func heldBack() {
    var talk = talk(settings: ["flood": "4/2"])
    talk.wait(60_000)
    #expect(talk.client.status == .connected([]))
    for id in 1...4 { talk.tell(.request(.kick, "#tea", "ben", id: Int64(id))) }
    // The others wait for the first answer, not for the limit.
    #expect(talk.client.status == .connected([]))
    talk.receive(":srv PONG srv hobnob-request-1", ":srv PONG srv hobnob-request-2")
    talk.receive(":srv PONG srv hobnob-request-2")
    #expect(talk.client.status == .connected([.throttled(lines: 2)]))
    talk.wait(2_000)
    // The third one is out, and waits for its answer.
    #expect(talk.client.status == .connected([.throttled(lines: 1)]))
    talk.wait(2_000)
    talk.receive(":srv PONG srv hobnob-request-3")
    #expect(talk.client.status == .connected([.throttled(lines: 1)]))
    talk.wait(4_000)
    #expect(talk.client.status == .connected([]))
  }

  @Test("a refusal names what was refused")
  func refusal() {
    var talk = talk()
    talk.tell(.request(.kick, "#tea", "ben spam"))
    talk.receive(
      ":srv 482 anna #tea :You're not a channel operator", ":srv PONG srv hobnob-request-1")
    #expect(talk.answers == ["1: Refused: /kick ben (#tea: You're not a channel operator)"])
  }
}
