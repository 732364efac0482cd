// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Testing

@testable import IRC

/// Rule 14.7: what the owner missed.
@Suite("what the owner missed on IRC")
struct CatchingUpTests: HistorySuite {
  // MARK: The first time

  @Test("the first time, a room's last messages are a page of the past")
  func first() {
    var talk = Talk()
    talk.talk.enter("#Tea")
    #expect(talk.questions() == ["CHATHISTORY LATEST #Tea * 3"])
    #expect(talk.talk.client.status == .connected([.catchingUp(received: 0, percent: nil)]))
    _ = talk.talk.takeEvents()
    talk.answer("#Tea", [line(1), line(2), line(3)])
    #expect(
      talk.talk.events.first == .page(of: .room("#tea"), from: "m1", until: ""))
    #expect(messages(talk).map(\.name.archive) == ["m1", "m2", "m3"])
    #expect(messages(talk).allSatisfy { $0.isPast && $0.time != nil })
    #expect(talk.marks() == ["#tea": time(3) + " m3"])
    #expect(talk.talk.client.status == .connected([]))
    #expect(talk.questions().isEmpty)
  }

  @Test("only an empty page, or the one that the server marks as the last, reaches the beginning")
  func shortPages() {
    for (lines, tags, from) in [([line(1)], "", "m1"), ([line(1)], Talk.end, ""), ([], "", "")] {
      var talk = Talk()
      talk.talk.enter("#tea")
      _ = (talk.questions(), talk.talk.takeEvents())
      talk.answer("#tea", lines, tags: tags)
      #expect(talk.talk.events.first == .page(of: .room("#tea"), from: from, until: ""))
      #expect(talk.talk.client.history.states[.room("#tea")] == .read)
      #expect(talk.questions().isEmpty)
    }
  }

  // MARK: Catching up

  @Test("what was missed is read page by page from the mark on, so that it arrives in order")
  func catchUp() {
    var talk = Talk(marks: ["#tea": time(30) + " m30"])
    talk.talk.enter("#tea")
    // Clocks of servers differ a little.
    #expect(talk.questions() == ["CHATHISTORY AFTER #tea timestamp=\(time(20)) 3"])
    _ = talk.talk.takeEvents()
    talk.answer("#tea", [line(10), line(30), line(31)])
    #expect(messages(talk).map(\.name.archive) == ["m30", "m31"])
    // After a break it goes on from there.
    #expect(talk.marks() == ["#tea": time(31) + " m31"])
    #expect(talk.questions() == ["CHATHISTORY AFTER #tea msgid=m31 3"])
    talk.answer("#tea", [line(40), line(41), line(42)])
    #expect(talk.questions() == ["CHATHISTORY AFTER #tea msgid=m42 3"])
    #expect(
      talk.talk.client.status == .connected([.catchingUp(received: 5, percent: nil)]))
    // A page may lack messages that the owner may not see.
    talk.answer("#tea", [line(60)])
    #expect(talk.questions() == ["CHATHISTORY AFTER #tea msgid=m60 3"])
    talk.answer("#tea", [line(61)])
    #expect(talk.questions() == ["CHATHISTORY AFTER #tea msgid=m61 3"])
    talk.answer("#tea", [])
    #expect(talk.questions().isEmpty)
    // What is older than the mark is known, or was never asked for.
    #expect(messages(talk).map(\.name.archive) == ["m40", "m41", "m42", "m60", "m61"])
    #expect(messages(talk).allSatisfy { !$0.isPast })
    #expect(talk.marks() == ["#tea": time(61) + " m61"])
  }

  /// What the store is told about gaps.
  private func gaps(_ talk: Talk) -> [NetworkEvent] {
    talk.talk.events.filter {
      switch $0 {
      case .missing, .complete, .unanswered: true
      default: false
      }
    }
  }

  @Test("before anything arrives after a break, the store learns that messages may be missing")
  func gap() {
    let room = ConversationAddress.room("#tea")
    var talk = Talk(marks: ["#tea": time(30) + " m30"])
    talk.talk.receive(
      ":anna!~anna@host JOIN #tea",
      // The clock of the other's server is behind.
      "@msgid=live;time=2023-11-14T22:13:19.000Z :ben!x@h PRIVMSG #tea :now")
    let told = talk.talk.events
    #expect(messages(talk).map(\.time) == [nil])
    let (gap, live) = (
      told.firstIndex(of: .missing(in: room)),
      told.firstIndex { if case .messageReceived = $0 { true } else { false } }
    )
    #expect(gap ?? 99 < live ?? -1, "\(told)")
    talk.talk.receive(":srv 366 anna #tea :End of NAMES")
    _ = talk.questions()
    talk.answer("#tea", [line(60), line(61), line(62)])
    _ = talk.questions()
    #expect(gaps(talk) == [.missing(in: room)])
    talk.answer("#tea", [])
    #expect(gaps(talk) == [.missing(in: room), .complete(in: room)])
    // The first time, nothing was missed.
    talk = Talk()
    talk.talk.enter("#tea")
    _ = talk.questions()
    talk.answer("#tea", [line(60)])
    #expect(gaps(talk).isEmpty)
  }

  @Test("a history that does not answer within 30 seconds leaves the gap, and so does a refusal")
  func gapStays() {
    let room = ConversationAddress.room("#tea")
    var talk = Talk(marks: ["#tea": time(30)])
    talk.talk.enter("#tea")
    talk.talk.wait(29_999)
    #expect(gaps(talk) == [.missing(in: room)])
    talk.talk.wait(1)
    #expect(gaps(talk) == [.missing(in: room), .unanswered(in: room)])
    talk = Talk(marks: ["#tea": time(30)])
    talk.talk.enter("#tea")
    talk.talk.receive(":srv FAIL CHATHISTORY MESSAGE_ERROR LATEST #tea :no")
    #expect(gaps(talk) == [.missing(in: room), .unanswered(in: room)])
  }

  @Test("a room with nothing new is asked once")
  func nothingNew() {
    var talk = Talk(marks: ["#tea": time(30) + " m30"])
    talk.talk.enter("#tea")
    #expect(talk.questions().count == 1)
    talk.answer("#tea", [line(25), line(30)])
    #expect(talk.questions().isEmpty)
    #expect(talk.talk.client.history.states[.room("#tea")] == .read)
  }

  @Test("a message whose time is earlier than those of the page before is not lost")
  func lateTime() {
    var talk = Talk(marks: ["#tea": time(30)])
    talk.talk.enter("#tea")
    _ = talk.questions()
    talk.answer("#tea", [line(60), line(61), line(62)])
    _ = talk.questions()
    talk.answer("#tea", [line(45), line(63)])
    #expect(messages(talk).map(\.name.archive) == ["m60", "m61", "m62", "m45", "m63"])
    #expect(talk.marks()["#tea"] == time(63) + " m63")
  }

  @Test("a server that repeats a page ends the catching up")
  func repeatedPage() {
    var talk = Talk(marks: ["#tea": time(30)])
    talk.talk.enter("#tea")
    for _ in 0..<2 {
      #expect(talk.questions().count == 1)
      talk.answer("#tea", [line(60), line(61), line(62)])
    }
    #expect(talk.questions().isEmpty)
    #expect(talk.talk.client.history.states[.room("#tea")] == .read)
  }

  @Test("context messages do not count, and events of the past are over")
  func contextAndEvents() {
    var talk = Talk(marks: ["#tea": time(30)])
    talk.talk.enter("#tea")
    _ = (talk.questions(), talk.talk.takeEvents())
    talk.answer(
      "#tea",
      [
        line(40), line(41, "JOIN #tea ben :Ben"), line(42, "QUIT :bye"),
        "@draft/chathistory-context;msgid=r1;time=\(time(5));+draft/react=👍;+reply=m40 :x!x@h TAGMSG #tea",
      ])
    #expect(talk.questions() == ["CHATHISTORY AFTER #tea msgid=m42 3"])
    talk.answer("#tea", [line(45, "NICK benny"), line(46, "TOPIC #tea :black")])
    #expect(messages(talk).map(\.name.archive) == ["m40"])
    let others = talk.talk.events.filter {
      switch $0 {
      case .messageReceived, .caughtUp: false
      default: true
      }
    }
    #expect(others.isEmpty)
  }

  @Test("reactions and deletions of the past count, with their time")
  func changes() {
    var talk = Talk(Talk.capabilities + ["draft/message-redaction"], marks: ["#tea": time(30)])
    talk.talk.enter("#tea")
    _ = (talk.questions(), talk.talk.takeEvents())
    talk.answer(
      "#tea",
      [
        "@time=\(time(40));msgid=r1;+draft/react=👍;+reply=m1 :ben!x@h TAGMSG #tea",
        "@time=\(time(41)) :ben!x@h REDACT #tea m1",
      ])
    let moments: [Milliseconds] = talk.talk.events.compactMap {
      switch $0 {
      case .reacted(_, _, _, _, _, let time?, _), .retracted(_, _, _, let time?): time
      default: nil
      }
    }
    #expect(moments == [Timestamp.read(time(40)), Timestamp.read(time(41))])
  }

  @Test("a message of several lines is one in the history, too")
  func multiline() {
    var talk = Talk(Talk.capabilities + ["draft/multiline"], marks: ["#tea": time(30)])
    talk.talk.enter("#tea")
    _ = talk.questions()
    talk.answer(
      "#tea",
      [
        "@msgid=m40;time=\(time(40)) :ben!x@h BATCH +in draft/multiline #tea",
        "@batch=in :ben!x@h PRIVMSG #tea :one",
        "@batch=in :ben!x@h PRIVMSG #tea :two", ":srv BATCH -in",
      ])
    #expect(messages(talk).map(\.body) == ["one\ntwo"])
    #expect(talk.marks()["#tea"] == time(40) + " m40")
  }

  @Test("on entering a room again, the mark stays until what was missed meanwhile is read")
  func entersAgain() {
    var talk = Talk(marks: ["#tea": time(30) + " m30"])
    talk.talk.enter("#tea")
    _ = talk.questions()
    talk.answer("#tea", [])
    talk.talk.receive(":ben!b@h KICK #tea anna", ":anna!~anna@host JOIN #tea")
    _ = talk.marks()
    talk.talk.receive("@msgid=live;time=2023-11-14T22:13:20.000Z :ben!x@h PRIVMSG #tea :now")
    #expect(talk.marks().isEmpty)
    talk.talk.receive(":srv 353 anna = #tea :anna ben", ":srv 366 anna #tea :End of NAMES")
    #expect(talk.questions() == ["CHATHISTORY AFTER #tea timestamp=\(time(20)) 3"])
  }

  @Test("a live message moves the mark only when nothing is missing before it")
  func liveMarks() {
    let live = "@msgid=live;time=2023-11-14T22:13:20.000Z :ben!x@h PRIVMSG #tea :now"
    let mark = "2023-11-14T22:13:20.000Z live"
    var talk = Talk(marks: ["#tea": time(30) + " m30"])
    talk.talk.receive(":anna!a@h JOIN #tea", live, ":srv 366 anna #tea :End")
    #expect(talk.questions() == ["CHATHISTORY AFTER #tea timestamp=\(time(20)) 3"])
    talk.talk.receive(live)
    #expect(talk.marks()["#tea"] == nil)
    talk.answer("#tea", [line(60)], tags: Talk.end)
    #expect(talk.marks()["#tea"] == time(60) + " m60")
    talk.talk.receive(live)
    #expect(talk.marks()["#tea"] == mark)
    // Nor does one of a clock that is wrong move it into the future.
    talk.talk.receive(live.replacing("22:13:20.000Z", with: "22:15:20.000Z"))
    #expect(talk.marks()["#tea"] == "2023-11-14T22:13:20.000Z")
    // An older one does not move it back.
    talk.talk.receive(live.replacing("20.000Z", with: "19.000Z"))
    #expect(talk.marks().isEmpty)

    var failed = Talk(marks: ["#tea": time(30) + " m30"])
    failed.talk.enter("#tea")
    _ = failed.questions()
    failed.talk.receive(":srv FAIL CHATHISTORY MESSAGE_ERROR LATEST #tea :no", live)
    #expect(failed.marks()["#tea"] == nil)
  }

  @Test("after a break, the question begins at the last page again")
  func breaks() {
    var talk = Talk(marks: ["#tea": time(30)])
    talk.talk.enter("#tea")
    _ = talk.questions()
    talk.answer("#tea", [line(60), line(61), line(62)])
    talk.talk.reconnect(Talk.capabilities, support: "CHATHISTORY=3")
    talk.talk.enter("#tea")
    #expect(talk.questions().last == "CHATHISTORY AFTER #tea timestamp=\(time(52)) 3")
  }

  @Test("a room that the owner enters again is caught up again")
  func again() {
    var talk = Talk()
    talk.talk.enter("#tea")
    _ = talk.questions()
    talk.answer("#tea", [line(60)])
    talk.talk.receive(":ben!x@h KICK #tea anna :out")
    talk.talk.enter("#tea")
    #expect(talk.questions() == ["CHATHISTORY AFTER #tea timestamp=\(time(50)) 3"])
  }

  @Test("only a few questions are open at the same time")
  func severalRooms() {
    var talk = Talk()
    for room in ["#a", "#b", "#c", "#d", "#e", "#f"] { talk.talk.enter(room) }
    #expect(talk.questions().count == 4)
    talk.answer("#b", [], to: 1)
    #expect(talk.questions() == ["CHATHISTORY LATEST #e * 3"])
  }

  @Test("what a server replays on its own does not answer a question with a label")
  func replay() {
    var talk = Talk(marks: ["#tea": time(30)])
    talk.talk.enter("#tea")
    _ = talk.questions()
    talk.talk.receive(
      ":srv BATCH +own chathistory #tea", "@batch=own;" + line(40).dropFirst(),
      ":srv BATCH -own")
    #expect(messages(talk).map(\.name.archive) == ["m40"])
    #expect(talk.talk.client.history.states[.room("#tea")] != .read)
    talk.answer("#tea", [])
    #expect(talk.talk.client.history.states[.room("#tea")] == .read)
  }

  @Test("a room with another name keeps what is known of its history")
  func rename() {
    var talk = Talk(marks: ["#tea": time(30)])
    talk.talk.enter("#tea")
    _ = (talk.questions(), talk.talk.takeEvents())
    talk.talk.receive(":ben!b@h RENAME #tea #Coffee :stronger")
    #expect(talk.marks() == ["#coffee": time(30)])
    talk.answer("#Coffee", [60, 61, 62].map { line($0, "PRIVMSG #Coffee :hi") })
    #expect(talk.questions() == ["CHATHISTORY AFTER #Coffee msgid=m62 3"])
    talk.answer("#Coffee", [])
    #expect(talk.marks() == ["#coffee": time(62) + " m62"])
    talk.talk.receive(":ben!b@h RENAME #coffee #milk")
    _ = talk.marks()
    talk.talk.receive("@msgid=live;time=2023-11-14T22:13:20.000Z :ben!x@h PRIVMSG #milk :now")
    #expect(talk.marks() == ["#milk": "2023-11-14T22:13:20.000Z live"])
  }

  @Test("a question that waits for its turn is about the room under its new name")
  func renameInThrottle() {
    var talk = Talk(
      ["batch", "server-time", "message-tags", "draft/chathistory"],
      settings: ["flood": "1/2"], marks: ["#tea": time(30)])
    talk.talk.enter("#milk")
    #expect(talk.questions().count == 1)
    talk.talk.enter("#tea")
    talk.talk.receive(":ben!b@h RENAME #tea #Coffee :stronger")
    #expect(talk.questions().isEmpty)
    talk.talk.wait(10_000)
    #expect(talk.questions() == ["CHATHISTORY AFTER #Coffee timestamp=\(time(20)) 3"])
    talk.answer("#Coffee", [line(60, "PRIVMSG #Coffee :hi")])
    #expect(talk.marks()["#coffee"] == time(60) + " m60")
  }

  // MARK: Pages

  @Test("where the server marks the last page, a short one is not the last")
  func markedEnds() {
    var talk = Talk(marks: ["#tea": time(30)])
    talk.talk.enter("#tea")
    _ = talk.questions()
    talk.answer("#tea", [line(60), line(61), line(62)], tags: "draft/chathistory-end")
    #expect(talk.questions().isEmpty)
    talk.talk.reconnect(Talk.capabilities, support: "CHATHISTORY=3")
    talk.talk.enter("#tea")
    _ = talk.questions()
    // The first question was about direct chats.
    talk.answer("#tea", [line(70)], to: 1)
    #expect(talk.questions() == ["CHATHISTORY AFTER #tea msgid=m70 3"])
    talk.answer("#tea", [line(80)], tags: "draft/chathistory-end")
    #expect(talk.questions().isEmpty)
    // The same for older messages.
    talk.history(1, "#tea", 5, before: "m60")
    _ = talk.questions()
    talk.answer("#tea", [line(50)])
    #expect(talk.talk.events.contains(.page(of: .room("#tea"), from: "m50", until: "m60")))
    #expect(talk.questions() == ["CHATHISTORY BEFORE #tea msgid=m50 3"])
    talk.answer("#tea", [])
    #expect(talk.talk.events.contains(.page(of: .room("#tea"), from: "", until: "m50")))
    #expect(talk.answers == ["1: "])
  }

  @Test("a server that always has more is asked 200 times; the next connection goes on")
  func endless() {
    var talk = Talk(marks: ["#tea": time(30)])
    talk.talk.enter("#tea")
    var pages = 0
    while pages < 250, !talk.questions().isEmpty {
      pages += 1
      talk.answer("#tea", (0..<3).map { line(60 + 3 * pages + $0) })
    }
    #expect(pages == 200)
    let mark = time(662) + " m662"
    #expect(talk.marks()["#tea"] == mark)
    talk.talk.receive("@msgid=live;time=2023-11-14T22:13:20.000Z :ben!x@h PRIVMSG #tea :now")
    #expect(talk.marks().isEmpty)
  }

  // MARK: Failures

  @Test("a refusal ends the question, with a label, with the target, or with neither")
  func refusals() {
    for line in [
      ":srv FAIL CHATHISTORY INVALID_TARGET LATEST #tea :no",
      ":srv FAIL CHATHISTORY MESSAGE_ERROR LATEST #tea x y :no",
      "@label=h1 :srv FAIL CHATHISTORY INVALID_PARAMS LATEST :no",
      "@label=h1 :srv FAIL CHATHISTORY NEED_MORE_PARAMS :no",
    ] {
      var talk = Talk()
      talk.talk.enter("#tea")
      talk.talk.receive(line)
      #expect(talk.talk.client.history.states[.room("#tea")] == .failed, "\(line)")
      #expect(talk.talk.client.status == .connected([]))
    }
    var silent = Talk()
    silent.talk.enter("#tea")
    silent.talk.wait(30_000)
    #expect(silent.talk.client.history.states[.room("#tea")] == .failed)
  }

  @Test("questions that wait for their turn do not fail, and those about accounts come later")
  func throttled() {
    let rooms = (0..<30).map { "#r\($0)" }
    var talk = Talk(
      support: "CHANTYPES=# CHATHISTORY=3 WHOX", settings: ["flood": "4/2"],
      marks: rooms.reduce(into: [:]) { $0[$1] = time(30) })
    for room in rooms { talk.talk.enter(room) }
    var (all, pages) = ([String](), [String: Int]())
    for _ in 0..<130 {
      talk.talk.wait(2_000)
      all += talk.talk.sent
      let questions = talk.questions()
      for (index, question) in questions.enumerated() {
        let room = question.split(separator: " ").map(String.init)[2]
        pages[room, default: 0] += 1
        let lines = pages[room] == 1 ? [60, 61, 62] : pages[room] == 2 ? [70] : []
        talk.answer(room, lines.map { line($0, "PRIVMSG \(room) :hi") }, to: index)
      }
    }
    #expect(rooms.allSatisfy { pages[$0] == 3 })
    #expect(rooms.allSatisfy { talk.talk.client.history.states[.room($0)] == .read })
    let last = all.lastIndex { $0.contains("CHATHISTORY") } ?? 0
    // At the beginning, nothing else waited.
    #expect(all[..<last].count { $0.contains("WHO ") } <= 4)
    #expect(all.count { $0.contains("WHO ") } == rooms.count)
  }

  @Test("14.12: the people of the open room are asked for first, also if it opens later")
  func openRooms() {
    let rooms = (0..<30).map { "#r\($0)" }
    var talk = Talk(support: "CHANTYPES=# CHATHISTORY=3 WHOX", settings: ["flood": "4/2"])
    talk.talk.tell(.signals([.open([.room("#r20")])]))
    for room in rooms { talk.talk.enter(room) }
    talk.talk.tell(.signals([.open([.room("#r25")])]))
    var asked: [String] = []
    for _ in 0..<130 {
      talk.talk.wait(2_000)
      asked += talk.talk.takeSent().filter { $0.hasPrefix("WHO ") }
    }
    let first = asked.prefix { !$0.contains("#r25 ") }
    #expect(first.count <= 4 && first.contains { $0.contains("#r20 ") }, "\(asked)")
    #expect(asked.count == rooms.count)
  }

  @Test("without the capabilities, nothing is asked")
  func noHistory() {
    for capabilities in [[], ["draft/chathistory"], ["batch"]] {
      var talk = Talk(capabilities)
      talk.talk.enter("#tea")
      #expect(talk.questions().isEmpty)
      talk.history(1, "#tea", 10)
      #expect(talk.answers == ["1: The server keeps no history."])
    }
  }

  @Test("how many messages an answer may have")
  func limits() {
    for (token, limit) in [("CHATHISTORY=1000", 200), ("CHATHISTORY=0", 100), ("X", 100)] {
      var talk = Talk(support: token)
      talk.talk.enter("#tea")
      #expect(talk.questions() == ["CHATHISTORY LATEST #tea * \(limit)"])
    }
  }
}
