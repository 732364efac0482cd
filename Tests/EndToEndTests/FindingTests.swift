// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Emulator
import Testing

@testable import NetworkInbox

extension EndToEnd {
  @Suite("What is found, unread, and not yet sent")
  struct FindingTests {
    @Test("/search shows conversation, number and marked words, the newest last (10)")
    func searches() throws {
      let home = try Home()
      try home.say("green tea\nand a kettle", as: "ben")
      try home.say("Black TEA", as: "cleo")
      try home.say("coffee", as: "ben")
      let shell = try home.shellInLobby(as: "anna")
      try shell.type("/join tea\r", seeing: "#tea> |")
      try shell.type("no tea here\r", seeing: "[1]")
      shell.send("/search tea in:#lobby\r")
      _ = shell.wait(for: 10) { $0.history.count { $0.hasPrefix("#lobby 20") } == 2 }
      let shown = shell.emulator.history
      let order = ["ben: green tea", "cleo: Black TEA"].compactMap { part in
        shown.lastIndex { $0.hasPrefix("#lobby ") && $0.contains(part) }
      }
      #expect(order.count == 2 && order[0] < order[1], "\(shown)")
      #expect(shell.style(of: "TEA")?.isUnderlined == true)
      #expect(shell.style(of: "Black ")?.isUnderlined == false)
      try shell.type("/search kett*\r", seeing: "[1] ben: and a kettle")
      try shell.type("/search from:ben coffee\r", seeing: "[3] ben: coffee")
      try shell.type("/search unicorn\r", seeing: "Nothing was found.")
      try shell.expect("#tea> |")
    }

    @Test(
      "what cannot be looked for is said (10)",
      arguments: [
        ("since:never", "is not a date"), ("colour:red", "There is no filter colour:"),
        ("in:#nowhere x", "There is no room #nowhere"), ("from:nobody x", "There is no one named"),
        ("...", "There is no word to look for"), ("", "Usage: /search"),
      ])
    func refusals(query: String, reason: String) throws {
      let home = try Home()
      let finished = try home.run(["--as", "anna", "lobby"], input: "/search \(query)\n")
      #expect(finished.status == 1 && finished.errors.contains(reason), "\(finished.errors)")
    }

    @Test("of many hits the newest twenty are shown, and /search alone goes on")
    func pagesOfHits() throws {
      let home = try Home()
      let lines = (1...45).map { "tea \($0)." }.joined(separator: "\n")
      let input = lines + "\n/search tea\n/search\n/search\n/search\n"
      let finished = try home.run(["--as", "anna", "lobby"], input: input)
      let numbers = finished.output.matches(of: /anna: tea (\d+)\./).compactMap { Int($0.1) }
      #expect(numbers == Array(26...45) + Array(6...25) + Array(1...5))
      #expect(finished.output.hasSuffix("Nothing older was found.\n"))
      #expect(finished.status == 0 && finished.errors == "")
    }

    @Test(
      "2.8: the arguments of these commands are completed by kind",
      arguments: [
        ("/search fr\tbe\t", "/search from:ben |"), ("/search tea in:#lo\t", "in:#lobby |"),
        ("/search has\t", "/search has:file |"), ("/invite be\t", "/invite ben |"),
        ("/typing of\t", "/typing off |"), ("/retry a\t", "/retry all |"),
        ("/info 1\t", "/info 1 |"), ("/set timestamps r\t", "/set timestamps relative |"),
        ("/set links au\t", "/set links auto |"),
      ])
    func completes(typed: String, shown: String) throws {
      let home = try Home()
      try home.say("hello", as: "ben")
      for face in [[], ["--plain"]] {
        let shell = try home.shell(as: "anna", face + ["lobby"])
        try shell.expect("#lobby> ")
        shell.send(typed)
        try shell.expect(shown)
      }
    }

    @Test("7.3: searching counts as nothing seen")
    func searchSeesNothing() throws {
      let home = try Home()
      let ben = try home.shellInLobby(as: "ben")
      let anna = try home.shellInLobby(as: "anna")
      try anna.type("/join tea\r", seeing: "#tea> |")
      try ben.type("look here\r", seeing: "[1]")
      try anna.type("/search look\r", seeing: "[1] ben: look here")
      try ben.expect("[1] ✓✓ delivered")
      try anna.type("/unread\r", seeing: "#lobby  1 unread")
    }

    @Test("/unread lists, /next goes where I am mentioned first, then where it is oldest (10)")
    func unreadAndNext() throws {
      let home = try Home()
      let anna = try home.shellInLobby(as: "anna")
      for room in ["one", "two", "three"] {
        try anna.type("/join \(room)\r", seeing: "#\(room)> |")
      }
      try anna.type("/next\r", seeing: "Nothing is unread elsewhere.")
      try anna.type("/unread\r", seeing: "Nothing is unread.")
      try home.say("hi @anna", as: "ben", in: "one")
      try home.say("hello", as: "ben", in: "two")
      try home.say("again anna", as: "ben", in: "two")
      try home.say("news", as: "ben", in: "lobby")
      try anna.expect("#one 1!, #two 2, #lobby 1")
      try anna.type("/unread\r", seeing: "#lobby  1 unread")
      try anna.expect("#one  1 unread, 1 mention")
      try anna.expect("#two  2 unread")
      try anna.type("/next\r", seeing: "#one> |")
      try anna.type("/next\r", seeing: "#two> |")
      try anna.type("/next\r", seeing: "#lobby> |")
      try anna.expect("new ──")
      try anna.type("/next\r", seeing: "Nothing is unread elsewhere.")
    }

    @Test("7.2, 7.4: /outbox lists what waits and what failed, everywhere; /retry all tries it")
    func outbox() throws {
      let home = try Home()
      try home.say("first", as: "anna")
      let store = try Store(path: home.store)
      defer { store.close() }
      let me = try store.writeDurablyIfNeeded { try $0.participant(identity: "anna") }.id
      for name in ["far", "away"] {
        try store.writeDurablyIfNeeded {
          try $0.join(
            me, try $0.networkRoom(name, network: "stub").id)
        }
      }
      let shell = try home.shell(as: "anna", ["far"])
      try shell.expect("#far> |")
      try shell.type("/outbox\r", seeing: "Nothing waits to be sent.")
      try shell.type("one\r", seeing: "[1] … sending")
      for entry in try store.read({ try $0.outbox(of: "stub") }) {
        try store.writeDurably { try $0.finish(entry, as: .failed("closed\u{1B}[31m")) }
      }
      try shell.expect("[1] ✗ failed")
      try shell.type("two\r", seeing: "[2] … sending")
      try shell.expect("1 failed")
      try shell.type("/switch away\r", seeing: "#away> |")
      try shell.type("three\r", seeing: "[1] … sending")
      try shell.expect("1 failed · 2 waiting")
      try shell.type("/outbox\r", seeing: "#far [1] one  ✗ not sent: closed^[[31m")
      try shell.expect("#far [2] two  … sending")
      try shell.expect("#away [1] three  … sending")
      try shell.type("/retry\r", seeing: "None of your messages here failed")
      try shell.type("\u{15}/retry all\r", seeing: "Sending 1 again.")
      try shell.expect("3 waiting")
      for entry in try store.read({ try $0.outbox(of: "stub") }) {
        try store.writeDurably { try $0.finish(entry, as: .sent) }
      }
      try shell.expectGone("waiting")
      try shell.type("/outbox\r", seeing: "Nothing waits to be sent.")
    }
  }
}
