// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import Foundation
import Testing

extension EndToEnd {
  @Suite("11.3: hobnob wait")
  struct WaitScriptTests {
    private let home: Home

    init() throws {
      home = try Home()
      try home.say("before", as: "ben")
    }

    /// Whether a waiting process has opened the bell: it then watches the file.
    private func waits(_ program: Program) -> Bool {
      program.wait(for: 10) { program in
        let folder = "/proc/\(program.processIdentifier)/fdinfo"
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        let watches = files.compactMap {
          try? String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8)
        }
        .filter { $0.contains("inotify") }
        let state = try? String(
          contentsOfFile: "/proc/\(program.processIdentifier)/stat", encoding: .utf8)
        return !watches.isEmpty && state?.contains(") S ") == true
      }
    }

    @Test("prints the next message of another person, as log does, and ends")
    func nextMessage() throws {
      let wait = try home.start(["wait", "lobby", "--as", "anna"])
      try #require(waits(wait))
      try home.say("my own", as: "anna")
      try home.say("elsewhere", as: "anna", in: "@ben")
      #expect(wait.output == "")
      try home.say("hello\nthere", as: "ben")
      let finished = wait.finish()
      #expect(finished.status == 0 && finished.errors == "")
      #expect(finished.output.contains(#/^[-0-9]+ [0-9:]+ \[3\] ben: hello\n    there\n$/#))
      #expect(try home.run(["unread", "--as", "anna"]).output == "")
    }

    @Test("an import meanwhile does not count as a message", arguments: [["lobby"], []])
    func imports(place: [String]) throws {
      #expect(try home.run(["open", "lobby", "--as", "anna"]).status == 0)
      let wait = try home.start(["wait", "--as", "anna"] + place)
      try #require(waits(wait))
      try home.write(Home.export(5), to: "old.jsonl")
      #expect(try home.run(["import", home.path + "/old.jsonl"]).status == 0)
      try home.say("news", as: "ben")
      let output = wait.finish().output
      #expect(output.contains("ben: news") && !output.contains("imported"), "\(output)")
    }

    @Test("without a conversation it waits for any of one's own, and names it")
    func anywhere() throws {
      #expect(try home.run(["open", "dev", "--as", "anna"]).status == 0)
      let wait = try home.start(["wait", "--as", "anna"])
      try #require(waits(wait))
      try home.say("not in this room", as: "ben")
      try home.say("green", as: "ben", in: "dev")
      #expect(wait.finish().output.contains(" #dev [1] ben: green\n"))
    }

    @Test("--mention waits for a mention or a direct message; --json prints an object")
    func mentions() throws {
      for last in [["send", "lobby", "hey @Anna"], ["send", "@anna", "hey"]] {
        #expect(try home.run(["open", "lobby", "--as", "anna"]).status == 0)
        let wait = try home.start(["wait", "--mention", "--json", "--as", "anna"])
        try #require(waits(wait))
        try home.say("anna and savannah", as: "ben")
        #expect(try home.run(last + ["--as", "ben"]).status == 0)
        let output = wait.finish().output
        let object = try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any]
        #expect((object?["text"] as? String)?.hasPrefix("hey") == true)
      }
    }

    @Test("after the time limit it fails with a sentence", arguments: [["lobby"], []])
    func timeLimit(place: [String]) throws {
      #expect(try home.run(["open", "lobby", "--as", "anna"]).status == 0)
      let finished = try home.run(["wait", "--timeout", "1", "--as", "anna"] + place)
      #expect(finished.status == 1 && finished.output == "")
      #expect(finished.errors.contains("within 1 s.") && finished.errors.hasPrefix("hobnob: "))
      #expect(try home.run(["wait", "--timeout", "soon"]).status == 64)
    }

    @Test("a wait costs no wake-ups")
    func sleeps() throws {
      let wait = try home.start(["wait", "lobby", "--as", "anna"])
      try #require(waits(wait))
      func switches() throws -> String? {
        let status = try String(
          contentsOfFile: "/proc/\(wait.processIdentifier)/status", encoding: .utf8)
        return status.split(separator: "\n").first { $0.hasPrefix("voluntary") }.map(String.init)
      }
      let before = try switches()
      _ = wait.wait(for: 1) { _ in false }
      #expect(try switches() == before)
    }
  }
}
