// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Testing

@testable import IRC

/// What the owner's shells ask for.
@Suite("requests on IRC")
struct RequestTests {
  private static let labels = ["labeled-response", "batch", "message-tags"]

  private func talk(
    _ capabilities: [String] = [], support: String = "CHANTYPES=#", proven: Set<String> = []
  ) -> IRCTalk {
    var talk = IRCTalk(capabilities, support: support, proven: proven)
    talk.enter("#Tea", with: "@ben carla")
    _ = (talk.takeSent(), talk.takeEvents())
    return talk
  }

  // MARK: Commands

  @Test("each request is a line of its own, followed by a question whose answer ends it")
  func lines() {
    let lines: [(NetworkRequest.Verb, String, String, String)] = [
      (.topic, "#tea", "Green tea", "TOPIC #Tea :Green tea"), (.topic, "#tea", "", "TOPIC #Tea :"),
      (.invite, "#tea", "dan", "INVITE dan #Tea"), (.kick, "#tea", "ben", "KICK #Tea :ben"),
      (.kick, "#tea", "ben too loud", "KICK #Tea ben :too loud"),
      (.unban, "#tea", "*!*@h", "MODE #Tea -b *!*@h"),
      (.ban, "#tea", "~a:eve", "MODE #Tea +b ~a:eve"),
      (.promote, "#tea", "ben", "MODE #Tea +o ben"),
      (.demote, "#tea", "ben", "MODE #Tea -o ben"), (.mode, "#tea", "+m", "MODE #Tea +m"),
      (.mode, "", "+i", "MODE anna +i"), (.mode, "#tea", "", "MODE #Tea"),
      (.whois, "ben", "", "WHOIS ben ben"), (.line, "", "LUSERS", "LUSERS"),
      (.join, "#tea", "annie", "NICK annie"), (.join, "ben", "annie", "NICK annie"),
      (.ctcp, "ben", "version", "PRIVMSG ben :\u{01}VERSION\u{01}"),
    ]
    for (verb, target, text, line) in lines {
      var talk = talk()
      talk.tell(.request(verb, target, text))
      #expect(talk.takeSent() == [line, "PING hobnob-request-1"], "\(verb)")
      #expect(talk.answers.isEmpty)
    }
  }

  @Test("a success has a sentence where the owner would not notice it otherwise")
  func success() {
    let sentences: [(NetworkRequest.Verb, String, String)] = [
      (.invite, "dan", "You invited dan."), (.ban, "*!*@h", "*!*@h can no longer enter #tea."),
      (.unban, "*!*@h", "*!*@h can enter #tea again."),
      (.promote, "ben", "ben is an operator of #tea now."),
      (.demote, "ben", "ben is no longer an operator of #tea."),
      (.kick, "ben", "You removed ben from #tea."),
      (.topic, "x", ""),
    ]
    for (verb, text, sentence) in sentences {
      var talk = talk()
      talk.tell(.request(verb, "#tea", text))
      talk.receive(":srv 341 anna dan #Tea", ":srv PONG srv hobnob-request-1")
      #expect(talk.answers == ["1: \(sentence)"])
    }
  }

  @Test("where the server has labels, its answer ends the request, and no PING costs a turn")
  func labels() {
    var talk = IRCTalk(Self.labels, settings: ["flood": "3/2"])
    talk.enter("#Tea")
    talk.wait(60_000)
    _ = talk.takeSent()
    talk.tell(.request(.kick, "#tea", "ben"))
    talk.tell(.request(.ban, "#tea", "carla", id: 2))
    talk.receive("@label=h1 :anna!~a@h KICK #Tea ben :anna")
    talk.receive("@label=h2 :srv 302 anna :carla=+c@other.host")
    talk.receive("@label=h3 :srv BATCH +1 labeled-response", "@batch=1 :srv NOTE MODE X :Soon")
    talk.receive("@batch=1 :srv BATCH +2 netjoin", ":srv BATCH -2")
    #expect(talk.answers == ["1: You removed ben from #tea."])
    talk.receive("@batch=1 :anna!~a@h MODE #Tea +b *!*@other.host", ":srv BATCH -1")
    #expect(talk.answers.count == 2)
    #expect(
      talk.takeSent() == [
        "@label=h1 KICK #Tea :ben", "@label=h2 USERHOST carla",
        "@label=h3 MODE #Tea +b *!*@other.host",
      ])
  }

  @Test("that a mode is set is told, and which letter is none")
  func setModes() {
    for (line, answer) in [
      (":anna!a@h MODE #Tea +s", "The server has accepted the mode +s for #tea."),
      (":srv 472 anna s :is unknown to me", "s: is unknown to me"),
    ] {
      var talk = talk()
      talk.tell(.request(.mode, "#tea", "+s"))
      talk.receive(line, ":srv PONG srv hobnob-request-1")
      #expect(talk.answers == ["1: " + answer])
    }
  }

  @Test("a refusal is the answer, with labels and without", arguments: [true, false])
  func refusals(hasLabels: Bool) {
    var talk = talk(hasLabels ? Self.labels : [])
    talk.tell(.request(.kick, "#tea", "ben"))
    let label = hasLabels ? "@label=h1 " : ""
    talk.receive("\(label):srv 482 anna #Tea :You're not a channel operator")
    if hasLabels { talk.receive(":srv 401 anna zed :No such nick") }
    talk.receive(":srv PONG srv hobnob-request-1")
    #expect(talk.answers == ["1: Refused: /kick ben (#Tea: You're not a channel operator)"])
    talk.tell(.request(.line, "", "REGISTER x", id: 2))
    talk.receive(
      "\(hasLabels ? "@label=h2 " : "")FAIL REGISTER BAD_NAME x :Not this name",
      ":srv PONG srv hobnob-request-2")
    #expect(talk.answers.last == "2: Not this name")
  }

  @Test("what is not about the request is not its answer")
  func strayLines() {
    var talk = talk()
    talk.tell(.request(.promote, "#tea", "ben"))
    talk.receive(
      ":srv 329 anna #Tea 1", ":srv 042 anna x :your unique ID", ":srv 734 anna 1 x :full",
      ":srv 315 anna #Tea :End", ":srv PONG srv hobnob-request-0", ":srv PONG srv hobnob-1")
    #expect(talk.answers.isEmpty)
    talk.receive(":srv PONG srv hobnob-request-1")
    #expect(talk.answers == ["1: ben is an operator of #tea now."])
  }

  // MARK: Answers of several lines

  private static let whois = [
    ":srv 311 anna ben ~b host * :Ben B", ":srv 319 anna ben :@#tea #milk",
    ":srv 312 anna ben irc.example.net :A server", ":srv 301 anna ben :at lunch",
    ":srv 313 anna ben :is an IRC operator", ":srv 330 anna ben benaccount :is logged in as",
    ":srv 671 anna ben :is using a secure connection", ":srv 317 anna ben 120 1 :seconds idle",
    ":srv 318 anna ben :End of /WHOIS list.",
  ]
  private static let whoisAnswer = [
    "ben (~b@host): Ben B", "in @#tea #milk", "connected to irc.example.net", "away: at lunch",
    "is an operator of the network", "logged in as benaccount", "has an encrypted connection",
    "idle for 2 minutes",
  ].joined(separator: "\n")

  @Test("who somebody is, in sentences; being away is part of it and no notice")
  func whois() {
    var talk = talk()
    talk.tell(.request(.whois, "ben"))
    for line in Self.whois { talk.receive(line) }
    #expect(talk.answers.isEmpty)
    talk.receive(":srv PONG srv hobnob-request-1")
    #expect(talk.answers == ["1: " + Self.whoisAnswer])
    #expect(talk.events.count == 1)
  }

  @Test("with labels, the answer is a batch")
  func labelledWhois() {
    var talk = talk(Self.labels)
    talk.tell(.request(.whois, "ben"))
    #expect(talk.takeSent().first == "@label=h1 WHOIS ben ben")
    talk.receive("@label=h1 :srv BATCH +w labeled-response")
    for line in Self.whois { talk.receive("@batch=w " + line) }
    talk.receive(":srv BATCH -w", ":srv PONG srv hobnob-request-1")
    #expect(talk.answers == ["1: " + Self.whoisAnswer])
  }

  @Test("another server answers after the PONG, and without the label", arguments: [true, false])
  func remoteWhois(hasLabels: Bool) {
    var talk = talk(hasLabels ? Self.labels : [])
    talk.tell(.request(.whois, "ben"))
    if hasLabels { talk.receive("@label=h1 :srv ACK") }
    talk.receive(":srv PONG srv hobnob-request-1")
    #expect(talk.answers.isEmpty)
    for line in Self.whois { talk.receive(line) }
    #expect(talk.answers == ["1: " + Self.whoisAnswer])
  }

  @Test("nobody has that nick")
  func unknownWhois() {
    var talk = talk()
    talk.tell(.request(.whois, "zed"))
    talk.receive(
      ":srv 401 anna zed :No such nick/channel", ":srv 318 anna zed :End of /WHOIS list.",
      ":srv PONG srv hobnob-request-1")
    #expect(talk.answers == ["1: zed: No such nick/channel"])
  }

  @Test("modes, lists and lines in the server's language")
  func lists() {
    var modes = talk()
    modes.tell(.request(.mode, "#tea", "+b"))
    modes.receive(
      ":srv 367 anna #Tea *!*@evil.host ben 1", ":srv 367 anna #Other *!*@x ben 1",
      ":srv 368 anna #Tea :End", ":srv PONG srv hobnob-request-1")
    #expect(modes.answers == ["1: *!*@evil.host, set by ben"])
    modes.tell(.request(.mode, "#tea", "b", id: 2))
    modes.receive(":srv 368 anna #Tea :End", ":srv PONG srv hobnob-request-2")
    #expect(modes.answers.last == "2: The list is empty.")
    var room = talk()
    room.tell(.request(.mode, "#tea"))
    room.receive(
      ":srv 324 anna #Tea +ntk key", ":srv 329 anna #Tea 1", ":srv PONG srv hobnob-request-1")
    #expect(room.answers == ["1: #Tea +ntk key"])
    #expect(room.client.rooms["#tea"]?.modes == "ntk")
    var own = talk()
    own.tell(.request(.mode, ""))
    own.receive(":srv 221 anna +ix", ":srv PONG srv hobnob-request-1")
    #expect(own.answers == ["1: +ix"])
    var line = talk()
    line.tell(.request(.line, "", ":anna names #milk"))
    #expect(line.takeSent().first == ":anna NAMES #milk")
    line.receive(
      ":srv 353 anna = #milk :@dan eve", ":srv 366 anna #milk :End", ":srv 265 anna 5 9 :users",
      ":srv PONG srv hobnob-request-1")
    #expect(line.answers == ["1: = #milk @dan eve\n5 9 users"])
    line.tell(.request(.line, "", "   ", id: 2))
    #expect(line.answers.last == "2: There is no command in that line.")
  }

  @Test("a long answer ends somewhere")
  func longAnswer() {
    var talk = talk()
    talk.tell(.request(.line, "", "LIST"))
    for number in 0..<500 { talk.receive(":srv 322 anna #room\(number) 1 :x") }
    talk.receive(":srv PONG srv hobnob-request-1")
    #expect(talk.answers[0].split(separator: "\n").count == 200)
  }

  // MARK: Somebody's program

  @Test("somebody's program answers, or does not")
  func programs() {
    var talk = talk(["echo-message"])
    talk.tell(.request(.ctcp, "ben", "ver\u{01}sion"))
    talk.receive(
      ":anna!a@h PRIVMSG ben :\u{01}VERSION\u{01}", ":srv PONG srv hobnob-request-1",
      ":carla!c@h NOTICE anna :\u{01}VERSION mine\u{01}")
    #expect(talk.answers.isEmpty)
    talk.receive(":Ben!b@h NOTICE anna :\u{01}VERSION irssi 1.4\u{01}")
    #expect(talk.answers == ["1: Ben: VERSION irssi 1.4"])
    talk.tell(.request(.ctcp, "carla", "time", id: 2))
    talk.receive(":srv PONG srv hobnob-request-2")
    talk.wait(15_000)
    #expect(talk.answers.last == "2: The program of carla does not answer.")
    talk.tell(.request(.ctcp, "zed", "time", id: 3))
    talk.receive(":srv 401 anna zed :No such nick", ":srv PONG srv hobnob-request-3")
    #expect(talk.answers.last == "3: zed: No such nick")
    // An answer that nobody asked for is none.
    talk.receive(":Ben!b@h NOTICE anna :\u{01}VERSION irssi 1.4\u{01}")
    #expect(talk.answers.count == 3)
    #expect(talk.said.isEmpty)
  }

  // MARK: Order and silence

  @Test("one request at a time, and each is answered once")
  func order() {
    var talk = talk()
    for id in 1...3 { talk.tell(.request(.kick, "#tea", "n\(id)", id: Int64(id))) }
    talk.tell(.request(.kick, "#tea", "n1", id: 1))
    #expect(talk.takeSent() == ["KICK #Tea :n1", "PING hobnob-request-1"])
    talk.receive(":srv 441 anna n1 #Tea :not here", ":srv PONG srv hobnob-request-1")
    #expect(talk.takeSent() == ["KICK #Tea :n2", "PING hobnob-request-2"])
    talk.wait(15_000)
    talk.receive(":srv PONG srv hobnob-request-3")
    #expect(
      talk.answers == [
        "1: Refused: /kick n1 (n1 #Tea: not here)", "2: The server does not answer.",
        "3: You removed n3 from #tea.",
      ])
  }

  @Test("what arrived is the answer, even if its end is missing")
  func unfinished() {
    var talk = talk()
    talk.tell(.request(.whois, "ben"))
    talk.receive(Self.whois[0])
    talk.wait(15_000)
    #expect(talk.answers == ["1: ben (~b@host): Ben B"])
  }

  @Test("after a break, a request that has no answer is made again")
  func breaks() {
    var talk = talk()
    talk.tell(.request(.whois, "ben"))
    talk.tell(.request(.whois, "carla", id: 2))
    _ = talk.takeSent()
    talk.reconnect()
    #expect(talk.takeSent().contains("WHOIS ben ben"))
    #expect(talk.answers.isEmpty)
  }

  @Test("too many requests are refused, and none is lost")
  func tooMany() {
    var talk = talk()
    talk.tell(
      .requests(
        (1...1_100).map {
          NetworkRequest(id: $0, verb: .whois, target: "ben")
        }))
    #expect(talk.answers.count == 100)
  }

  // MARK: What cannot be

  @Test("no target becomes two words or another command, and none is empty")
  func targets() {
    let verbs: [NetworkRequest.Verb] = [
      .join, .leave, .topic, .invite, .history, .subscribe, .unsubscribe, .whois, .kick, .ban,
      .unban, .promote, .demote, .ctcp,
    ]
    for verb in verbs {
      for target in ["", ":x", "a b", "a\r\nQUIT", "a\0", "a \u{301}b", ":\u{301}x"] {
        var talk = talk()
        talk.tell(.request(verb, target, "x"))
        #expect(talk.takeSent().isEmpty, "\(verb) \(target)")
        #expect(talk.events.count == 1)
        #expect(talk.answers.count == 1, "\(verb) \(target)")
      }
    }
    for text in ["", ":x", " x"] {
      var talk = talk()
      talk.tell(.request(.kick, "#tea", text))
      let sent = talk.takeSent()
      #expect(sent.isEmpty || sent[0] == "KICK #Tea :x", "\(text)")
    }
    var injected = talk()
    injected.tell(.request(.kick, "#tea", "ben \u{301}x y\r\nQUIT :z"))
    #expect(!injected.takeSent().joined().contains { $0 == "\r" || $0 == "\n" })
  }

  @Test("who is not in a room cannot do anything there")
  func outside() {
    for verb: NetworkRequest.Verb in [.topic, .invite, .kick, .ban, .promote] {
      var talk = talk()
      talk.tell(.request(verb, "#milk", "ben"))
      #expect(talk.takeSent().isEmpty)
      #expect(talk.answers == ["1: You are not in #milk."])
    }
  }

  @Test("being away, and back")
  func presence() {
    var talk = talk()
    talk.tell(.request(.presence, "away", "at lunch"))
    talk.tell(.request(.presence, "away", "", id: 2))
    talk.tell(.request(.presence, "", "", id: 3))
    #expect(talk.takeSent() == ["AWAY :at lunch", "AWAY :away", "AWAY"])
    talk.tell(.request(.presence, "away", "at lunch", id: 4))
    _ = talk.takeSent()
    talk.reconnect()
    #expect(talk.takeSent().contains("AWAY :at lunch"))
    #expect(talk.answers.count == 4)
  }

  @Test("contacts are the owner's own list, which the server watches")
  func contacts() {
    var talk = talk(support: "MONITOR=10")
    talk.tell(.request(.subscribe, "dan"))
    talk.tell(.request(.unsubscribe, "dan", id: 2))
    #expect(talk.takeSent() == ["MONITOR + dan", "MONITOR - dan"])
    #expect(
      talk.events == [
        .contact(NetworkUser(identity: "dan", name: "dan"), isOnline: nil, away: nil),
        .answered(NetworkRequest(id: 1, verb: .subscribe, target: "dan"), ""),
        .contactRemoved(NetworkUser(identity: "dan")),
        .answered(
          NetworkRequest(id: 2, verb: .unsubscribe, target: "dan"),
          "dan is no longer a contact."),
      ])
    talk.tell(.request(.block, "dan", id: 3))
    #expect(talk.answers.last?.hasPrefix("3: IRC servers cannot block anybody") == true)
    talk.tell(.request(.encrypt, "dan", id: 4))
    #expect(talk.answers.last == "4: IRC cannot encrypt from end to end.")
  }

  @Test("what the server can do")
  func abilities() {
    var talk = talk(["draft/chathistory", "batch"])
    talk.receive(":srv 324 anna #Tea +nt")
    talk.tell(.request(.abilities, "#tea"))
    let answer = talk.answers[0]
    #expect(answer.contains("The server keeps a history."))
    #expect(answer.contains("Modes of #Tea: +nt."))
  }

  @Test("a remark of the server's about a request is part of the answer")
  func remarks() {
    var talk = talk(Self.labels)
    talk.tell(.request(.line, "", "REHASH"))
    talk.receive("@label=h1 :srv WARN REHASH X :Soon expired", ":srv PONG srv hobnob-request-1")
    #expect(talk.answers == ["1: Soon expired"])
    #expect(!talk.events.contains { if case .notice = $0 { true } else { false } })
  }

  // MARK: Typing

  @Test("the owner types, where others learn of it, and never at the cost of a message")
  func typing() {
    func signal(_ isTyping: Bool, _ place: ConversationAddress = .room("#tea")) -> IRCClientEvent {
      .signals([.typing(place, isTyping)])
    }
    var talk = talk(["message-tags"])
    talk.tell(signal(true))
    talk.tell(signal(false, .direct("ben")))
    talk.tell(signal(true, .room("#milk")))
    #expect(talk.takeSent() == ["@+typing=active TAGMSG #Tea", "@+typing=done TAGMSG ben"])
    var denied = self.talk(["message-tags"], support: "CLIENTTAGDENY=*")
    denied.tell(signal(true))
    #expect(denied.takeSent().isEmpty)
    var plain = self.talk()
    plain.tell(signal(true))
    #expect(plain.takeSent().isEmpty)
    var busy = IRCTalk(["message-tags"], settings: ["flood": "2/10"])
    busy.enter("#tea")
    _ = busy.takeSent()
    busy.tell(signal(true))
    busy.tell(signal(false))
    #expect(busy.takeSent().count == 1)
  }
}
