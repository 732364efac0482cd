// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Emulator
import Foundation
import Testing

extension EndToEnd {
  @Suite("Bad input is answered with a sentence")
  struct BadInputTests {
    private let home: Home

    init() throws {
      home = try Home()
    }

    @Test(
      "a wrong command line is status 64, reported on standard error",
      arguments: [
        ["--nosuch"], ["send"], ["send", "lobby", "x", "--wait", "eaten"],
        ["log", "lobby", "--lines", "many"], ["--store"], ["lobby", "tea", "more"],
        ["lobby", "--as", ""], ["send", "lobby", "x", "--as", "a b"], ["lobby", "--as", "#tea"],
      ])
    func wrongUsage(arguments: [String]) throws {
      let finished = try home.run(arguments)
      #expect(finished.status == 64)
      #expect(finished.errors != "")
      #expect(finished.output == "")
    }

    @Test(
      "1.11: an unknown command or wrong arguments keep the line",
      arguments: [
        ("/edti", "/edit"), ("/usr/bin/env", "//"), ("/nick", "/nick NAME"), ("  /who", "/"),
        ("/edit many", "many"), ("/retry 7", "7"),
      ])
    func unknownCommandsKeepTheLine(line: String, hint: String) throws {
      let shell = try home.shellInLobby(as: "anna")
      shell.send(line + "\r")
      #expect(
        shell.wait(for: 10) { terminal in
          let above = terminal.history.dropLast().joined(separator: "\n")
          return above.contains(hint) && terminal.picture.contains("#lobby> \(line)|")
        }, "\(shell.emulator.picture)")
    }

    @Test("1.11: a command behind spaces is refused, unless slash-guard is off")
    func slashGuard() throws {
      let shell = try home.shellInLobby(as: "anna")
      shell.send("  /who\r")
      try shell.expect("#lobby>   /who|")
      try shell.expectNever("[1]")
      shell.send("\u{15}")
      try shell.command("/set slash-guard off")
      shell.send("  /who\r")
      try shell.expect("1 anna:   /who")
    }

    @Test(
      "2.11: /bind says what it needs and what it does not know, and unbinds no key",
      arguments: [
        (
          "x format-bold",
          "a binding needs a key, a colon and a function: \"\\C-xn\": newline"
        ),
        (
          "\"\\C-xq\": no-such-function",
          "readline has no function no-such-function; /keys lists those in use"
        ),
      ])
    func bindRefuses(line: String, reason: String) throws {
      let shell = try home.shellInLobby(as: "anna", columns: 120)
      shell.send("/bind \(line)\r")
      try shell.expect(reason)
      shell.send("\u{05}\u{15}x and X")
      try shell.expect("#lobby> x and X|")
    }

    @Test("an unusable store is refused with the reason, the file, and what to do")
    func refusedStores() throws {
      try home.say("hello", as: "ben")
      let real = home.store

      try home.write("this is not a database, but long enough to look twice\n", to: "text.sqlite")
      try FileManager.default.createSymbolicLink(
        atPath: home.path + "/link.sqlite", withDestinationPath: real)
      try FileManager.default.createDirectory(
        atPath: home.path + "/open", withIntermediateDirectories: false)
      chmod(home.path + "/open", 0o777)
      try FileManager.default.copyItem(atPath: real, toPath: home.path + "/newer.sqlite")
      try FileManager.default.copyItem(atPath: real, toPath: home.path + "/former.sqlite")
      // The schema's version stands at byte 60 of the header, the program's id at byte 68
      // (SQLite's file format, 1.3).
      for (name, offset, bytes) in [
        ("newer", 60, [0x00, 0x0F, 0x42, 0x40]), ("former", 68, Array("hobn".utf8)),
      ] {
        let file = try #require(FileHandle(forUpdatingAtPath: "\(home.path)/\(name).sqlite"))
        try file.seek(toOffset: UInt64(offset))
        file.write(Data(bytes))
        try file.close()
      }

      for name in [
        "text.sqlite", "link.sqlite", "open/store.sqlite", "newer.sqlite", "former.sqlite",
      ] {
        let path = "\(home.path)/\(name)"
        let finished = try home.run(["send", "lobby", "x", "--as", "anna", "--store", path])
        #expect(finished.status == 1, "\(name)")
        #expect(finished.errors.contains(home.path), "\(name): \(finished.errors)")
        #expect(finished.errors.split(separator: "\n").count <= 3, "\(finished.errors)")
        let shell = try home.shell(as: "anna", ["--store", path, "lobby"])
        #expect(shell.waitForExit(seconds: 10) == 1, "\(name)")
      }
      // None of them was touched.
      #expect(
        try String(contentsOfFile: home.path + "/text.sqlite", encoding: .utf8)
          .hasPrefix("this is not a database"))
    }

    @Test("a name of 100 KB is not repeated in full")
    func longNames() throws {
      try home.say("hello", as: "ben")
      let name = String(repeating: "n", count: 100_000)
      let path = "/tmp/" + name
      for arguments in [
        ["log", name], ["send", name, "x"], ["send", "@" + name, "x"], ["search", "in:" + name],
        ["search", "from:" + name], ["search", "x:" + name], ["import", path], ["export", name],
        ["lobby", "--rc", path], ["unread", "--store", path], ["lobby", "--as", name],
        ["log", "lobby", "--since", name], ["send", "lobby", "--attach", path],
        ["lobby", "--" + name], ["log", "lobby", name], ["log", "lobby", "--lines", name],
        ["check", "--backup", path],
      ] {
        let finished = try home.run(arguments)
        #expect(finished.status != 0)
        let said = finished.output.utf8.count + finished.errors.utf8.count
        #expect((1...5000).contains(said), "\(arguments.map { $0.prefix(20) }): \(said)")
      }
      for line in [
        "/" + name, "/join " + name, "/switch " + name, "/msg " + name + " x",
        "/set " + name + " 1",
        "/set bell " + name, "/theme " + name, "/source " + path, "/alias " + name,
        "/info " + name, "/attach " + path, "/react 1 " + name, "/history " + name, "/nick " + name,
        "/invite " + name, "/search in:" + name, "/keys " + name, "/save 1 " + path,
        "/help " + name,
      ] {
        let finished = try home.run(["--as", "anna", "lobby"], input: line + "\n")
        let said = finished.output.utf8.count + finished.errors.utf8.count
        #expect((1...5000).contains(said), "\(line.prefix(20)): \(said)")
      }
    }

    @Test("the store is private: file 0600, folder 0700, whatever the umask")
    func storeIsPrivate() throws {
      let command = ["sh", "-c", "umask 000; exec \"$0\" send lobby hello --as anna", Home.program]
      #expect(try Program(command, environment: home.environment).finish().status == 0)
      let folder = URL(fileURLWithPath: home.store).deletingLastPathComponent().path
      #expect(try mode(of: folder) == 0o700)
      for file in try FileManager.default.contentsOfDirectory(atPath: folder) {
        let mode = try mode(of: "\(folder)/\(file)")
        #expect(mode & 0o077 == 0, "\(file) has mode \(String(mode, radix: 8))")
      }
    }

    @Test("1.2: while the store is locked the line waits, and comes back with the reason")
    func lockedStore() throws {
      let shell = try home.shellInLobby(as: "anna")
      let holder = try home.lock("BEGIN IMMEDIATE")
      try shell.type("patience\r", seeing: "waiting for the store")
      // Typing goes on in the next line.
      try shell.type("next", seeing: "#lobby> next|")
      holder.closeInput()
      _ = holder.finish()
      try shell.expect("1 anna: patience")
      try shell.expect("#lobby> next|")
    }

    @Test("1.2: if nothing can be written any more, a sentence says so and the line stays")
    func fullDiskAtThePrompt() throws {
      try home.say("hello", as: "ben")
      // The write-ahead log may not grow beyond 128 KiB, as on a disk that is full.
      let shell = try PseudoTerminal(
        command: ["bash", "-c", "ulimit -f 128; exec \"$0\" --as anna lobby", Home.program],
        environment: home.environment)
      try shell.expect("#lobby> |")
      var last = ""
      let isRefused = (0..<100).contains { number in
        last = "number \(number)"
        shell.send(last + "\r")
        _ = shell.wait(for: 10) { terminal in
          terminal.screen.contains { $0.hasSuffix("anna: " + last) || $0.hasSuffix("     " + last) }
            || terminal.picture.contains("#lobby> \(last)|")
        }
        return shell.emulator.picture.contains("#lobby> \(last)|")
      }
      #expect(isRefused, "\(shell.emulator.picture)")
      #expect(shell.emulator.history.contains { $0.contains("the store") || $0.contains("disk") })
      shell.send("\u{15}\u{04}")
      #expect(shell.waitForExit(seconds: 20) != nil)
      #expect(try home.run(["check"]).status == 0)
    }

    /// A shell in bash that waits for the store, which `holder` has locked.
    private func waitingShell() throws -> (outer: PseudoTerminal, holder: Program) {
      try home.say("hello", as: "ben")
      let holder = try home.lock("BEGIN EXCLUSIVE")
      let outer = try PseudoTerminal(
        command: ["bash", "--norc", "-i"],
        environment: home.environment.merging(["PS1": "outer> ", "HISTFILE": ""]) { $1 },
        columns: 200)
      try outer.expect("outer> |")
      outer.send("\(Home.program) --as anna lobby\r")
      #expect(
        outer.wait(for: 20) { terminal in
          terminal.history.contains { $0.contains("locked by another process; waiting for it") }
        }, "\(outer.emulator.picture)")
      return (outer, holder)
    }

    @Test("1.2: if the store is locked at the start, nothing typed is lost or run outside")
    func lockedAtTheStart() throws {
      let (outer, holder) = try waitingShell()
      outer.send("hello again\rtouch \(home.path)/leak")
      // Longer than a script would wait: it does not give up.
      #expect(!outer.wait(for: 11) { $0.picture.contains("outer> |") })
      holder.closeInput()
      _ = holder.finish()
      try outer.expect("#lobby> touch \(home.path)/leak|")
      try outer.expect("anna: hello again")
      try outer.type("\r", seeing: "3       touch \(home.path)/leak")
      try outer.type("\u{04}", seeing: "outer> |")
      #expect(!FileManager.default.fileExists(atPath: home.path + "/leak"))
    }

    @Test("1.2: C-c ends the waiting at the start, and nothing typed is run outside")
    func givenUpAtTheStart() throws {
      let (outer, holder) = try waitingShell()
      outer.send("touch \(home.path)/leak\rtouch \(home.path)/another")
      _ = outer.wait(for: 10) { $0.picture.contains("/another") }
      try outer.type("\u{03}", seeing: "outer> |")
      try outer.type("echo status $?\r", seeing: "status 130")
      holder.closeInput()
      _ = holder.finish()
      #expect(!FileManager.default.fileExists(atPath: home.path + "/leak"))
      #expect(!FileManager.default.fileExists(atPath: home.path + "/another"))
    }

    @Test(
      "without locale, TERM or HOME it starts and sends",
      arguments: [
        ["LANG": "C"], ["LANG": nil], ["TERM": nil], ["TERM": "dumb"], ["TERM": "nosuchterminal"],
        ["NO_COLOR": "1"],
      ] as [[String: String?]])
    func oddEnvironments(changes: [String: String?]) throws {
      let shell = try home.shell(as: "anna", ["lobby"], environment: changes)
      try shell.expect("#lobby> |")
      try shell.type("grüße 漢字\r", seeing: "grüße 漢字")
      shell.send("\u{04}")
      #expect(shell.waitForExit(seconds: 10) == 0)
      #expect(try home.run(["log", "lobby", "--as", "ben"]).output.contains("grüße 漢字"))
    }

    @Test(
      "a terminal of any size is drawn on without a crash",
      arguments: [(1, 1), (24, 1), (2, 3), (5, 20), (500, 200), (200, 500)])
    func oddSizes(rows: Int, columns: Int) throws {
      let shell = try home.shell(as: "anna", ["lobby"], rows: rows, columns: columns)
      #expect(shell.wait(for: 10) { _ in shell.bytesReceived > 0 })
      shell.send("hello 漢字 \u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}")
      try home.say("meanwhile", as: "ben")
      shell.send("\r")
      #expect(
        shell.wait(for: 10) { _ in
          (try? home.run(["log", "lobby", "--as", "ben"]).output)?.contains("hello 漢字") == true
        })
      shell.send("\u{04}")
      #expect(shell.waitForExit(seconds: 10) == 0)
    }

    @Test("a closed standard output ends log quietly, as head closes it")
    func closedOutput() throws {
      // More than a pipe holds, so that the reader is gone before all is written.
      for number in 0..<4 {
        try home.say("line \(number) " + String(repeating: "long ", count: 20_000), as: "ben")
      }
      let pipeline =
        "set -o pipefail; \"$0\" log lobby --as anna | head -n 1; echo ${PIPESTATUS[0]}"
      let finished = try Program(
        ["bash", "-c", pipeline, Home.program], environment: home.environment
      ).finish()
      #expect(finished.output.contains("ben: line "))
      #expect(finished.errors == "")
      let full = try Program(
        ["bash", "-c", "\"$0\" log lobby --as anna > /dev/full", Home.program],
        environment: home.environment
      ).finish()
      #expect(full.status == 1)
      #expect(full.errors != "")
    }

    private func mode(of path: String) throws -> Int {
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      return try #require(attributes[.posixPermissions] as? Int)
    }
  }
}
