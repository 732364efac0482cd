// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Testing

@testable import IRC

/// Rule 1.9 and 14.2: how a text becomes lines, and how fast they go out.
@Suite("lines that go out on IRC")
struct SendingTests {
  private static let multiline = [
    "message-tags", "batch", "echo-message", "labeled-response",
    "draft/multiline=max-bytes=200,max-lines=4",
  ]

  private func talk(
    _ capabilities: [String] = [], support: String = "CHANTYPES=#&", flood: String = "off"
  ) -> IRCTalk {
    var talk = IRCTalk(capabilities, support: support, settings: ["flood": flood])
    talk.enter("#tea")
    talk.wait(600_000)
    _ = (talk.takeSent(), talk.takeEvents())
    return talk
  }

  // MARK: Speed

  @Test("the process stays for what waits for the flood limit or an answer, while it is connected")
  func busy() {
    var talk = IRCTalk(["echo-message"], settings: ["flood": "1/2"])
    #expect(!talk.client.isSending)
    talk.write("one", to: .direct("ben"))
    talk.write("two", to: .direct("ben"))
    talk.receive(":anna!~a@h PRIVMSG ben :one")
    #expect(talk.client.isSending)
    talk.wait(2_000)
    #expect(talk.client.isSending)
    talk.receive(":anna!~a@h PRIVMSG ben :two")
    #expect(talk.results == ["1 sent", "2 sent"])
    #expect(!talk.client.isSending)
    talk.write("three", to: .direct("ben"))
    talk.disconnect()
    #expect(!talk.client.isSending)
  }

  @Test("four lines go out at once, and then one every two seconds, as the status says")
  func throttle() {
    var talk = talk(["echo-message"], flood: "4/2")
    for number in 1...6 {
      talk.write("\(number)")
      talk.receive(":anna!~a@h PRIVMSG #tea :\(number)")
    }
    func texts() -> [String] { talk.takeSent().map { String($0.suffix(1)) } }
    #expect(texts() == ["1", "2", "3", "4"])
    #expect(talk.client.status == .connected([.throttled(lines: 2)]))
    talk.wait(1_999)
    #expect(texts().isEmpty)
    talk.wait(1)
    #expect(texts() == ["5"])
    #expect(talk.client.status == .connected([.throttled(lines: 1)]))
    talk.wait(2_000)
    #expect(texts() == ["6"])
    #expect(talk.client.status == .connected([]))
    // After a pause there are four again.
    talk.receive(":anna!~a@h PRIVMSG #tea :5", ":anna!~a@h PRIVMSG #tea :6")
    talk.wait(8_000)
    for number in 1...5 { talk.write("\(number)") }
    #expect(texts() == ["1", "2", "3", "4"])
  }

  @Test(
    "the owner's own limit counts, and a server that needs none",
    arguments: ["soju.im/SAFERATE", "SAFERATE", "X"])
  func limits(token: String) {
    let isSafe = token != "X"
    var talk = talk(["echo-message"], support: token, flood: "2/0.5")
    for number in 1...4 { talk.write("\(number)") }
    #expect(talk.takeSent().count == (isSafe ? 4 : 2))
    for number in 1...4 { talk.receive(":anna!~a@h PRIVMSG #tea :\(number)") }
    talk.wait(1_000)
    for number in 3...4 { talk.receive(":anna!~a@h PRIVMSG #tea :\(number)") }
    #expect(talk.results.count == 4)
    // What the last server did not need is needed by the next one.
    talk.reconnect(["echo-message"])
    talk.enter("#tea")
    talk.wait(60_000)
    _ = talk.takeSent()
    for number in 5...8 { talk.write("\(number)") }
    #expect(talk.takeSent().count == 2)
  }

  @Test("a limit is a number of lines and of seconds, or none")
  func settings() {
    for text in ["off", "4/2", "1/0.5", "1000/60"] { #expect(Throttle.isSetting(text)) }
    for text in ["", "4", "0/1", "4/0", "-1/2", "4/x", "nan/nan", "4/2/1", "on", "1001/1"] {
      #expect(!Throttle.isSetting(text), "\(text)")
    }
  }

  @Test("no more messages are without an answer than go out at once")
  func window() {
    var talk = talk(["echo-message"], flood: "2/2")
    for number in 1...4 { talk.write("\(number)") }
    talk.wait(10_000)
    #expect(talk.takeSent().count { $0.contains("PRIVMSG") } == 2)
    talk.receive(":anna!~a@h PRIVMSG #tea :1")
    #expect(talk.takeSent().count == 1)
  }

  @Test("3.7: a long message leaves those behind it to the owner until the limit allows them")
  func linesOfLongMessages() {
    var talk = IRCTalk(["echo-message"], settings: ["flood": "4/2"])
    talk.disconnect()
    for _ in 1...3 { talk.write("1\n2\n3", to: .direct("ben")) }
    talk.reconnect(["echo-message"])
    #expect(talk.outbox.map(\.wasTried) == [true, true, false])
  }

  @Test("a batch that takes more turns than there are does not stop what follows")
  func longBatch() {
    var talk = talk(Self.multiline, flood: "2/2")
    talk.write("1\n2\n3\n4")
    #expect(talk.takeSent().count == 6)
    talk.receive("@label=h1 :anna!~a@h BATCH +x draft/multiline #tea", ":srv BATCH -x")
    talk.receive("@label=h1 :srv ACK")
    talk.write("next")
    #expect(talk.takeSent().isEmpty)
    talk.wait(10_001)
    #expect(talk.takeSent().last == "@label=h2 PRIVMSG #tea :next")
  }

  @Test("requests and messages take turns")
  func turns() {
    var talk = talk(["echo-message"], flood: "1/2")
    for number in 1...3 {
      talk.write("\(number)")
    }
    talk.tell(.requests([NetworkRequest(id: 1, verb: .whois, target: "ben")]))
    var order = talk.takeSent().map { $0.prefix(5) }
    for number in 1...8 {
      talk.receive(":anna!~a@h PRIVMSG #tea :\(number)")
      talk.wait(2_000)
      order += talk.takeSent().map { $0.prefix(5) }
    }
    #expect(order == ["PRIVM", "WHOIS", "PRIVM", "PING ", "PRIVM"])
  }

  // MARK: Length

  @Test("a long text is cut at words, to what the server passes on with the owner's prefix")
  func cuts() {
    var talk = IRCTalk(["echo-message"])
    // 512 - CR, LF - :anna!~anna@host<blank> - PRIVMSG #tea :
    talk.enter("#tea")
    _ = talk.takeSent()
    let words = String(repeating: "lapsang ", count: 100)
    talk.write(words)
    let lines = talk.takeSent()
    let prefix = ":anna!~anna@host "
    #expect(lines.count == 2)
    #expect(lines.allSatisfy { prefix.utf8.count + $0.utf8.count <= 510 })
    #expect(lines[0].hasSuffix("lapsang "))
    #expect(prefix.utf8.count + lines[0].utf8.count + "lapsang ".utf8.count > 510)
    let texts = lines.map { $0.dropFirst("PRIVMSG #tea :".count) }
    #expect(texts.joined() == words)
  }

  @Test("no character is cut, of whatever length")
  func characters() {
    var talk = talk(["echo-message"])
    for text in ["é", "茶", "🫖", "👩‍👩‍👧‍👦"] {
      talk.write(String(repeating: text, count: 300))
      let lines = talk.takeSent()
      #expect(lines.count > 1)
      for line in lines {
        let rest = line.dropFirst("PRIVMSG #tea :".count)
        #expect(rest.allSatisfy { String($0) == text }, "\(text)")
      }
      #expect(lines.allSatisfy { $0.utf8.count <= 510 })
      for line in lines { talk.receive(":anna!~anna@host " + line) }
    }
    #expect(talk.results.count == 4)
  }

  @Test("the owner's prefix is the one that the server shows", arguments: 0..<4)
  func prefix(how: Int) {
    var talk = IRCTalk(["echo-message", "chghost"])
    func longest() -> Int { talk.client.context.longestLine }
    let usual = longest()
    #expect(usual == 512 - 2 - 107 - 10)
    talk.enter("#tea")
    #expect(longest() == 512 - 2 - ":anna!~anna@host ".utf8.count - 10)
    switch how {
    case 0: talk.receive(":srv 396 anna a.much.longer.host :is now your displayed host")
    case 1: talk.receive(":srv 396 anna ~anna@a.much.longer.host :is now your displayed host")
    case 2: talk.receive(":anna!~anna@host CHGHOST ~anna a.much.longer.host")
    default: talk.receive(":anna!~anna@a.much.longer.host JOIN #other")
    }
    #expect(longest() == 512 - 2 - ":anna!~anna@a.much.longer.host ".utf8.count - 10)
    talk.receive(":ben!b@x CHGHOST b y", ":ben!b@x JOIN #tea")
    #expect(longest() == 512 - 2 - ":anna!~anna@a.much.longer.host ".utf8.count - 10)
    // The shell counts with it, too.
    let told = talk.events.compactMap {
      if case .abilities(let abilities) = $0 { abilities.rooms.longestLine } else { nil }
    }
    #expect(told.last == longest())
    // A longer nick leaves less.
    talk.receive(":anna!~anna@h NICK annamaria")
    #expect(longest() == 512 - 2 - ":annamaria!~anna@a.much.longer.host ".utf8.count - 10)
  }

  @Test("a text that waited is cut for the prefix and the server of the moment when it goes out")
  func cutsLate() {
    var talk = talk(Self.multiline, flood: "1/2")
    talk.write("first")
    talk.write("one\ntwo")
    _ = talk.takeSent()
    talk.reconnect(["echo-message"])
    talk.wait(10_000)
    talk.enter("#tea")
    for _ in 0..<10 { talk.wait(10_000) }
    talk.deliver()
    let lines = talk.takeSent().filter { $0.contains("PRIVMSG") }
    #expect(lines == ["PRIVMSG #tea :one"])
    talk.receive(":anna!~a@h PRIVMSG #tea :one")
    talk.wait(2_000)
    #expect(talk.takeSent() == ["PRIVMSG #tea :two"])
  }

  // MARK: Texts

  @Test("blank lines vanish, an empty text fails, and no text becomes a command")
  func texts() {
    var talk = talk()
    talk.write("one\n \n\ntwo")
    talk.write(" \n ")
    talk.write("\u{01}VERSION\u{01}\0\r\nQUIT :x")
    talk.write(":-)")
    #expect(
      talk.takeSent().filter { !$0.hasPrefix("PING") } == [
        "PRIVMSG #tea :one", "PRIVMSG #tea :two", "PRIVMSG #tea :VERSION",
        "PRIVMSG #tea :QUIT :x", "PRIVMSG #tea ::-)",
      ])
    #expect(talk.results == ["2 failed: The message is empty."])
  }

  @Test("a reply has both of its tags, on its first line only, and none without tags")
  func replies() {
    var talk = talk(["message-tags", "echo-message"])
    talk.write("one\ntwo", answers: "m1")
    #expect(
      talk.takeSent() == ["@+draft/reply=m1;+reply=m1 PRIVMSG #tea :one", "PRIVMSG #tea :two"])
    var plain = self.talk(["echo-message"])
    plain.write("one", answers: "m1")
    #expect(plain.takeSent() == ["PRIVMSG #tea :one"])
  }

  // MARK: Several lines as one message

  @Test("several lines are one batch, with label and reply at its beginning")
  func multiline() {
    var talk = talk(Self.multiline)
    talk.write("one\n\nthree", answers: "m1")
    #expect(
      talk.takeSent() == [
        "@+draft/reply=m1;+reply=m1;label=h1 BATCH +m0 draft/multiline #tea",
        "@batch=m0 PRIVMSG #tea :one", "@batch=m0 PRIVMSG #tea :",
        "@batch=m0 PRIVMSG #tea :three", "BATCH -m0",
      ])
    talk.receive(
      "@label=h1;msgid=m2 :anna!~a@h BATCH +s draft/multiline #tea",
      "@batch=s :anna!~a@h PRIVMSG #tea :one", "@batch=s :anna!~a@h PRIVMSG #tea :",
      "@batch=s :anna!~a@h PRIVMSG #tea :three", ":srv BATCH -s")
    #expect(talk.results == ["1 sent m2"])
    #expect(talk.said.isEmpty)
  }

  @Test("the server's limits make several batches; none is blank, and none is too large")
  func multilineLimits() {
    var talk = talk(Self.multiline)
    talk.write("1\n2\n3\n4\n\n\n5")
    let groups = talk.takeSent().split { $0.hasPrefix("BATCH -") }.map { $0.dropFirst() }
    #expect(groups.map { $0.map { String($0.suffix(1)) } } == [["1", "2", "3", "4"], ["5"]])
    // 200 bytes, and the line feeds count.
    talk.write([Int](1...6).map { String(repeating: "\($0)", count: 66) }.joined(separator: "\n"))
    let sizes = talk.takeSent().split { $0.hasPrefix("BATCH -") }.map(\.count)
    #expect(sizes == [3, 3, 3])
  }

  @Test("a long line is joined again by the other side, and never by a blank one")
  func multilineConcat() {
    var talk = IRCTalk([
      "message-tags", "batch", "echo-message", "draft/multiline=max-bytes=4096,max-lines=24",
    ])
    talk.enter("#tea")
    _ = talk.takeSent()
    let text = String(repeating: "lapsang ", count: 100) + "\nend"
    talk.write(text)
    let lines = talk.takeSent().dropFirst().dropLast()
    #expect(lines.count == 3)
    #expect(lines.dropFirst().first?.contains("draft/multiline-concat") == true)
    #expect(lines.last?.contains("concat") == false)
    #expect(!lines.contains { $0.contains("concat") && $0.hasSuffix(" :") })
    // The server sends it back as it came.
    talk.receive("@msgid=m :anna!~a@h BATCH +s draft/multiline #tea")
    for line in lines {
      talk.receive(
        line.replacing(/batch=[^ ;]+/, with: "batch=s").replacing(
          " PRIVMSG", with: " :anna!~a@h PRIVMSG"))
    }
    talk.receive(":srv BATCH -s")
    #expect(talk.results == ["1 sent m"])
    #expect(talk.said.isEmpty)
  }

  @Test("a batch that the server refuses fails, whatever its words are about")
  func multilineRefused() {
    var talk = talk(["message-tags", "batch", "echo-message", "draft/multiline"])
    talk.write("one\ntwo")
    talk.receive(":srv FAIL BATCH MULTILINE_MAX_LINES 1 :Multiline batch max-lines exceeded")
    #expect(talk.results == ["1 failed: Multiline batch max-lines exceeded"])
  }

  @Test("an action has no batch")
  func actions() {
    var talk = talk(Self.multiline)
    talk.write("pours\ndrinks", kind: .action)
    #expect(
      talk.takeSent() == [
        "@label=h1 PRIVMSG #tea :\u{01}ACTION pours\u{01}",
        "@label=h2 PRIVMSG #tea :\u{01}ACTION drinks\u{01}",
      ])
  }

  // MARK: The order, and what changes on the way

  @Test("a text that the owner changes or takes back while it waits goes out so, or not")
  func changes() {
    var talk = talk(["echo-message"], flood: "1/2")
    for text in ["one", "two", "three"] { talk.write(text) }
    talk.change(2, to: "2")
    talk.change(3, to: nil)
    talk.receive(":anna!~a@h PRIVMSG #tea :one")
    talk.wait(2_000)
    talk.receive(":anna!~a@h PRIVMSG #tea :2")
    talk.wait(10_000)
    #expect(talk.takeSent() == ["PRIVMSG #tea :one", "PRIVMSG #tea :2"])
  }

  @Test("nothing goes out before the store knows that it may have")
  func admission() {
    var talk = talk(["echo-message"], flood: "1/2")
    talk.write("one")
    _ = talk.takeSent()
    talk.write("two")
    talk.receive(":anna!~a@h PRIVMSG #tea :one")
    // The store could not be written.
    talk.now += 10_000
    talk.admitOnly()
    talk.receive(":ben!b@h PRIVMSG #tea :hm")
    #expect(talk.client.admit(talk.outbox, at: talk.now) == [2])
  }

  @Test("a message to a room waits for the entry; to one where the owner is not, it fails")
  func rooms() {
    var talk = IRCTalk(["echo-message"], rooms: ["#tea"])
    _ = talk.takeSent()
    talk.write("one")
    talk.write("two", to: .room("#other"))
    #expect(talk.takeSent().isEmpty)
    #expect(talk.results == ["2 failed: You are not in #other."])
    talk.enter("#tea")
    #expect(talk.takeSent().contains("PRIVMSG #tea :one"))
  }

  @Test("a direct message goes to the nick that the person has now")
  func followsNick() {
    var talk = talk(["echo-message", "extended-join", "account-tag"], flood: "1/2")
    talk.receive(":dan!d@h JOIN #tea danaccount :Dan")
    talk.write("first")
    talk.write("hello", to: .direct("danaccount"))
    _ = talk.takeSent()
    talk.receive(":anna!~a@h PRIVMSG #tea :first", ":dan!d@h NICK Daniel")
    talk.wait(2_000)
    #expect(talk.takeSent() == ["PRIVMSG Daniel :hello"])
  }

  @Test("a message never goes to somebody else who has the nick of that person now")
  func successors() {
    var talk = IRCTalk(
      ["echo-message", "extended-join", "account-tag"], proven: ["ben", "dan"])
    talk.enter("#tea", with: "")
    talk.receive(":ben!b@h JOIN #tea * :An impostor", ":dan!d@h JOIN #tea dan :Dan")
    _ = talk.takeSent()
    talk.write("for ben", to: .direct("ben"))
    talk.write("for the other", to: .direct("~ben"))
    talk.write("for another dan", to: .direct("~dan"))
    #expect(talk.takeSent() == ["PRIVMSG ben :for the other"])
    #expect(
      talk.results == [
        "1 failed: Somebody else has the nick ben now.",
        "3 failed: Somebody else has the nick dan now.",
      ])
  }

  // MARK: Turns (rule 14.12)

  @Test(
    "14.12: while a long text goes out, every fifth turn is for what the client sends by itself")
  func fifthTurn() {
    var talk = talk(["echo-message", "message-tags", "draft/read-marker"], flood: "4/2")
    let time = HistoryTalk.time(1)
    talk.receive("@msgid=m1;time=\(time) :ben!x@h PRIVMSG #tea :hi")
    for number in 1...30 { talk.write("\(number)") }
    talk.tell(
      .signals([
        .receipt(.room("#tea"), MessageIDs(archive: "m1"), by: NetworkUser(identity: "ben"), .seen)
      ]))
    var lines: [String] = []
    for _ in 1...30 {
      let sent = talk.takeSent()
      lines += sent
      for line in sent where line.hasPrefix("PRIVMSG") { talk.receive(":anna!~a@h " + line) }
      talk.wait(2_000)
    }
    let place = lines.firstIndex { $0.hasPrefix("MARKREAD") }
    #expect(place.map { (5...9).contains($0) } == true, "\(lines)")
  }

  @Test("14.12: a message of the owner goes out at once, though other lines wait")
  func reserve() {
    var talk = talk(flood: "4/2")
    for number in 1...12 { talk.receive(":ben\(number)!x@h PRIVMSG anna :\u{01}VERSION\u{01}") }
    talk.forget()
    talk.client.prepare(["flood": "4/2"], keys: nil)
    for number in 1...8 { talk.tell(.request(.subscribe, "ben\(number)", id: Int64(number))) }
    talk.write("one")
    #expect(talk.takeSent().contains("PRIVMSG #tea :one"))
  }
}
