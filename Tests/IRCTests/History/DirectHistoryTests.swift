// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Testing

@testable import IRC

/// Rule 14.7: what the owner missed in direct chats (CHATHISTORY TARGETS).
@Suite("direct chats in the history of IRC")
struct DirectHistoryTests: HistorySuite {
  @Test("the direct chats with new messages are read, from the mark of all of them on")
  func chats() {
    var talk = Talk(marks: ["": time(100), "ben": time(90) + " m90"])
    #expect(
      talk.questions() == [
        "CHATHISTORY TARGETS timestamp=\(time(90)) timestamp=2023-11-14T22:13:30.000Z 3"
      ])
    talk.answer(
      "",
      [
        ":srv CHATHISTORY TARGETS Ben \(time(110))", ":srv CHATHISTORY TARGETS dan \(time(111))",
      ], type: "draft/chathistory-targets")
    #expect(
      talk.questions() == [
        "CHATHISTORY AFTER Ben timestamp=\(time(80)) 3",
        "CHATHISTORY AFTER dan timestamp=\(time(90)) 3",
      ])
    _ = talk.talk.takeEvents()
    talk.answer("Ben", [line(110, "PRIVMSG anna :hi")])
    // The other one is not read yet.
    #expect(talk.marks() == ["ben": time(110) + " m110"])
    let asked = talk.talk.client.history.states
    #expect(asked[.direct("dan")] == .reading)
  }

  @Test("14.7: a live message or an own one before the answer comes after the gap")
  func gap() {
    let ben = ConversationAddress.direct("ben")
    func gaps(_ talk: Talk) -> [NetworkEvent] {
      talk.talk.events.filter { $0 == .missing(in: ben) || $0 == .complete(in: ben) }
    }
    var talk = Talk(marks: ["": time(100), "ben": time(90) + " m90"])
    _ = talk.questions()
    talk.talk.receive("@msgid=live;time=2023-11-14T22:13:20.000Z :ben!x@h PRIVMSG anna :now")
    #expect(talk.talk.events.suffix(2).first == .missing(in: ben))
    // The server has nothing new of him, which cannot be, but ends the gap.
    talk.answer("", [], type: "draft/chathistory-targets")
    #expect(gaps(talk) == [.missing(in: ben), .complete(in: ben)])

    talk = Talk(marks: ["": time(100), "ben": time(90) + " m90"])
    _ = talk.questions()
    talk.talk.write("hello", to: ben)
    #expect(gaps(talk) == [.missing(in: ben)])
    talk.answer(
      "", [":srv CHATHISTORY TARGETS Ben \(time(110))"], type: "draft/chathistory-targets")
    _ = talk.questions()
    talk.answer("Ben", [line(110, "PRIVMSG anna :hi")], tags: Talk.end)
    #expect(gaps(talk) == [.missing(in: ben), .complete(in: ben)])
  }

  @Test("a chat of a new person is new, not past, and the mark of all chats follows the last one")
  func newChat() {
    var talk = Talk(marks: ["": time(100)])
    _ = talk.questions()
    talk.answer(
      "", [":srv CHATHISTORY TARGETS dan \(time(111))"], type: "draft/chathistory-targets")
    _ = (talk.questions(), talk.talk.takeEvents())
    talk.answer(
      "dan",
      [
        Talk.line(110, "PRIVMSG anna :hello", by: "dan"),
        Talk.line(111, "PRIVMSG dan :hi", by: "anna"),
      ], tags: Talk.end)
    #expect(messages(talk).map(\.isPast) == [false, false])
    #expect(messages(talk).map(\.speaker.isOwner) == [false, true])
    #expect(talk.marks() == ["dan": time(111) + " m111", "": time(111)])
  }

  @Test(
    "both sides of a missed chat are with the account of the other, which the list does not name",
    arguments: [[:], ["ben": "Ben_away"]])
  func chatOfAccount(nicks: [String: String]) {
    var talk = Talk(Talk.capabilities + ["account-tag"], marks: ["": time(100)], nicks: nicks)
    _ = talk.questions()
    talk.answer(
      "", [":srv CHATHISTORY TARGETS ben_away \(time(111))"], type: "draft/chathistory-targets")
    _ = (talk.questions(), talk.talk.takeEvents())
    let own = Talk.line(110, "PRIVMSG ben_away :hello", by: "anna")
    let theirs = "@account=ben;" + Talk.line(111, "PRIVMSG anna :hi", by: "ben_away").dropFirst()
    // With a nick from before, an answer is not necessary.
    talk.answer("ben_away", nicks.isEmpty ? [own, theirs] : [own])
    let places = talk.talk.events.compactMap {
      if case .messageReceived(_, let place) = $0 { place.address } else { nil }
    }
    #expect(places == (nicks.isEmpty ? ["ben", "ben"] : ["ben"]))
  }

  @Test("an old line to a nick that the owner had then is in the chat")
  func formerNick() {
    var talk = Talk(marks: ["": time(100)])
    _ = talk.questions()
    talk.answer(
      "", [":srv CHATHISTORY TARGETS dan \(time(111))"], type: "draft/chathistory-targets")
    _ = (talk.questions(), talk.talk.takeEvents())
    talk.answer(
      "dan",
      [
        Talk.line(110, "PRIVMSG anna_ :hello", by: "dan"),
        Talk.line(111, "PRIVMSG dan :hi", by: "anna_"),
      ])
    #expect(talk.talk.said == ["dan: hello", "anna_: hi"])
    #expect(messages(talk).map(\.speaker.isOwner) == [false, true])
  }

  @Test("a live message moves the mark of all chats only when all of them are read")
  func liveChats() {
    let live = "@msgid=live;time=2023-11-14T22:13:20.000Z :ben!x@h PRIVMSG anna :now"
    var talk = Talk(marks: ["": time(100)])
    _ = (talk.questions(), talk.marks())
    talk.talk.receive(live)
    #expect(talk.marks().isEmpty)
    talk.answer(
      "", [":srv CHATHISTORY TARGETS dan \(time(111))"], type: "draft/chathistory-targets")
    talk.talk.receive(live)
    #expect(talk.marks() == ["ben": "2023-11-14T22:13:20.000Z live"])
    _ = talk.questions()
    talk.answer("dan", [Talk.line(111, "PRIVMSG anna :hello", by: "dan")], tags: Talk.end)
    _ = talk.marks()
    talk.talk.receive(live.replacing("live", with: "later"))
    #expect(talk.marks()[""] == "2023-11-14T22:13:20.000Z")
  }

  @Test("two people with one nick are asked for one after the other, if nothing tells the answers")
  func sameNick() {
    let capabilities = ["batch", "message-tags", "server-time", "draft/chathistory"]
    var talk = Talk(capabilities, marks: ["ben": time(90), "~ben": time(90)])
    talk.history(1, "ben", 1, before: "timestamp=" + time(90))
    talk.history(2, "~ben", 1, before: "timestamp=" + time(90))
    #expect(talk.questions().count == 1)
    talk.answer("ben", [])
    #expect(talk.questions().count == 1)
    talk.answer("ben", [])
    #expect(talk.answers.map { String($0.prefix(1)) } == ["1", "2"])
  }

  @Test("a long list of chats comes in parts, and rooms and the owner in it do not matter")
  func longList() {
    var talk = Talk(marks: ["": time(100)])
    _ = talk.questions()
    talk.answer(
      "",
      [
        ":srv CHATHISTORY TARGETS #tea \(time(101))", ":srv CHATHISTORY TARGETS anna \(time(102))",
        ":srv CHATHISTORY TARGETS ben \(time(103))",
      ], type: "draft/chathistory-targets")
    #expect(
      talk.questions().last?.hasPrefix("CHATHISTORY TARGETS timestamp=\(time(103)) ") == true)
    talk.talk.receive(":srv BATCH +x draft/chathistory-targets", ":srv BATCH -x")
    #expect(talk.talk.client.history.chats == .read)
    #expect(Array(talk.talk.client.history.states.keys) == [.direct("ben")])
  }

  @Test("the first time there is nothing to list; a failure leaves the mark where it is")
  func noList() {
    var talk = Talk()
    #expect(talk.questions().isEmpty)
    #expect(talk.marks() == ["": "2023-11-14T22:13:20.000Z"])
    let live = "@msgid=live;time=2023-11-14T22:13:20.000Z :ben!x@h PRIVMSG anna :now"
    var failed = Talk(marks: ["": time(100)])
    _ = failed.marks()
    failed.talk.receive(":srv FAIL CHATHISTORY INVALID_PARAMS TARGETS :no", live)
    #expect(failed.marks().isEmpty)
    var silent = Talk(marks: ["": time(100)])
    _ = silent.marks()
    silent.talk.wait(30_000)
    silent.talk.receive(live)
    #expect(silent.marks().isEmpty)
  }

  @Test("each network of a bouncer has its own list, and the bouncer itself has none")
  func scopes() {
    var first = Talk(scope: "/net")
    #expect(first.questions().isEmpty)
    #expect(first.marks() == ["/net": "2023-11-14T22:13:20.000Z"])
    var later = Talk(marks: ["/net": time(100)], scope: "/net")
    #expect(later.questions().first?.hasPrefix("CHATHISTORY TARGETS ") == true)
    later.answer(
      "", [":srv CHATHISTORY TARGETS dan \(time(111))"], type: "draft/chathistory-targets")
    #expect(later.questions() == ["CHATHISTORY AFTER dan timestamp=\(time(90)) 3"])
    var bouncer = Talk(Talk.capabilities + ["soju.im/bouncer-networks"], marks: ["": time(100)])
    #expect(bouncer.questions().isEmpty)
  }
}
