// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import Foundation
import Testing

extension EndToEnd {
  @Suite("11: Scripts send and read")
  struct ScriptTests {
    private let home: Home

    init() throws {
      home = try Home()
    }

    @Test("11.3: send takes words or standard input, log prints them, oldest first")
    func sendAndLog() throws {
      #expect(
        try home.run(["send", "lobby", "the", "build", "is", "green", "--as", "cron"])
          == Program.Finished(status: 0, output: "", errors: ""))
      #expect(try home.run(["send", "lobby", "--as", "cron"], input: "two\nlines\n").status == 0)
      let log = try home.run(["log", "lobby", "--as", "anna"])
      #expect(log.status == 0)
      #expect(log.errors == "")
      let lines = log.output.split(separator: "\n")
      #expect(lines.count == 3)
      #expect(lines[0].contains("cron: the build is green"))
      #expect(lines[1].contains("two"))
      // A body's newline never starts a line that could be another message (12.2).
      #expect(lines[2].hasPrefix(" ") && lines[2].contains("lines"))
      let last = try home.run(["log", "lobby", "--lines", "1", "--as", "anna"]).output
      #expect(!last.contains("green"))
      #expect(last.contains("two"))
    }

    @Test("11.2: a bare name, a quoted room and a person name a conversation")
    func namesOfConversations() throws {
      #expect(try home.run(["send", "#lobby", "one", "--as", "cron"]).status == 0)
      #expect(try home.run(["log", "lobby", "--as", "cron"]).output.contains("one"))
      #expect(try home.run(["open", "lobby", "--as", "anna"]).status == 0)
      #expect(try home.run(["send", "@anna", "psst", "--as", "cron"]).status == 0)
      #expect(try home.run(["log", "@cron", "--as", "anna"]).output.contains("psst"))
      let missing = try home.run(["send", "--as", "cron"])
      #expect(missing.status == 64)
      #expect(missing.errors.contains("#") && missing.errors.lowercased().contains("quote"))
    }

    @Test("7.3: log --follow prints what arrives and marks nothing as seen")
    func followPrintsWhatArrives() throws {
      let anna = try home.shellInLobby(as: "anna")
      try anna.type("first\r", seeing: "[1]")
      let log = try home.start(["log", "lobby", "--follow", "--as", "ben"])
      #expect(log.wait(for: 10) { $0.output.contains("first") })
      try anna.type("second\r", seeing: "[2]")
      #expect(log.wait(for: 10) { $0.output.contains("second") })
      #expect(count(of: "first", in: log.output) == 1)
      log.kill(2)
      _ = log.finish()
      try anna.expectNever("seen")
    }

    @Test("11.4: log of a missing store fails with a sentence, and creates none")
    func logMakesNoStore() throws {
      let path = home.path + "/missing/store.sqlite"
      let finished = try home.run(["log", "lobby", "--store", path, "--as", "anna"])
      #expect(finished.status == 1)
      #expect(finished.output == "")
      #expect(finished.errors.contains(path), "\(finished.errors)")
      #expect(try FileManager.default.contentsOfDirectory(atPath: home.path) == [])
    }

    @Test("11.3: send --wait ends when the message has reached that state, or fails in time")
    func sendWaits() throws {
      let ben = try home.shellInLobby(as: "ben")
      let seen = try home.run(
        ["send", "lobby", "look", "--wait", "seen", "--timeout", "10", "--as", "cron"])
      #expect(seen.status == 0)
      try ben.expect("cron: look")
      let direct = try home.start(
        ["send", "@zoe", "anyone", "--wait", "delivered", "--timeout", "1", "--as", "cron"])
      let finished = direct.finish()
      #expect(finished.status != 0)
      #expect(finished.errors != "")
    }

    @Test("11.4: lines on standard input are run as typed; the first failure is the status")
    func batchRunsLines() throws {
      let input = "hello\n/join tea\nin the tea room\n//slashed\n/nosuch\nafter\n"
      let finished = try home.run(["lobby", "--as", "anna", "--no-rc"], input: input)
      #expect(finished.status == 1)
      #expect(finished.errors.contains("nosuch"))
      #expect(try home.run(["log", "lobby", "--as", "ben"]).output.contains("anna: hello"))
      let tea = try home.run(["log", "tea", "--as", "ben"]).output
      #expect(tea.contains("in the tea room") && tea.contains("/slashed") && tea.contains("after"))
      #expect(!tea.contains("//slashed"))
      #expect(!finished.output.contains("\u{1B}"))
    }

    @Test("11.4: the end of input in the middle of a line sends that line")
    func unfinishedLastLine() throws {
      #expect(try home.run(["lobby", "--as", "anna", "--no-rc"], input: "no newline").status == 0)
      #expect(try home.run(["log", "lobby", "--as", "ben"]).output.contains("no newline"))
    }

    @Test("11.2: open reaches a room named like a subcommand")
    func openReachesAnyRoom() throws {
      let shell = try home.shell(as: "anna", ["open", "log"])
      try shell.expect("#log> |")
    }

    @Test("--version and --help answer on standard output and leave with 0")
    func versionAndHelp() throws {
      let version = try home.run(["--version"])
      #expect(version.status == 0 && version.errors == "")
      #expect(version.output.contains(/\d+\.\d+/))
      let help = try home.run(["--help"])
      #expect(help.status == 0 && help.output.contains("hobnob send"))
    }

    @Test("check finds a sound store sound, and a broken one broken")
    func checkLooksAtTheStore() throws {
      try home.say("hello", as: "ben")
      #expect(try home.run(["check"]).status == 0)
      try home.write(String(repeating: "not a database\n", count: 1000), to: "broken.sqlite")
      let broken = try home.run(["check", "--store", home.path + "/broken.sqlite"])
      #expect(broken.status == 1)
      #expect((broken.errors + broken.output).contains("broken.sqlite"))
    }
  }
}
