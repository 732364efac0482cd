// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import StoreFixture
import Testing

@testable import IRC
@testable import NetworkInbox

/// What people say on IRC, and what becomes of it.
@Suite("messages that arrive on IRC")
struct ReceivingTests {
  private static let capabilities = [
    "message-tags", "server-time", "echo-message", "batch", "draft/message-redaction",
    "draft/multiline",
  ]
  /// `IRCTalk.now`.
  private static let present = "2023-11-14T22:13:20.000Z"

  private func talk(
    _ capabilities: [String] = capabilities, support: String = "CHANTYPES=#& STATUSMSG=@+"
  ) -> IRCTalk {
    var talk = IRCTalk(capabilities, support: support)
    talk.enter("#tea")
    _ = (talk.takeSent(), talk.takeEvents())
    return talk
  }

  /// The messages with their conversations.
  private func messages(_ talk: IRCTalk) -> [(NetworkMessage, ConversationAddress)] {
    talk.events.compactMap {
      if case .messageReceived(let message, let place) = $0 { (message, place) } else { nil }
    }
  }

  private func one(_ line: String) -> (message: NetworkMessage, place: ConversationAddress)? {
    var talk = talk()
    talk.receive(line)
    let all = messages(talk)
    return all.count == 1 ? all[0] : nil
  }

  // MARK: Where and what

  @Test("a line that is not UTF-8 counts as Latin-1, by itself")
  func latin1() {
    var reader = LineReader()
    var talk = IRCTalk()
    talk.enter("#tea")
    func line(_ text: [UInt8]) -> [UInt8] {
      Array(":ben!b@h PRIVMSG #tea :".utf8) + text + [0x0D, 0x0A]
    }
    let bytes =
      line([0x63, 0x61, 0x66, 0xE9]) + line(Array("café".utf8))
      // A character that the sender cut.
      + line([0x63, 0x61, 0x66, 0xC3]) + line([0xFF, 0xFE, 0x80])
    // They may arrive in any parts.
    for byte in bytes { talk.tell(.lines(reader.read([byte]))) }
    #expect(talk.said == ["ben: café", "ben: café", "ben: cafÃ", "ben: ÿþ\u{80}"])
    #expect(reader.skipped == 0)
  }

  @Test("a message belongs to its room, or to the direct chat with its sender")
  func places() {
    #expect(one(":ben!b@h PRIVMSG #Tea :hi")?.place == .room("#tea"))
    #expect(one(":Ben!b@h PRIVMSG anna :hi")?.place == .direct("ben"))
    #expect(one(":anna!a@h PRIVMSG Ben :from my telephone")?.place == .direct("ben"))
    #expect(one(":ben!b@h NOTICE anna :hi")?.message.kind == .notice)
    #expect(one(":NickServ NOTICE anna :hi")?.place == .direct("nickserv"))
    #expect(one(":Ben!b@h PRIVMSG #tea :hi")?.message.speaker.name == "Ben")
  }

  @Test("a message to those with a rank belongs to the room, and says whom it was for")
  func statusMessages() {
    let found = one(":ben!b@h PRIVMSG @#tea :hi")
    #expect(found?.place == .room("#tea"))
    #expect(found?.message.body == "@#tea: hi")
    #expect(one(":ben!b@h PRIVMSG +#tea :\u{01}ACTION waves\u{01}")?.message.body == "+#tea: waves")
    #expect(one(":ben!b@h PRIVMSG @#tea :\u{01}VERSION\u{01}") == nil)
  }

  @Test("what the server says, or what is for somebody else, is a notice for the owner")
  func serverNotices() {
    var talk = talk()
    talk.receive(
      ":irc.example.net NOTICE anna :*** Restart at noon", ":ben!b@h NOTICE $$* :All of you",
      ":irc.example.net NOTICE anna :", "NOTICE anna :no source")
    #expect(
      talk.events == [
        .notice("irc.example.net says: *** Restart at noon"), .notice("ben says: All of you"),
      ])
  }

  @Test("a remark of the server's is a notice, and never the answer to a message")
  func remarks() {
    var talk = talk(["labeled-response", "batch"])
    talk.enter("#tea")
    talk.write("hi")
    talk.forget()
    talk.receive(
      ":irc.example.net WARN REHASH CERTS_EXPIRED :Expired \u{02}soon\u{02}",
      "NOTE * OPER_MESSAGE :Restart at noon", ":irc.example.net NOTE JOIN X #tea :",
      "@label=h1 :irc.example.net WARN PRIVMSG SLOW #tea :Slow down")
    #expect(
      talk.events == [
        .notice("irc.example.net says: Expired *soon*"), .notice("Restart at noon"),
        .notice("irc.example.net says: Slow down"),
      ])
  }

  @Test("an action is one, with and without its end")
  func actions() {
    for text in ["\u{01}ACTION waves\u{01}", "\u{01}ACTION waves"] {
      let message = one(":ben!b@h PRIVMSG #tea :\(text)")?.message
      #expect(message?.kind == .action)
      #expect(message?.body == "waves")
    }
    // One without words says nothing.
    #expect(one(":ben!b@h PRIVMSG #tea :\u{01}ACTION\u{01}") == nil)
    #expect(one(":ben!b@h PRIVMSG #tea :") == nil)
    #expect(one(":ben!b@h PRIVMSG #tea :\u{01}") == nil)
  }

  @Test("a reply names the message that it answers, by either tag")
  func replies() {
    for tag in ["+reply", "+draft/reply"] {
      let message = one("@\(tag)=m1;msgid=m2 :ben!b@h PRIVMSG #tea :yes")?.message
      #expect(message?.answers == MessageIDs(archive: "m1"))
      #expect(message?.name == MessageIDs(archive: "m2"))
    }
    let long = String(repeating: "x", count: 1_025)
    let message = one("@+reply=\(long);msgid=\(long) :ben!b@h PRIVMSG #tea :yes")?.message
    #expect(message?.answers == nil)
    #expect(message?.name == MessageIDs())
  }

  @Test("codes become symbols or nothing")
  func formatting() {
    func body(_ text: String) -> String? { one(":ben!b@h PRIVMSG #tea :\(text)")?.message.body }
    #expect(body("\u{02}bold\u{02} and \u{1D}italic\u{1D}") == "*bold* and _italic_")
    #expect(body("\u{1E}gone\u{1E} \u{11}code\u{11}") == "~gone~ `code`")
    #expect(body("\u{03}04,01red\u{03} \u{03}5x \u{03}") == "red x ")
    #expect(body("\u{03}1234") == "34")
    #expect(body("\u{03}1,text") == ",text")
    #expect(body("\u{04}FF0000red \u{04}FF0000,00FF00x \u{04}12") == "red x 12")
    #expect(body("\u{02}\u{1D}both\u{0F} none") == "*_both_* none")
    #expect(body("\u{1F}under\u{1F} \u{16}reverse\u{16}") == "under reverse")
    // Inside a word nobody would read them as a style.
    #expect(body("foo\u{02}bar\u{02} baz") == "foobar baz")
    #expect(body("\u{02}open") == "*open*")
    #expect(body("\u{02} \u{02}x") == " x")
    #expect(body("\u{02}\u{02}") == nil)
  }

  // MARK: Time

  @Test("a live message has the time of its arrival, an older one its own")
  func times() {
    #expect(one("@time=\(Self.present) :ben!b@h PRIVMSG #tea :hi")?.message.time == nil)
    // A clock that is ahead.
    #expect(one("@time=2030-01-01T00:00:00.000Z :ben!b@h PRIVMSG #tea :hi")?.message.time == nil)
    #expect(one("@time=yesterday :ben!b@h PRIVMSG #tea :hi")?.message.time == nil)
    let old = one("@time=2023-11-14T20:00:00.500Z :ben!b@h PRIVMSG #tea :hi")?.message
    #expect(old?.time == 1_699_992_000_500)
    #expect(old?.isPast == false)
    #expect(old?.playback != nil)
    let named = one("@time=2023-11-14T20:00:00Z;msgid=m :ben!b@h PRIVMSG #tea :hi")?.message
    #expect(named?.playback == nil)
  }

  /// - Parameter lead: how far the local clock is ahead, in milliseconds.
  @Test(
    "a wrong clock makes no live message old, and no old one live",
    arguments: [400_000, -400_000])
  func wrongClock(lead: Milliseconds) {
    for answer in [":srv PONG srv x", ":srv 005 anna A=b :are supported"] {
      var talk = IRCTalk(["server-time"])
      talk.now += 600_000
      func stamp(_ ago: Milliseconds) -> String {
        "@time=" + Timestamp.text(talk.now - lead - ago) + " "
      }
      talk.enter("#tea")
      talk.receive(
        stamp(0) + answer, stamp(0) + ":ben!b@h PRIVMSG #tea :new",
        stamp(100_000) + ":ben!b@h PRIVMSG #tea :old")
      #expect(messages(talk).map { $0.0.time == nil } == [true, false], "\(answer)")
    }
  }

  @Test("what a bouncer repeats after a short break is recognised as that")
  func shortBreak() {
    var talk = talk(["server-time"])
    talk.reconnect(["server-time"])
    talk.enter("#tea")
    talk.receive(
      "@time=2023-11-14T22:13:05.000Z :ben!b@h PRIVMSG #tea :old",
      "@time=\(Self.present) :ben!b@h PRIVMSG #tea :new")
    #expect(messages(talk).map { $0.0.playback != nil } == [true, false])
  }

  @Test("14.2: outside a batch, a playback ends with the first live line of its conversation")
  func playback() {
    func line(_ target: String, _ text: String, old: Bool = true) -> String {
      "@time=\(old ? "2023-11-14T22:13:05.000Z" : Self.present) :ben!b@h PRIVMSG \(target) :\(text)"
    }
    var talk = talk(["server-time"])
    talk.enter("#milk")
    talk.receive(
      line("#tea", "1"), line("#tea", "2"), line("anna", "3"), line("#tea", "4", old: false),
      line("#tea", "5"), line("#milk", "6"), line("anna", "7"), line("anna", "8", old: false),
      line("anna", "9"))
    let numbers = messages(talk).map(\.0.playback)
    #expect(
      numbers.map { $0 != nil } == [true, true, true, false, false, true, true, false, false])
    // One playback for each conversation.
    #expect(Set(numbers.compactMap(\.self)).count == 3)
    #expect(numbers[0] == numbers[1])
    // The next stay in the room has another.
    talk.receive(":anna!a@h PART #tea")
    talk.enter("#tea")
    talk.receive(line("#tea", "10"))
    let next = messages(talk).last?.0.playback
    #expect(next != nil && !numbers.contains(next))
  }

  @Test("14.2: behind a server whose clock is behind, equal lines are as many as they are")
  func clockBehind() throws {
    let fixture = Fixture()
    var talk = talk(["server-time"])
    fixture.now = talk.now
    let store = try fixture.open()
    let anna = try store.writeDurablyIfNeeded { try $0.participant(identity: "anna") }.id
    let account = try store.writeDurably {
      try $0.addAccount(owner: anna, network: "irc:anna@irc.x.org")
    }
    let inbox = store.inbox
    let joined = NetworkEvent.joined(room: "#tea", nick: "anna")
    try inbox.apply([.rules(talk.client.context.support.rules), joined], of: account)
    let behind: [Milliseconds] = [1_500, 5_000, 90_000]
    for milliseconds in behind {
      for _ in 1...4 {
        talk.now += 100
        fixture.now = talk.now
        let time = Timestamp.text((talk.now - milliseconds) / 1_000 * 1_000)
        talk.receive("@time=\(time) :ben!b@h PRIVMSG #tea :}")
        try inbox.apply(talk.takeEvents(), of: account)
      }
    }
    #expect(try store.count("message") == 12)
  }

  @Test("a replay is messages: nobody joins or leaves, and no topic becomes a message")
  func replays() {
    for type in ["znc.in/playback", "chathistory"] {
      var talk = talk()
      talk.receive(
        ":srv BATCH +r \(type) #tea", "@batch=r :dan!d@h JOIN #tea dan :Dan",
        "@batch=r :ben!b@h TOPIC #tea :black tea", "@batch=r :ben!b@h KICK #tea dan :out",
        "@batch=r :ben!b@h MODE #tea +o dan", "@batch=r :dan!d@h QUIT :#tea",
        "@batch=r;time=2023-11-14T20:00:00Z :ben!b@h PRIVMSG #tea :old",
        "@batch=r :srv BATCH +m draft/multiline #tea", "@batch=m :ben!b@h PRIVMSG #tea :one",
        "@batch=m :ben!b@h PRIVMSG #tea :two", ":srv BATCH -m", ":srv BATCH -r")
      #expect(talk.said == ["ben: old", "ben: one\ntwo"])
      #expect(talk.events.count == 2)
      #expect(messages(talk).allSatisfy { $0.0.playback != nil })
    }
  }

  @Test("a question in a replay is not answered")
  func oldQuestions() {
    var talk = talk()
    talk.receive(
      "@time=2023-11-14T20:00:00Z :ben!b@h PRIVMSG anna :\u{01}VERSION\u{01}",
      "@time=2023-11-14T20:00:00Z;+typing=active :ben!b@h TAGMSG #tea")
    #expect(talk.takeSent().isEmpty)
    #expect(talk.events.isEmpty)
  }

  // MARK: Several lines

  @Test("several lines are one message, with the tags of the batch")
  func multiline() {
    var talk = talk()
    talk.receive(
      "@msgid=m1;+reply=m0 :ben!b@h BATCH +b draft/multiline #tea",
      "@batch=b :ben!b@h PRIVMSG #tea :", "@batch=b :ben!b@h PRIVMSG #tea :one ",
      "@batch=b;draft/multiline-concat :ben!b@h PRIVMSG #tea :two", "@batch=b :x BATCH +y z",
      "@batch=b :ben!b@h PRIVMSG #tea :", "@batch=b :ben!b@h PRIVMSG #tea :three",
      ":ben!b@h BATCH -b")
    let all = messages(talk)
    #expect(all.map(\.0.body) == ["\none two\n\nthree"])
    #expect(all.first?.0.name.archive == "m1")
    #expect(all.first?.0.answers?.archive == "m0")
    #expect(all.first?.1 == .room("#tea"))
  }

  @Test("an empty batch, and one that never ends, are no message")
  func emptyBatches() {
    var talk = talk()
    talk.receive(
      ":ben!b@h BATCH +b draft/multiline #tea", ":ben!b@h BATCH -b",
      ":ben!b@h BATCH +c draft/multiline #tea", "@batch=c :ben!b@h PRIVMSG #tea :lost",
      ":ben!b@h BATCH -unknown")
    #expect(talk.events.isEmpty)
    // What names an unknown batch belongs to none.
    talk.receive("@batch=other :ben!b@h PRIVMSG #tea :here")
    #expect(talk.said == ["ben: here"])
  }

  // MARK: Reactions, typing and deletions

  @Test("reactions are given and removed, and a text that is too long is none")
  func reactions() {
    var talk = talk()
    talk.receive(
      "@+draft/react=👍;+reply=m1;msgid=r1 :ben!b@h TAGMSG #tea",
      "@+draft/unreact=👍;+draft/reply=m1;msgid=r2 :ben!b@h TAGMSG #tea",
      "@+draft/react=👍 :ben!b@h TAGMSG #tea",
      "@+draft/react=\(String(repeating: "x", count: 65));+reply=m1 :ben!b@h TAGMSG #tea")
    let ben = NetworkUser(identity: "ben", name: "ben", isVerified: false)
    func reacted(_ reaction: NetworkReaction, _ id: String) -> NetworkEvent {
      .reacted(
        MessageIDs(archive: "m1"), author: nil, by: ben, in: .room("#tea"), emoji: reaction,
        at: nil, change: MessageIDs(archive: id))
    }
    #expect(talk.events == [reacted(.given("👍"), "r1"), reacted(.removed("👍"), "r2")])
  }

  @Test("others type until they are done; the owner does not")
  func typing() {
    var talk = talk()
    for state in ["active", "paused", "done"] {
      talk.receive("@+typing=\(state) :ben!b@h TAGMSG #tea")
    }
    talk.receive("@+typing=active :anna!a@h TAGMSG #tea")
    let states = talk.events.map { event -> Bool? in
      if case .typing(_, .room("#tea"), let isTyping) = event { return isTyping }
      return nil
    }
    #expect(states == [true, false, false])
  }

  @Test("the store decides whether an author or an operator deleted a message")
  func redactions() {
    var talk = talk()
    talk.receive("@time=\(Self.present) :ben!b@h REDACT #tea m1 :spam")
    let ben = NetworkUser(identity: "ben", name: "ben", isVerified: false)
    #expect(
      talk.takeEvents() == [
        .retracted(MessageIDs(archive: "m1"), by: ben, in: .room("#tea"), at: nil),
        .removed(
          archive: "m1", room: "#tea", Removal(moderator: "ben", reason: "spam"), at: nil),
      ])
    talk.receive(":ben!b@h REDACT anna m2", ":ben!b@h REDACT #tea", ":ben!b@h REDACT dan m3")
    #expect(
      talk.events == [
        .retracted(MessageIDs(archive: "m2"), by: ben, in: .direct("ben"), at: nil)
      ])
    var plain = self.talk([])
    plain.receive(":ben!b@h REDACT #tea m1")
    #expect(plain.events.isEmpty)
  }

  // MARK: CTCP

  @Test("a program answers questions, once in five seconds")
  func questions() {
    var talk = talk()
    func answer(_ question: String, after seconds: Int64) -> String? {
      talk.wait(seconds * 1_000)
      talk.receive(":ben!b@h PRIVMSG anna :\u{01}\(question)\u{01}")
      let sent = talk.takeSent()
      return sent.count == 1 ? sent[0] : sent.isEmpty ? nil : "several"
    }
    #expect(answer("VERSION", after: 0) == "NOTICE ben :\u{01}VERSION hobnob\u{01}")
    #expect(answer("VERSION", after: 4) == nil)
    #expect(answer("ping 12 34", after: 1) == "NOTICE ben :\u{01}PING 12 34\u{01}")
    #expect(answer("TIME", after: 5) == "NOTICE ben :\u{01}TIME 2023-11-14T22:13:30Z\u{01}")
    #expect(
      answer("CLIENTINFO", after: 5)
        == "NOTICE ben :\u{01}CLIENTINFO ACTION CLIENTINFO PING TIME VERSION\u{01}")
    #expect(answer("FINGER", after: 5) == nil)
    #expect(answer("SED x", after: 5) == nil)
    let long = String(repeating: "é\u{01}", count: 200)
    #expect(
      answer("PING \(long)", after: 5)
        == "NOTICE ben :\u{01}PING \(String(repeating: "é", count: 32))\u{01}")
    #expect(talk.events.isEmpty)
  }

  @Test("it never answers a notice, a bot or the owner, nor anybody if it is off")
  func silence() {
    var talk = talk()
    talk.receive(
      ":ben!b@h NOTICE anna :\u{01}VERSION\u{01}", "@bot :bot!b@h PRIVMSG #tea :\u{01}PING 1\u{01}",
      ":anna!a@h PRIVMSG #tea :\u{01}VERSION\u{01}")
    #expect(talk.takeSent().isEmpty)
    #expect(talk.events.isEmpty)
    var off = IRCTalk(settings: ["ctcp": "off"])
    _ = off.takeSent()
    off.receive(":ben!b@h PRIVMSG anna :\u{01}VERSION\u{01}")
    #expect(off.takeSent().isEmpty)
  }

  @Test("there is no DCC, and a line says so, now and then")
  func dcc() {
    var talk = talk()
    for _ in 0..<10 {
      talk.receive(":ben!b@h PRIVMSG anna :\u{01}DCC SEND x.exe 1 2 3\u{01}")
    }
    let sentence = "ben offers a file or a chat by DCC, which hobnob does not support."
    let ben = NetworkUser(identity: "ben", name: "ben", isVerified: false)
    #expect(talk.events == [.noticeAbout(ben, "\(sentence)")])
    talk.wait(5_000)
    talk.receive(":ben!b@h PRIVMSG anna :\u{01}DCC CHAT\u{01}")
    #expect(talk.events.count == 2)
    #expect(talk.takeSent().isEmpty)
  }

  // MARK: Strangers

  @Test("a minute after a direct message, the store counts the strangers")
  func strangers() {
    var talk = talk()
    talk.receive(":eve!e@h PRIVMSG anna :hi")
    talk.wait(59_000)
    talk.receive(":eve!e@h PRIVMSG anna :hi")
    #expect(!talk.takeEvents().contains(.countStrangers))
    talk.wait(1_000)
    #expect(talk.takeEvents() == [.countStrangers])
    talk.wait(600_000)
    #expect(talk.events.isEmpty)
  }
}
