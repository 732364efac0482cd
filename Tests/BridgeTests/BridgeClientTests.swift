// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Networks
import Storage
import Testing

@testable import Bridge

/// What hobnob makes of a program's lines, and what it writes to a program.
@Suite("The client of a program") struct BridgeClientTests {
  private static func message(_ id: String, _ text: String) -> String {
    #"{"type":"message",\#(BridgeTalk.tea),"id":"\#(id)","sender":"ben","text":"\#(text)"}"#
  }

  // MARK: Batches

  @Test("a batch is stored as a whole, and acknowledged after it")
  func acknowledges() throws {
    var talk = try BridgeTalk()
    talk.hear(#"{"type":"begin"}"#, Self.message("1", "one"), Self.message("2", "two"))
    #expect(talk.events.isEmpty && talk.written.isEmpty)
    _ = talk.take()
    talk.hear(#"{"type":"mark","mark":"m2"}"#, #"{"type":"commit","batch":7}"#)
    #expect(talk.bodies == ["one", "two"])
    #expect(talk.events.last == .caughtUp(archive: "", mark: "m2"))
    #expect(talk.written == [#"{"batch":7,"type":"stored"}"#])
    let order = talk.take().map { if case .store = $0 { "store" } else { "other" } }
    #expect(order.first == "store")
  }

  @Test("a batch that breaks off was never written, answers included")
  func forgetsBrokenBatches() throws {
    var talk = try BridgeTalk()
    let entry = talk.write()
    talk.hear(
      #"{"type":"begin"}"#, #"{"type":"sent","entry":\#(entry),"id":"1"}"#,
      Self.message("2", "two"))
    talk.handle(.down)
    #expect(talk.bodies.isEmpty)
    #expect(!talk.events.contains { if case .accepted = $0 { true } else { false } })
    talk.hear(BridgeTalk.hello, #"{"type":"up"}"#)
    _ = talk.take()
    talk.deliver()
    #expect(talk.written.count == 1 && talk.written[0].contains(#""tried":true"#))
  }

  @Test(
    "a batch with a line that cannot be stored is not acknowledged, and ends the program",
    arguments: [
      #"{"type":"message","conversation":{"room":"tea"},"text":"no id"}"#,
      #"{"type":"message","conversation":{"room":""},"id":"1","sender":"ben","text":"x"}"#,
      #"{"type":"message","conversation":{"person":"ben"},"id":"1","sender":"eve","text":"x"}"#,
      #"{"type":"keep","name":"a b","value":"x"}"#, #"{"type":"sent","entry":1,"id":""}"#,
      "{ garbage", #"{"type":"begin"}"#,
    ])
  func refusesFaultyBatches(line: String) throws {
    var talk = try BridgeTalk()
    talk.hear(
      #"{"type":"begin"}"#, Self.message("1", "one"), line, #"{"type":"commit","batch":7}"#)
    #expect(talk.hangUps.count == 1)
    #expect(talk.written.isEmpty)
    #expect(talk.bodies.isEmpty)
  }

  @Test("a batch has limits: lines, bytes, time")
  func limitsBatches() throws {
    var lines = try BridgeTalk()
    lines.hear(#"{"type":"begin"}"#)
    for number in 0...BridgeLimits.batchLines { lines.hear(Self.message("\(number)", "x")) }
    #expect(lines.hangUps.count == 1)
    var bytes = try BridgeTalk()
    bytes.hear(#"{"type":"begin"}"#)
    let long = String(repeating: "x", count: 1_000_000)
    for number in 0..<17 { bytes.hear(Self.message("\(number)", long)) }
    #expect(bytes.hangUps.count >= 1)
    var time = try BridgeTalk()
    time.hear(#"{"type":"begin"}"#)
    time.now += BridgeLimits.batchTime + 1
    time.handle(.tick)
    #expect(time.hangUps.count == 1)
    var quick = try BridgeTalk()
    quick.hear(#"{"type":"begin"}"#, #"{"type":"commit"}"#)
    quick.now += BridgeLimits.batchTime + 1
    quick.handle(.tick)
    #expect(quick.hangUps.isEmpty)
  }

  // MARK: Lines

  @Test("what a later version writes is ignored; the owner hears of the first faulty line")
  func skipsLines() throws {
    var talk = try BridgeTalk()
    talk.hear(
      #"{"type":"x-new","a":1}"#,
      #"{"type":"message",\#(BridgeTalk.tea),"id":"1","sender":"ben","text":"hi","x-new":[1]}"#)
    #expect(talk.bodies == ["hi"])
    #expect(talk.notices.isEmpty)
    talk.hear("{ garbage", #"{"type":"typing"}"#)
    #expect(talk.notices.count == 1)
    #expect(talk.hangUps.isEmpty)
    talk.hear(Self.message("2", "after"))
    #expect(talk.bodies == ["hi", "after"])
  }

  @Test(
    "an address, an id or a kind that cannot be is a fault",
    arguments: [
      #""id":"1","sender":"","text":"x""#, #""id":"1","sender":"a\nb","text":"x""#,
      #""id":"","sender":"ben","text":"x""#, #""id":"1","sender":"ben","text":7"#,
      #""id":"1","text":"x""#, #""id":"1","sender":"ben","text":"x","time":"yesterday""#,
      #""id":"1","sender":"ben","text":"x","kind":"poem""#,
      #""id":"1","sender":"\#(String(repeating: "x", count: 1_025))","text":"x""#,
      #""id":"\#(String(repeating: "x", count: 1_025))","sender":"ben","text":"x""#,
    ])
  func refusesForms(members: String) throws {
    var talk = try BridgeTalk()
    talk.hear(#"{"type":"message",\#(BridgeTalk.tea),\#(members)}"#)
    #expect(talk.bodies.isEmpty)
    #expect(talk.notices.count == 1)
  }

  @Test("a name on the whole network has no room; a receipt without a message means nothing")
  func readsMembersThatMayBeMissing() throws {
    var talk = try BridgeTalk()
    talk.hear(#"{"type":"renamed","identity":"ben","name":"Benny","former":"Ben"}"#)
    #expect(
      talk.events == [
        .renamed(NetworkUser(identity: "ben", name: "Benny"), room: nil, former: "Ben")
      ])
    _ = talk.take()
    talk.hear(#"{"type":"receipt",\#(BridgeTalk.tea),"sender":"ben","state":"seen"}"#)
    #expect(talk.notices.count == 1)
  }

  @Test("what hobnob keeps for a program has limits, and comes back as it was")
  func limitsKeptValues() throws {
    var talk = try BridgeTalk()
    let odd = "a\u{2028}b\u{85}c\nd"
    let fact = try BridgeFacts.fact("odd", odd)
    let lines = fact.value.split(whereSeparator: \.isNewline)
    #expect(lines.count == 1)
    let parser = try JSONParser()
    let kept = BridgeFacts.kept(in: [fact.name: fact.value], parser)
    #expect(kept == ["odd": .text(odd)])
    for number in 0...BridgeLimits.keptValues {
      talk.hear(#"{"type":"keep","name":"n\#(number)","value":"x"}"#)
    }
    #expect(talk.notices.count == 1)
    talk.hear(
      #"{"type":"keep","name":"n1","value":""}"#, #"{"type":"keep","name":"m","value":"x"}"#)
    let effects = talk.take()
    let learned = effects.filter { if case .learned = $0 { true } else { false } }
    #expect(learned.count == BridgeLimits.keptValues + 2)
  }

  @Test("a moderator removes messages of rooms only; a mark has a limit")
  func checksPlaces() throws {
    let long = String(repeating: "x", count: BridgeLimits.mark + 1)
    for line in [
      #"{"type":"removed","conversation":{"person":"tea"},"id":"1"}"#,
      #"{"type":"mark","mark":"\#(long)"}"#, #"{"type":"mark","archive":"a\nb","mark":"1"}"#,
    ] {
      var talk = try BridgeTalk()
      talk.hear(line)
      #expect(talk.notices.count == 1, "\(line.prefix(80))")
    }
  }

  @Test("of lines that mean nothing later, only a hundred a second count")
  func limitsFloods() throws {
    var talk = try BridgeTalk()
    func flood() -> Int {
      for _ in 0..<150 {
        talk.hear(#"{"type":"typing",\#(BridgeTalk.tea),"sender":"ben","active":true}"#)
      }
      return talk.events.count
    }
    #expect(flood() == 100)
    talk.now += 1_000
    #expect(flood() == 200)
    talk.hear(Self.message("1", "hi"))
    #expect(talk.bodies == ["hi"])
  }

  @Test("other lines wait beyond a thousand a second, but not those of a batch")
  func delaysFloods() throws {
    var talk = try BridgeTalk()
    func notify(_ count: Int) {
      for _ in 0..<count { talk.hear(#"{"type":"notice","text":"x"}"#) }
    }
    talk.now += 1_250
    notify(BridgeLimits.lines)
    #expect(talk.rests.isEmpty)
    notify(1)
    #expect(talk.rests == [750])
    talk.now += 1_000
    talk.hear(#"{"type":"begin"}"#)
    notify(BridgeLimits.lines * 2)
    talk.hear(#"{"type":"commit"}"#)
    notify(BridgeLimits.lines - 1)
    #expect(talk.rests == [750] && talk.notices.count == BridgeLimits.lines * 4)
  }

  @Test("a program that asks without end is ended, with a reason")
  func limitsQuestions() throws {
    var talk = try BridgeTalk([BridgeTalk.hello])
    func ask(_ count: Int) {
      for number in 0..<count { talk.hear(#"{"type":"ask","ask":"\#(number)","text":"?"}"#) }
    }
    ask(BridgeLimits.questions)
    talk.now += 60_000
    ask(BridgeLimits.questions)
    #expect(talk.questions.count == 2 * BridgeLimits.questions && talk.hangUps.isEmpty)
    ask(1)
    #expect(talk.questions.count == 2 * BridgeLimits.questions)
    #expect(talk.hangUps == ["hobnob-net-test asked more than 10 questions in a minute"])
  }

  @Test("a program of a later version is welcome; unknown rules of names are not")
  func readsHello() throws {
    let later = try BridgeTalk([
      BridgeTalk.hello.replacing(#""version":1"#, with: #""version":2"#)
    ])
    #expect(later.client.hello?.network == "Test")
    let odd = try BridgeTalk([
      BridgeTalk.hello.replacing(#""window""#, with: #""fold":"x","window""#)
    ])
    #expect(odd.client.hello == nil)
  }

  // MARK: The outbox

  @Test("no more entries are without an answer than the program's window")
  func keepsTheWindow() throws {
    var talk = try BridgeTalk()
    for number in 1...5 { talk.write(.send, "\(number)") }
    #expect(talk.written.count == 3)
    _ = talk.take()
    talk.hear(#"{"type":"sent","entry":1,"id":"a"}"#)
    talk.deliver()
    #expect(talk.written.count == 1 && talk.written[0].contains(#""entry":4"#))
  }

  @Test("a message that came back counts as answered, whatever else the program says of it")
  func countsRepetitions() throws {
    var talk = try BridgeTalk()
    for number in 1...5 { talk.write(.send, "\(number)") }
    func echo(_ number: Int) -> String {
      #"{"type":"message",\#(BridgeTalk.tea),"id":"a\#(number)","mine":true,"uid":"m\#(number)","text":"x"}"#
    }
    #expect(talk.written.count == 3)
    talk.hear(echo(1), echo(1), #"{"type":"sent","entry":2,"id":"a2"}"#, echo(2))
    #expect(talk.take().contains(.wantsOutbox))
    talk.deliver()
    #expect(talk.written.count == 2 && talk.written[1].contains(#""entry":5"#))
    talk.hear(echo(3), echo(4), echo(5))
    #expect(!talk.client.isBusy)
    // The answer may follow.
    _ = talk.take()
    talk.hear(#"{"type":"sent","entry":3,"id":"a3"}"#)
    #expect(talk.events.contains { if case .accepted = $0 { true } else { false } })
  }

  @Test("if a program answers nothing, the status tells what waits, until it answers")
  func tellsOfSilence() throws {
    var talk = try BridgeTalk()
    let start = talk.now
    func wait(_ time: Milliseconds) {
      talk.now += time
      talk.handle(.tick)
    }
    talk.write()
    wait(BridgeLimits.answerTime - 1)
    talk.write()
    #expect(talk.statuses.isEmpty)
    wait(1)
    #expect(talk.statuses == [.connected([.unanswered(entries: 2, since: start)])])
    talk.write()
    #expect(talk.statuses.last == .connected([.unanswered(entries: 3, since: start)]))
    talk.hear(#"{"type":"part","entry":1,"id":"p"}"#)
    #expect(talk.statuses.last == .connected([]))
    let answered = talk.now
    wait(BridgeLimits.answerTime)
    #expect(talk.statuses.last == .connected([.unanswered(entries: 3, since: answered)]))
    for entry in 1...3 { talk.hear(#"{"type":"sent","entry":\#(entry),"id":"s\#(entry)"}"#) }
    #expect(talk.statuses.last == .connected([]))
    wait(BridgeLimits.answerTime * 2)
    #expect(talk.statuses.last == .connected([]))
  }

  @Test("a change waits until the network has given its message an id, and needs none itself")
  func holdsChangesBack() throws {
    var talk = try BridgeTalk()
    let first = talk.write(.send, "one")
    talk.write(.edit, "two", message: first)
    #expect(talk.written.count == 1)
    talk.hear(#"{"type":"sent","entry":\#(first),"id":"a"}"#)
    _ = talk.take()
    let edit = talk.write(.edit, "three", id: "a")
    #expect(talk.written.contains { $0.contains(#""type":"edit""#) && $0.contains("three") })
    talk.hear(#"{"type":"sent","entry":\#(edit)}"#)
    #expect(talk.events.contains { if case .accepted(_, nil, _) = $0 { true } else { false } })
  }

  @Test("an answer that cannot be read ends its entry, whose message may have arrived")
  func doubtsFaultyAnswers() throws {
    var talk = try BridgeTalk()
    let entry = talk.write()
    talk.hear(#"{"type":"sent","entry":\#(entry),"id":7}"#)
    let isInDoubt = talk.events.contains {
      if case .refused(_, _, mayHaveArrived: true) = $0 { true } else { false }
    }
    #expect(isInDoubt)
    _ = talk.take()
    // What is no answer to anything changes nothing.
    talk.hear(#"{"type":"sent","entry":99,"id":"x"}"#, #"{"type":"answer","request":99}"#)
    #expect(talk.events.isEmpty)
  }

  @Test("after a failure a message may have arrived only if the program says so")
  func readsFailures() throws {
    var talk = try BridgeTalk()
    for maybe in ["", #","maybe":true"#] {
      let entry = talk.write()
      talk.hear(#"{"type":"failed","entry":\#(entry),"reason":"no"\#(maybe)}"#)
    }
    let doubts = talk.events.compactMap { event -> Bool? in
      if case .refused(_, _, let mayHaveArrived) = event { mayHaveArrived } else { nil }
    }
    #expect(doubts == [false, true])
  }

  @Test("a request that the program does not take is answered at once")
  func answersRequests() throws {
    var talk = try BridgeTalk()
    func request(_ id: Int64, _ verb: NetworkRequest.Verb) -> NetworkRequest {
      NetworkRequest(id: id, verb: verb, target: "tea", text: "green")
    }
    talk.handle(.requests([request(1, .topic), request(2, .kick), request(3, .join)]))
    #expect(talk.written.count == 2)
    let answers = talk.events.compactMap { event -> Int64? in
      if case .answered(let request, _) = event { request.id } else { nil }
    }
    #expect(answers == [2])
    talk.hear(#"{"type":"answer","request":1,"text":"no rights"}"#)
    #expect(talk.events.last == .answered(request(1, .topic), "no rights"))
  }

  @Test("the protocol has no requests for encryption, whatever a program says")
  func refusesEncryption() throws {
    var talk = try BridgeTalk([
      BridgeTalk.hello.replacing(#"["topic"]"#, with: #"["topic","encrypt"]"#), #"{"type":"up"}"#,
    ])
    let request = NetworkRequest(id: 1, verb: .encrypt, target: "tea", text: "on")
    talk.handle(.requests([request]))
    #expect(talk.written.isEmpty)
    #expect(
      talk.events == [
        .answered(request, "The program hobnob-net-test does not say that it can encrypt.")
      ])
  }

  @Test("a request to enter a room may lead to another address, or be refused")
  func followsAliases() throws {
    var talk = try BridgeTalk()
    let request = NetworkRequest(id: 1, verb: .join, target: "#tea")
    talk.handle(.requests([request]))
    talk.hear(#"{"type":"answer","request":1,"room":"!abc"}"#)
    #expect(
      talk.events == [
        .forwarded(room: "#tea", to: "!abc", reason: nil), .answered(request, ""),
      ])
    _ = talk.take()
    let other = NetworkRequest(id: 2, verb: .join, target: "#milk")
    talk.handle(.requests([other]))
    talk.hear(#"{"type":"answer","request":2,"text":"only for members"}"#)
    #expect(
      talk.events == [
        .left(room: "#milk", reason: "only for members"), .answered(other, "only for members"),
      ])
  }

  @Test("receipts for single messages name each of them")
  func readsSingleReceipts() throws {
    var talk = try BridgeTalk()
    talk.hear(
      #"{"type":"receipt",\#(BridgeTalk.tea),"sender":"ben","state":"seen","ids":["1","3"]}"#,
      #"{"type":"receipt",\#(BridgeTalk.tea),"sender":"ben","state":"seen","id":"5"}"#)
    let alone = talk.events.compactMap { event -> String? in
      if case .receipt(let ids, _, _, .seen, let isAlone) = event {
        "\(ids.archive ?? "") \(isAlone)"
      } else {
        nil
      }
    }
    #expect(alone == ["1 true", "3 true", "5 false"])
  }
}
