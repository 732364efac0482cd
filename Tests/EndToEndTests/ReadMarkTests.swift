// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import Foundation
import Testing

extension EndToEnd {
  @Suite("7.3, 7.7: What counts as read and seen")
  struct ReadMarkTests {
    private let home: Home

    init() throws {
      home = try Home()
    }

    private func unread(by name: String) throws -> String {
      try home.run(["unread", "--count", "--as", name]).output
    }

    @Test(
      "7.3, 7.7: a shell that reads a file prints no arrivals, so it marks nothing",
      arguments: ["", "/history\n", "/pause\n/bottom\n", "hello\n", "/join tea\n/join lobby\n"])
    func batch(script: String) throws {
      #expect(try home.run(["lobby", "--as", "ben"]).status == 0)
      let anna = try home.shellInLobby(as: "anna")
      try anna.type("one\r", seeing: "[1] ✓ sent")
      let finished = try home.run(["lobby", "--as", "ben"], input: script)
      #expect(finished.status == 0 && finished.errors == "")
      #expect(finished.output.contains("anna: one") == script.contains("/history"))
      #expect(try unread(by: "ben") == "1\n")
      try anna.type("/info 1\r", seeing: "ben")
      #expect(!anna.emulator.picture.contains("seen"))
      #expect(!anna.emulator.picture.contains("delivered"))
    }

    @Test("7.3: what arrives while a batch waits for its next line is not marked either")
    func batchThatWaits() throws {
      #expect(try home.run(["lobby", "--as", "ben"]).status == 0)
      let batch = try home.start(["lobby", "--as", "ben"], input: nil)
      batch.type("/join tea\n/join lobby\n")
      #expect(batch.wait(for: 10) { _ in (try? home.run(["log", "tea"]).status) == 0 })
      try home.say("one", as: "anna")
      batch.type("mine\n/history\n")
      batch.closeInput()
      let finished = batch.finish()
      #expect(finished.output.contains("anna: one"), "\(finished)")
      #expect(try unread(by: "ben") == "1\n")
    }

    /// Makes a store in which anna said messages 1 to `count`, and ben has read none of them.
    private func said(_ count: Int) throws {
      var text = #"{"hobnob":"export","version":1,"exported":"2026-11-21T10:00:00.000Z"}"# + "\n"
      for name in ["anna", "ben"] {
        text += #"{"type":"participant","identity":"\#(name)","name":"\#(name)"}"# + "\n"
      }
      text += ##"{"type":"conversation","conversation":"#lobby","last_number":\##(count)}"## + "\n"
      for name in ["anna", "ben"] {
        text +=
          ##"{"type":"member","conversation":"#lobby","participant":"\##(name)","first":1}"## + "\n"
      }
      for number in 1...count {
        let digits = String(number, radix: 16)
        text +=
          #"{"type":"message","uid":"\#(String(repeating: "0", count: 32 - digits.count))\#(digits)","#
          + ##""conversation":"#lobby","number":\##(number),"time":"2026-11-21T10:00:00Z","##
          + #""sender":"anna","text":"message \#(number) of many"}"# + "\n"
      }
      #expect(try home.run(["import"], input: text + #"{"type":"end"}"# + "\n").status == 0)
      #expect(try unread(by: "ben") == "\(count)\n")
    }

    @Test("7.4: hobnob unread has the order of the status line: messages for me first")
    func order() throws {
      for room in ["lobby", "tea", "dev"] {
        _ = try home.run(["--create", room, "--as", "ben"])
      }
      try home.say("first", as: "anna", in: "lobby")
      try home.say("second", as: "anna", in: "tea")
      try home.say("@ben third", as: "anna", in: "dev")
      let said = try home.run(["unread", "--as", "ben"]).output
      #expect(
        said.split(separator: "\n").map { $0.prefix { $0 != ":" } } == ["#dev", "#lobby", "#tea"])
    }

    @Test(
      "7.7, 13.9: of thousands two screens are printed below the rule, and all of them are read")
    func manyUnread() throws {
      try said(5000)
      let anna = try home.shellInLobby(as: "anna")
      let ben = try home.shellInLobby(as: "ben")
      try ben.expect("message 5000 of many")
      let history = ben.emulator.history
      let numbers = history.compactMap { line in
        line.firstRange(of: "message ").flatMap { Int(line[$0.upperBound...].prefix { $0 != " " }) }
      }
      #expect(numbers == Array((5001 - numbers.count)...5000) && (24...44).contains(numbers.count))
      let more = 5000 - numbers.count
      #expect(history.contains("\(more / 1000),\(more % 1000) more: /history"))
      #expect(history.count { $0.contains("── new ──") } == 1)
      try anna.expect("[5000] seen")
      #expect(try unread(by: "ben") == "0\n")
      // What comes now is behind them.
      try anna.type("live\r", seeing: "[5001]")
      try ben.expect("live")
    }

    @Test("7.7: what the last command before leaving printed is read, too")
    func leavingAtOnce() throws {
      #expect(try home.run(["send", "dev", "news", "--create", "--as", "ben"]).status == 0)
      let shell = try home.shellInLobby(as: "anna")
      try shell.type("/join dev\r", seeing: "#dev> |")
      try shell.type("/switch lobby\r", seeing: "#lobby> |")
      try home.say("more", as: "ben", in: "dev")
      shell.send("/switch dev\r/quit\r")
      #expect(shell.waitForExit(seconds: 10) == 0)
      #expect(try home.run(["unread", "--count", "--as", "anna"]).output == "0\n")
    }
  }
}
