// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import Foundation
import Testing

extension EndToEnd {
  @Suite("7.3, 7.7: An import into a used room is older than what was said there")
  struct PastEndToEndTests {
    private let home: Home

    init() throws {
      home = try Home()
    }

    /// Brings a log of so many lines into the lobby, as anna, who said every second of them.
    private func bring(_ count: Int, year: Int = 2020) throws {
      let log = (1...count).map { number in
        let time = String(format: "10:%02d:%02d", number / 60, number % 60)
        let nick = number % 2 == 0 ? "anna" : "cleo"
        return "\(year)-11-21 \(time)\t\(nick)\told \(number) of \(year)\n"
      }
      try home.write(log.joined(), to: "irc.net.#lobby.weechatlog")
      let done = try home.run(
        ["import", home.path + "/irc.net.#lobby.weechatlog", "--as", "anna"])
      #expect(done.output.contains("Messages: \(count) new"), "\(done)")
    }

    private func unread(by name: String) throws -> String {
      try home.run(["unread", "--count", "--as", name]).output
    }

    @Test("unread messages stay unread, stand below the rule, and are seen only then")
    func unreadStays() throws {
      #expect(try home.run(["lobby", "--as", "ben"]).status == 0)
      let anna = try home.shellInLobby(as: "anna")
      for (number, text) in ["live one", "live two", "live three"].enumerated() {
        try anna.type("\(text)\r", seeing: "[\(number + 1)] ✓ sent")
      }
      try bring(300)
      #expect(try unread(by: "ben") == "3\n")
      try anna.type("/info 1\r", seeing: "not yet")
      #expect(!anna.emulator.picture.contains("seen"))
      let ben = try home.shellInLobby(as: "ben", rows: 50)
      try ben.expect("live three")
      let lines = ben.emulator.picture.split(separator: "\n")
      let rule = try #require(lines.firstIndex { $0.contains("── new ──") })
      #expect(lines[..<rule].contains { $0.contains("old 300 of 2020") })
      #expect(!lines[..<rule].contains { $0.contains("live") })
      #expect(lines[rule...].count { $0.contains("live") } == 3)
      try anna.expect("[3] seen")
      #expect(try unread(by: "ben") == "0\n")
    }

    @Test("with more unread than a screen holds, nothing of the past stands among it")
    func manyUnread() throws {
      #expect(try home.run(["lobby", "--as", "ben"]).status == 0)
      for number in 1...30 { try home.say("live \(number)", as: "anna") }
      try bring(300)
      try home.say("live 31", as: "anna")
      #expect(try unread(by: "ben") == "31\n")
      let ben = try home.shellInLobby(as: "ben", rows: 60)
      try ben.expect("live 31")
      #expect(ben.emulator.history.count { $0.contains("live ") } == 31)
      let lines = ben.emulator.history
      let rule = try #require(lines.firstIndex { $0.contains("── new ──") })
      #expect(!lines[rule...].contains { $0.contains("old ") })
      // What is printed is read once its turn has ended.
      ben.settle()
      #expect(try unread(by: "ben") == "0\n")
    }

    @Test("7.1: hobnob log and /history show what was said here last, the past before it by time")
    func shown() throws {
      for number in 1...3 { try home.say("live \(number)", as: "anna") }
      try bring(300, year: 2021)
      try home.say("live 4", as: "anna")
      try bring(5)
      func log(_ options: String...) throws -> [String] {
        try home.run(["log", "lobby", "--as", "anna"] + options).output.split(separator: "\n")
          .compactMap { $0.firstMatch(of: #/: (old|live) (.*)/#).map { "\($0.1) \($0.2)" } }
      }
      let live = (1...4).map { "live \($0)" }
      let past =
        (1...5).map { "old \($0) of 2020" } + (1...300).map { "old \($0) of 2021" }
      #expect(try log() == Array(past.suffix(16)) + live)
      #expect(try log("--lines", "2") == ["live 3", "live 4"])
      #expect(try log("--lines", "9999") == past + live)
      #expect(try log("--lines", "302") == Array(past.suffix(298)) + live)
      #expect(try log("--since", "2020-01-01") == past + live)
      #expect(try log("--until", "2020-12-31") == Array(past.prefix(5)))
      #expect(try log("--until", "2021-12-31", "--lines", "2") == Array(past.suffix(2)))
      #expect(try log("--since", "2021-12-31") == live)
      #expect(try log("--from", "-6") == Array(past.suffix(2)) + live)
      // By their numbers.
      #expect(try log("--from", "2", "--to", "5") == Array(past[5...6]) + live[1...2])
      #expect(try log("--from", "303", "--to", "305") == [past[0], past[304], "live 4"])
      #expect(try log("--from", "1", "--lines", "7") == Array(past.suffix(3)) + live)
      let anna = try home.shellInLobby(as: "anna", rows: 60)
      try anna.expect("live 4")
      let shown = anna.emulator.history.compactMap {
        $0.firstMatch(of: #/(?:old|live) [0-9]+/#).map { String($0.0) }
      }
      let newest = past.suffix(16).map { String($0.dropLast(8)) } + live
      #expect(shown == newest)
      let history = try home.run(["lobby", "--as", "anna"], input: "/history 20\n").output
      #expect(
        history.matches(of: #/(?:old|live) [0-9]+/#).map { String($0.0) }.suffix(20) == newest[...])
    }

    @Test("the newest message is one said here; /edit, /delete and /cancel take no other")
    func newest() throws {
      try bring(10)
      let anna = try home.shellInLobby(as: "anna")
      try anna.expect("old 10 of 2020")
      try anna.expectNever("sent")
      for (command, refusal) in [
        ("edit", "no message here to edit"), ("delete", "no message here to delete"),
        ("cancel", "no message here to take back"),
      ] {
        try anna.type("/\(command)\r", seeing: refusal)
        anna.send("\u{15}")
      }
      try anna.type("/info -1\r", seeing: "Message 10 in #lobby")
      try anna.type("said here\r", seeing: "[11] ✓ sent")
      try bring(10, year: 2021)
      let again = try home.shellInLobby(as: "anna")
      try again.expect("[11] ✓ sent")
      try again.type("/info -1\r", seeing: "Message 11 in #lobby")
      try again.type("/info -2\r", seeing: "Message 21 in #lobby")
      try again.type("/edit\r", seeing: "said here|")
      try again.type("\u{7}", seeing: "stays as it was")
      #expect(
        try home.run(["send", "lobby", "--as", "ben", "--reply", "-1"], input: "an answer").status
          == 0)
      try again.expect("> [11] anna: said here")
      // By its number it can be edited.
      try again.type("/edit 2\r", seeing: "old 2 of 2020|")
      try again.type(" indeed\r", seeing: "old 2 of 2020 indeed")
      // What was said last is taken back, then there is nothing more.
      try again.type("/cancel\r", seeing: "said here|")
      again.send("\u{15}")
      try again.type("/cancel\r", seeing: "no message here to take back")
    }
  }
}
