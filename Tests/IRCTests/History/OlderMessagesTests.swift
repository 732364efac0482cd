// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Testing

@testable import IRC

/// Rule 14.7: older messages for a shell, and servers without ids or labels.
@Suite("older messages on IRC")
struct OlderMessagesTests: HistorySuite {
  @Test("older messages come page by page, as many as were asked for")
  func older() {
    var talk = Talk()
    talk.history(1, "#tea", 5, before: "m60")
    #expect(talk.questions() == ["CHATHISTORY BEFORE #tea msgid=m60 3"])
    talk.answer("#tea", [line(50), line(51), line(52)])
    #expect(
      talk.talk.events.contains(.page(of: .room("#tea"), from: "m50", until: "m60")))
    #expect(talk.answers.isEmpty)
    #expect(talk.questions() == ["CHATHISTORY BEFORE #tea msgid=m50 3"])
    talk.answer("#tea", [line(40), line(41), line(42)])
    #expect(talk.answers == ["1: "])
    #expect(messages(talk).allSatisfy { $0.isPast })
    #expect(talk.questions().isEmpty)
    // The mark is about what is newer.
    #expect(talk.marks()["#tea"] == nil)
  }

  @Test("a server that repeats a page is not asked for ever")
  func repeatedPage() {
    var talk = Talk()
    talk.history(1, "#tea", 9, before: "m60")
    for _ in 1...2 {
      #expect(talk.questions().count == 1)
      talk.answer("#tea", [line(50), line(51), line(52)])
    }
    #expect(talk.questions().isEmpty && talk.answers == ["1: "])
  }

  @Test("14.12: the next page for a shell comes before what was missed in the same conversation")
  func nextPageFirst() {
    var talk = Talk()
    talk.history(1, "#tea", 5, before: "m60")
    talk.talk.enter("#tea")
    #expect(talk.questions() == ["CHATHISTORY BEFORE #tea msgid=m60 3"])
    talk.answer("#tea", [line(50), line(51), line(52)])
    #expect(talk.questions() == ["CHATHISTORY BEFORE #tea msgid=m50 3"])
    talk.answer("#tea", [line(40), line(41), line(42)])
    #expect(talk.questions() == ["CHATHISTORY LATEST #tea * 3"])
  }

  @Test("at the beginning there is nothing older, and a failure has the server's words")
  func beginning() {
    var talk = Talk()
    talk.history(1, "ben", 5, before: "m60")
    _ = talk.questions()
    talk.answer("ben", [])
    #expect(talk.talk.events.contains(.page(of: .direct("ben"), from: "", until: "m60")))
    #expect(talk.answers == ["1: The server has no older messages."])
    talk.history(2, "ben", 5)
    #expect(talk.questions() == ["CHATHISTORY LATEST ben * 3"])
    talk.talk.receive("@label=h2 :srv FAIL CHATHISTORY MESSAGE_ERROR LATEST ben :Out of order")
    #expect(talk.answers.last == "2: Out of order")
    talk.history(3, "ben", 5)
    talk.talk.wait(30_000)
    #expect(talk.answers.last == "3: The server does not answer.")
  }

  @Test("two shells' questions about one conversation wait for each other")
  func twoShells() {
    var talk = Talk()
    talk.history(1, "#tea", 1, before: "m60")
    talk.history(2, "#tea", 1, before: "m50")
    #expect(talk.questions().count == 1)
    talk.answer("#tea", [line(50), line(51), line(52)])
    #expect(talk.questions() == ["CHATHISTORY BEFORE #tea msgid=m50 3"])
    #expect(talk.answers == ["1: "])
  }

  @Test("a server that knows only times is asked by them", arguments: [true, false])
  func onlyTimes(hasIDs: Bool) {
    var talk = Talk(
      support: "CHATHISTORY=3 MSGREFTYPES=timestamp", marks: ["#tea": time(30)])
    talk.talk.enter("#tea")
    _ = (talk.questions(), talk.talk.takeEvents())
    talk.answer("#tea", [60, 61, 62].map { line($0, id: hasIDs) })
    #expect(talk.questions() == ["CHATHISTORY AFTER #tea timestamp=2023-11-14T10:01:01.999Z 3"])
    talk.answer("#tea", [])
    talk.history(1, "#tea", 4, before: hasIDs ? "m60" : "timestamp=" + time(60))
    #expect(talk.questions() == ["CHATHISTORY BEFORE #tea timestamp=\(time(60)) 3"])
    talk.answer("#tea", [50, 51, 52].map { line($0, id: hasIDs) })
    let from = "timestamp=" + time(50)
    #expect(
      talk.talk.events.contains(
        .page(of: .room("#tea"), from: from, until: hasIDs ? "m60" : "timestamp=" + time(60))))
    #expect(talk.questions() == ["CHATHISTORY BEFORE #tea \(from) 3"])
    talk.talk.wait(30_000)
    // Another process knows no times of ids.
    talk.history(2, "#tea", 1, before: "m1")
    #expect(talk.answers.last?.hasPrefix("2: The server finds older messages only") == true)
  }

  @Test("a page without ids does not look like the beginning")
  func pageWithoutIDs() {
    var talk = Talk()
    talk.talk.enter("#tea")
    _ = (talk.questions(), talk.talk.takeEvents())
    talk.answer("#tea", [1, 2, 3].map { line($0, id: false) })
    #expect(
      talk.talk.events.first
        == .page(of: .room("#tea"), from: "timestamp=" + time(1), until: ""))
    #expect(messages(talk).allSatisfy { $0.playback != nil })
  }

  @Test("without labels, the target says which question is answered")
  func withoutLabels() {
    var talk = Talk(["batch", "server-time", "message-tags", "draft/chathistory"])
    talk.talk.enter("#tea")
    talk.talk.enter("#Milk")
    #expect(
      talk.questions() == ["CHATHISTORY LATEST #tea * 3", "CHATHISTORY LATEST #Milk * 3"])
    talk.answer("#milk", [line(1, "PRIVMSG #milk :x")])
    #expect(talk.talk.client.history.states[.room("#milk")] == .read)
    #expect(talk.talk.client.history.states[.room("#tea")] != .read)
    // Nobody has asked for this one: it is new, and no page.
    _ = talk.talk.takeEvents()
    talk.answer("#other", [line(2, "PRIVMSG #other :x")])
    #expect(messages(talk).map(\.isPast) == [false])
    #expect(talk.talk.events.count == 1)
  }

  @Test("14.12: what the owner asks for goes before the histories that the client reads by itself")
  func goesFirst() {
    var talk = Talk(settings: ["flood": "4/2"])
    for room in 1...9 { talk.talk.enter("#r\(room)") }
    _ = talk.questions()
    talk.history(1, "#r9", 3, before: "m9")
    // One turn was left for it.
    #expect(talk.questions() == ["CHATHISTORY BEFORE #r9 msgid=m9 3"])
    talk.answer("#r9", [line(5, "PRIVMSG #r9 :a"), line(6, "PRIVMSG #r9 :b")])
    talk.talk.wait(2_000)
    // So does its next page.
    #expect(talk.questions() == ["CHATHISTORY BEFORE #r9 msgid=m5 3"])
  }
}
