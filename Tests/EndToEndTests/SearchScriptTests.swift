// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import Foundation
import Testing

extension EndToEnd {
  @Suite("11.3: hobnob search, unread and wait")
  struct SearchScriptTests {
    private let home: Home

    init() throws {
      home = try Home()
    }

    private func search(_ arguments: String...) throws -> Program.Finished {
      try home.run(["search", "--as", "anna"] + arguments)
    }

    /// What was found, without its time.
    private func found(_ arguments: String...) throws -> [String] {
      let finished = try home.run(["search", "--as", "anna"] + arguments)
      return finished.output.split(separator: "\n").map {
        String($0).replacing(#/^[-0-9]+ [0-9:]+ /#, with: "")
      }
    }

    private func fill() throws {
      try home.write("cups", to: "cups.txt")
      try home.say("tea at noon?", as: "ben")
      try home.say("no\nTéa later\nbye", as: "cy")
      #expect(try home.run(["send", "dev", "tea build", "--create", "--as", "ben"]).status == 0)
      #expect(
        try home.run(["send", "lobby", "--attach", home.path + "/cups.txt", "--as", "ben"]).status
          == 0)
    }

    @Test("prints the hits newest first, with place, number, time and sender")
    func newestFirst() throws {
      try fill()
      let all = [
        "#dev [1] ben: tea build", "#lobby [2] cy: Téa later", "#lobby [1] ben: tea at noon?",
      ]
      #expect(try found("tea") == all)
      #expect(try found("tea", "--lines", "2") == Array(all[..<2]))
      #expect(try found("te*", "from:ben") == [all[0], all[2]])
      #expect(try found("tea", "in:lobby") == Array(all[1...]))
      #expect(try found("\"at noon\"") == [all[2]])
      #expect(try found("tea", "since:2026-01-01", "until:today") == all)
      #expect(try found("has:file") == ["#lobby [3] ben: [file 1: cups.txt, text/plain, 4 B]"])
      #expect(try search("tea").output.contains(/^\d{4}-\d\d-\d\d \d\d:\d\d #dev/))
      let json = try search("tea", "--json", "--lines", "1").output
      let data = Data(json.utf8)
      let object = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
      #expect(object["conversation"] as? String == "#dev")
    }

    @Test("11.4: nothing found is status 1, said on standard error")
    func nothing() throws {
      try fill()
      for arguments in [["coffee"], ["tea", "since:2030"], ["tea", "from:anna"]] {
        let finished = try home.run(["search", "--as", "anna"] + arguments)
        #expect(finished.status == 1 && finished.output == "" && finished.errors != "")
      }
    }

    @Test(
      "an unreadable query is 64; unknown names are 1",
      arguments: [
        ("foo:bar", 64), ("since:never", 64), ("has:cake", 64), ("in:", 64),
        ("from:zed", 1), ("in:nowhere", 1), ("in:@zed", 1),
      ])
    func wrongQueries(query: String, status: Int32) throws {
      try fill()
      let finished = try search("tea", query)
      #expect(finished.status == status && finished.output == "")
      #expect(finished.errors.split(separator: "\n").count == 1, "\(finished.errors)")
      #expect(!finished.errors.contains("/"))
    }

    @Test("7.3: others' direct chats are not found, and nothing is marked as read or seen")
    func othersChats() throws {
      try fill()
      let cy = try home.shellInLobby(as: "cy")
      try cy.type("are you there\r", seeing: "[4]")
      #expect(try home.run(["send", "@cy", "secret tea", "--as", "ben"]).status == 0)
      #expect(try home.run(["lobby", "--as", "anna"]).status == 0)
      #expect(try found("secret") == [])
      #expect(
        try home.run(["search", "secret", "--as", "ben"]).output.contains("@cy [1] ben: secret tea")
      )
      try cy.type("still there?\r", seeing: "[5]")
      #expect(try found("still").count == 1)
      #expect(try home.run(["log", "lobby", "--as", "anna"]).output.contains("still"))
      try cy.expectNever("seen")
      #expect(try home.run(["unread", "--count", "--as", "anna"]).output == "1\n")
    }

    @Test("hits are bold on a terminal, also with NO_COLOR; plain on a dumb one and in a pipe")
    func marks() throws {
      try fill()
      let variants: [([String: String?], [String], Bool)] = [
        ([:], [], true), (["NO_COLOR": "1"], [], true), (["TERM": "dumb"], [], false),
        ([:], ["--plain"], false), (["HOBNOB_ACCESSIBLE": "1"], [], false),
      ]
      for (changes, arguments, isBold) in variants {
        let terminal = try home.shell(
          as: "anna", ["search", "tea", "in:lobby"] + arguments, environment: changes)
        try terminal.expect("Téa later")
        #expect(terminal.waitForExit(seconds: 10) == 0)
        let row = try #require(
          (0..<24).first { terminal.emulator.text(ofRow: $0).contains("Téa later") })
        let text = terminal.emulator.text(ofRow: row)
        let column = text.distance(
          from: text.startIndex, to: try #require(text.firstRange(of: "Téa")).lowerBound)
        let bold = [0, column - 1, column, column + 2, column + 4].map {
          terminal.emulator.style(row: row, column: $0).isBold
        }
        #expect(bold == [false, false, isBold, isBold, false], "\(changes) \(arguments)")
      }
      #expect(try !search("tea").output.contains("\u{1B}"))
    }

    @Test("unread lists conversations with counts and mentions; --count is one number")
    func unread() throws {
      for (room, name) in [("lobby", "anna"), ("dev", "anna")] {
        #expect(try home.run(["open", room, "--as", name]).status == 0)
      }
      #expect(try home.run(["unread", "--as", "anna"]) == .init(status: 0, output: "", errors: ""))
      #expect(try home.run(["unread", "--count", "--as", "anna"]).output == "0\n")
      // A name alone is not a mention, as for the bell and for hobnob wait --mention.
      try home.say("one of anna's", as: "ben")
      try home.say("two, @anna", as: "ben")
      try home.say("three", as: "ben", in: "dev")
      for _ in 1...2 {
        // Asking marks nothing as read.
        #expect(
          try home.run(["unread", "--as", "anna"]).output
            == "#lobby: 2 unread, 1 mention\n#dev: 1 unread\n")
      }
      #expect(try home.run(["unread", "--count", "--as", "anna"]).output == "3\n")
      #expect(
        try home.run(["unread", "--json", "--as", "anna"]).output == ##"""
          {"type":"unread","conversation":"#lobby","name":"#lobby","unread":2,"unread_mentions":1}
          {"type":"unread","conversation":"#dev","name":"#dev","unread":1,"unread_mentions":0}

          """##)
      #expect(try home.run(["unread", "--json", "--count"]).status == 64)
    }
  }
}
