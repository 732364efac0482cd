// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Emulator
import Foundation
import Repeatable
import Testing

extension EndToEnd {
  @Suite("11.3: History goes out and comes in")
  struct ExchangeEndToEndTests {
    private let home: Home

    init() throws {
      home = try Home()
    }

    private func sh(_ script: String) throws -> Program.Finished {
      let quoted = "set -o pipefail; hobnob() { '\(Home.program)' \"$@\"; }; cd; " + script
      return try Program(["bash", "-c", quoted], environment: home.environment).finish()
    }

    private var other: String { home.path + "/other.sqlite" }

    @Test("export | import into an empty store gives an equal one")
    func roundTrip() throws {
      try home.say("hello\u{1b}[2J\ntwo", as: "anna")
      try home.say("psst", as: "ben", in: "@anna")
      let done = try sh(
        """
        hobnob export --everything | hobnob import --store other.sqlite &&
        hobnob export --everything --store other.sqlite
        """)
      #expect(done.status == 0 && done.errors == "")
      let own = try home.run(["export", "--everything"]).output
      let lines = done.output.split(separator: "\n").dropFirst(2)
      #expect(lines.first?.contains(#""hobnob":"export""#) == true)
      #expect(lines.dropFirst() == own.split(separator: "\n").dropFirst())
      #expect(done.output.contains("Messages: 2 new, 0 updated, 0 already here"))
      #expect(!own.contains("\u{1b}"))
    }

    @Test("a reader that stops early is not an error; a full disk is")
    func closedPipe() throws {
      try home.write(Home.export(5000), to: "big.jsonl")
      #expect(try sh("hobnob import big.jsonl").status == 0)
      let head = try sh("hobnob export | head -n 1")
      #expect(head.status == 0 && head.errors == "")
      #expect(head.output.hasPrefix(#"{"hobnob":"export""#))
      let full = try sh("hobnob export > /dev/full")
      #expect(full.status == 1 && full.errors.contains("No space left"))
    }

    @Test("a wrong line is reported with file and number, and nothing is imported")
    func badLine() throws {
      var lines = Home.export(9).split(separator: "\n").map(String.init)
      lines[4] = "{"
      try home.write(lines.joined(separator: "\n"), to: "bad.jsonl")
      try home.write(Home.export(3, in: "tea", from: 100), to: "good.jsonl")
      let done = try sh("hobnob import good.jsonl bad.jsonl")
      #expect(done.status == 1 && done.output == "")
      #expect(done.errors == "hobnob: bad.jsonl:5: the line is not JSON. Nothing was imported.\n")
      #expect(try home.run(["log", "tea"]).status == 1)
      #expect(try home.run(["import"]).errors.contains("standard input: it is empty"))
      #expect(try home.run(["import", "nosuch"]).status == 1)
      #expect(try home.run(["import", "--format", "mirc"]).status == 64)
      #expect(try home.run(["export", "nosuch"]).errors.contains("nosuch"))
    }

    @Test("of many unreadable lines 20 are reported; the rest of the log is imported")
    func unreadableLines() throws {
      let log =
        "--- Log opened Sat Nov 21 10:00:00 2026\n10:00 <@ben> one\n"
        + String(repeating: "\u{1b}[31mnonsense\n", count: 25) + "10:01 <@ben> two\n"
      try home.write(log, to: "#tea.log")
      let done = try sh("hobnob import '#tea.log' --as anna")
      #expect(done.status == 1)
      let said = done.errors.split(separator: "\n")
      #expect(said.count == 21)
      #expect(said.first == "hobnob: #tea.log:3: it does not begin with a time.")
      #expect(said.last == "hobnob: And 5 more.")
      #expect(done.output.contains("Messages: 2 new") && done.output.contains("Lines left out: 25"))
      #expect(try home.run(["log", "tea", "--as", "anna"]).output.contains("ben: two"))
    }

    @Test("1.14: an open shell prints nothing of an import, and goes on")
    func openShell() throws {
      let anna = try home.shellInLobby(as: "anna")
      try anna.type("hello\r", seeing: "[1]")
      anna.send("half a line")
      try anna.expect("half a line|")
      try home.write(Home.export(3000), to: "big.jsonl")
      #expect(try sh("hobnob import big.jsonl").status == 0)
      #expect(try sh("hobnob import big.jsonl").output.contains("0 new, 0 updated, 3000 already"))
      try home.write(Home.export(500, in: "tea", from: 5000), to: "tea.jsonl")
      #expect(try sh("hobnob import tea.jsonl").output.contains("500 new"))
      try anna.expectNever("imported")
      try anna.expectNever("unread")
      #expect(anna.caretRow.contains("half a line"))
      try home.say("and now", as: "ben")
      try anna.expect("3002  ben: and now")
      try anna.expectNever("imported")
    }

    @Test("while an import waits for standard input, others can write")
    func slowInput() throws {
      try home.say("before", as: "anna")
      let work = try home.start(["import"], input: nil)
      work.type(String(Home.export(3).dropLast(20)))
      let began = Date()
      try home.say("meanwhile", as: "anna")
      #expect(Date().timeIntervalSince(began) < 5)
      work.type(String(Home.export(3).suffix(20)))
      work.closeInput()
      #expect(work.finish().output.contains("Messages: 3 new"))
      #expect(try home.run(["log", "lobby"]).output.contains("meanwhile"))
    }

    @Test("an import killed at any moment has brought nothing, and the next one brings everything")
    func killed() throws {
      try home.say("hello", as: "anna")
      try home.write(Home.export(20_000), to: "big.jsonl")
      var random = FixedRandom(seed: 7)
      let whole = try home.run(["export"]).output.split(separator: "\n").dropFirst()
      for _ in 0..<6 {
        let work = try home.start(["import", home.path + "/big.jsonl"])
        poll(nil, 0, Int32.random(in: 1...250, using: &random))
        work.kill(SIGKILL)
        let isKilled = work.finish().status == 137
        let now = try home.run(["export"]).output.split(separator: "\n").dropFirst()
        if isKilled { #expect(now.count == whole.count || now.count > 20_000) }
        #expect(try home.run(["check"]).status == 0)
      }
      #expect(try home.run(["import", home.path + "/big.jsonl"]).status == 0)
      #expect(try home.run(["export"]).output.split(separator: "\n").count > 20_000)
    }

    @Test("10: /export writes the conversation into a new file, and overwrites none")
    func command() throws {
      try home.say("hello", as: "ben")
      let path = home.path + "/out.jsonl"
      let done = try home.run(
        ["lobby", "--as", "anna", "--no-rc"], input: "/export ~/out.jsonl\n/export ~/out.jsonl\n")
      #expect(done.status == 1)
      #expect(done.output.contains("Wrote 1 messages to \(path)"), "\(done.output)")
      #expect(done.errors.contains("it exists"))
      let text = try String(contentsOfFile: path, encoding: .utf8)
      #expect(text.contains(#""text":"hello""#) && text.hasSuffix(#"{"type":"end"}"# + "\n"))
      let usual = try sh("printf '/export\\n' | hobnob lobby --as anna; ls lobby-*-*-*.jsonl")
      #expect(usual.status == 0, "\(usual)")
    }

    @Test("/export in a direct chat writes only that chat, in the working folder")
    func commandInChat() throws {
      for name in ["anna", "ben"] { try home.say("in public", as: name) }
      try home.say("psst", as: "ben", in: "@anna")
      let done = try sh(
        "printf '/export chat.jsonl\\n/export\\n' | hobnob @ben --as anna; cat chat.jsonl; ls ben-*"
      )
      #expect(done.status == 0 && done.errors == "", "\(done)")
      #expect(done.output.contains("Wrote 1 messages to \(home.path)/chat.jsonl"))
      #expect(done.output.contains("psst") && !done.output.contains("in public"))
    }

    @Test("export @name writes the direct chat with that person, and creates none")
    func directChat() throws {
      for name in ["anna", "ben"] { try home.say("in public", as: name) }
      try home.say("psst", as: "ben", in: "@anna")
      try home.say("here", as: "cleo")
      let before = try home.run(["export"]).output.split(separator: "\n").dropFirst()
      let chat = try home.run(["export", "@ben", "--as", "anna"])
      #expect(chat.status == 0 && chat.errors == "")
      #expect(chat.output.contains("psst") && !chat.output.contains("in public"))
      #expect(!chat.output.contains("cleo\""))
      // From the other side it is the same chat.
      #expect(
        try home.run(["export", "@anna", "--as", "ben"]).output.split(separator: "\n").dropFirst()
          == chat.output.split(separator: "\n").dropFirst())
      for (name, reason) in [("@cleo", "no direct chat with cleo"), ("@nobody", "nobody")] {
        let none = try home.run(["export", name, "--as", "anna"])
        #expect(none.status == 1 && none.output == "")
        #expect(none.errors.contains(reason), "\(none.errors)")
      }
      #expect(try home.run(["export"]).output.split(separator: "\n").dropFirst() == before)
    }

    @Test("11.6: an export is what its person may see; --everything is the whole store")
    func whatOneMaySee() throws {
      for name in ["anna", "ben", "cleo"] { try home.say("in public, \(name)", as: name) }
      try home.say("psst", as: "ben", in: "@anna")
      try home.say("for cleo", as: "anna", in: "@cleo")
      #expect(
        try home.run(["lobby", "--as", "anna"], input: "/msg ben typed by anna\n").status == 0)
      func words(_ arguments: String...) throws -> [String] {
        let done = try home.run(["export"] + arguments)
        #expect(done.status == 0 && done.errors == "")
        return ["public, cleo", "psst", "for cleo", "/msg ben typed"].filter(done.output.contains)
      }
      #expect(
        try words("--as", "anna") == ["public, cleo", "psst", "for cleo", "/msg ben typed"])
      #expect(try words("--as", "ben") == ["public, cleo", "psst"])
      #expect(try words("--as", "cleo") == ["public, cleo", "for cleo"])
      #expect(try words("--as", "stranger") == ["public, cleo"])
      for name in ["ben", "stranger"] {
        #expect(
          try words("--everything", "--as", name)
            == ["public, cleo", "psst", "for cleo", "/msg ben typed"])
      }
      #expect(try home.run(["export", "--everything", "lobby"]).status == 64)
      // Brought into a store of one's own it is all there.
      let done = try sh("hobnob export --as ben | hobnob import --as ben --store other.sqlite")
      #expect(done.status == 0 && done.errors == "", "\(done)")
      let log = try home.run(["log", "@anna", "--as", "ben", "--store", other]).output
      #expect(log.contains("psst") && log.contains("typed by anna"))
    }

    @Test("hobnob-json(5): sqlite3 reads the store as the page says, but cannot write to it")
    func foreignQueries() throws {
      try home.say("hello", as: "anna")
      try home.say("psst", as: "ben", in: "@anna")
      let page = try Repository.text(of: "man/hobnob-json.5")
      let example = try #require(
        page.firstMatch(of: /\.Bd -literal -offset indent\n(sqlite3(?:.|\n)+?)\.Ed/)?.1)
      let shell = try home.shellInLobby(as: "anna")
      let lines = try sh(String(example)).output.split(separator: "\n")
      #expect(lines.count == 1 && lines[0].hasSuffix("|anna|hello"), "\(lines)")
      func ask(_ sql: String) throws -> Program.Finished {
        try sh("sqlite3 .local/share/hobnob/store.sqlite \"\(sql)\"")
      }
      #expect(try ask(".schema").output.contains("-- 0 text, 1 action, 2 notice"))
      for sql in page.matches(of: /\.Ql (SELECT .+)/).map(\.1) {
        #expect(try ask(String(sql)).status == 0, "\(sql)")
      }
      for sql in [
        "SELECT rowid FROM message_text WHERE message_text MATCH 'hello'",
        "UPDATE message SET body = 'bye'",
      ] {
        #expect(try ask(sql).errors.contains("no such tokenizer: hobnob"), "\(sql)")
      }
      try shell.expect("#lobby> |")
    }

    @Test("a store written by a newer hobnob is neither exported nor imported into")
    func newerStore() throws {
      try home.say("hello", as: "anna")
      let raise = "sqlite3 .local/share/hobnob/store.sqlite 'PRAGMA user_version=99'"
      guard try sh("command -v sqlite3").status == 0 else { return }
      #expect(try sh(raise).status == 0)
      for command in ["hobnob export", "hobnob import < /dev/null"] {
        let done = try sh(command)
        #expect(done.status == 1 && done.errors.contains("newer hobnob"))
      }
    }
  }
}
