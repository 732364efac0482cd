// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Emulator
import Foundation
import Platform
import Testing

extension EndToEnd {
  @Suite("11.3: hobnob check")
  struct CheckScriptTests {
    private let home: Home
    private var folder: String { home.path + "/.local/share/hobnob" }

    init() throws {
      home = try Home()
    }

    private func check(
      _ arguments: String..., environment: [String: String?] = [:]
    ) throws -> Program.Finished {
      try home.run(["check"] + arguments, environment: environment)
    }

    /// Says something, enough for the file to have pages to be damaged.
    private func fill(_ count: Int = 300) throws {
      let lines = (1...count).map { "message \($0) with some words so that a page holds a few" }
      #expect(
        try home.run(["lobby", "--as", "anna"], input: lines.joined(separator: "\n")).status == 0)
    }

    /// Writes over the part of the file in which a text stands.
    private func damage(around text: String) throws {
      let data = try Data(contentsOf: URL(fileURLWithPath: home.store))
      let place = try #require(data.firstRange(of: Data(text.utf8)))
      let page = place.lowerBound / 4096 * 4096
      let file = try #require(FileHandle(forWritingAtPath: home.store))
      try file.seek(toOffset: UInt64(page))
      try file.write(contentsOf: Data(repeating: 0xA5, count: 4096))
      try file.close()
    }

    @Test("damage is reported with the remedy; --recover writes a new store beside it")
    func recovers() throws {
      try fill()
      try damage(around: "message 100 with")
      let damaged = try Data(contentsOf: URL(fileURLWithPath: home.store))
      let found = try check()
      #expect(found.status == 1)
      #expect(found.errors.contains(home.store) && found.errors.contains("hobnob check --recover"))

      let recovered = try check("--recover")
      #expect(recovered.status == 0 && recovered.errors == "", "\(recovered.errors)")
      let new = folder + "/store.recovered.sqlite"
      #expect(recovered.output.contains(new))
      #expect(recovered.output.contains(/history: \d+ of (at least )?300 rows recovered/))
      #expect(try Data(contentsOf: URL(fileURLWithPath: home.store)) == damaged)
      #expect(try home.run(["check", "--store", new]).status == 0)

      // Never over what is there.
      #expect(try check("--recover").output.contains(folder + "/store.recovered-2.sqlite"))

      // The commands that are printed put it in place.
      let commands = recovered.output.split(separator: "\n").filter { $0.contains("mv -n ") }
      // The last hobnob that ends takes the files beside the store away.
      try FileManager.default.removeItem(atPath: home.store + "-shm")
      let moved = try Program(
        ["sh", "-e", "-c", commands.joined(separator: "\n")], environment: home.environment
      ).finish()
      #expect(moved.status == 0, "\(moved.errors)")
      #expect(try check().status == 0)
      let log = try home.run(["log", "lobby", "--from", "1", "--as", "anna"]).output
      #expect(log.contains("message 1 with") && log.contains("message 300 with"))
      #expect(
        try Data(contentsOf: URL(fileURLWithPath: folder + "/store.damaged.sqlite")) == damaged)
    }

    @Test(
      "a truncated store is recovered; with nothing left, the other remedies are named")
    func cutOff() throws {
      try fill()
      let size = try #require(
        FileManager.default.attributesOfItem(atPath: home.store)[.size] as? Int)
      truncate(home.store, size * 5 / 6)
      let found = try check()
      #expect(found.status == 1 && found.errors.contains("hobnob check --recover"))
      let recovered = try check("--recover")
      #expect(recovered.status == 0, "\(recovered.errors)")
      let new = folder + "/store.recovered.sqlite"
      #expect(try home.run(["check", "--store", new]).status == 0)
      #expect(
        try home.run(["search", "words", "--store", new, "--as", "anna"]).output.contains(
          "message "))

      truncate(home.store, 300)
      let hopeless = try check("--recover")
      #expect(hopeless.status == 1 && hopeless.output == "")
      #expect(hopeless.errors.contains("hobnob check --backup"))
      #expect(hopeless.errors.contains("hobnob import"))
      #expect(!hopeless.errors.contains("run `hobnob check`"))
      #expect(!FileManager.default.fileExists(atPath: folder + "/store.recovered-2.sqlite"))
    }

    @Test("11.3: a recovery of less than a tenth says so, and names no commands to use it")
    func tooLittle() throws {
      try fill()
      let size = try #require(
        FileManager.default.attributesOfItem(atPath: home.store)[.size] as? Int)
      // Behind the first pages of all tables and indexes.
      truncate(home.store, size * 685 / 1000)
      let recovered = try check("--recover")
      #expect(recovered.status == 1 && recovered.errors.contains("less than a tenth"))
      #expect(recovered.output.contains("store.recovered.sqlite"))
      #expect(recovered.output.contains(/message: \d{1,2} of 300 rows recovered/))
      #expect(!recovered.output.contains("mv -n"))
    }

    @Test("--recover of a missing file, or of no store, is a sentence; no file is left")
    func recoversNothing() throws {
      let missing = try home.run(["check", "--recover", "--store", home.path + "/none.sqlite"])
      #expect(missing.status == 1 && missing.errors.contains("none.sqlite"))
      try home.write(String(repeating: "not a database\n", count: 1000), to: "text.sqlite")
      let text = try home.run(["check", "--recover", "--store", home.path + "/text.sqlite"])
      #expect(text.status == 1 && text.errors.contains("text.sqlite"))
      #expect(try FileManager.default.contentsOfDirectory(atPath: home.path) == ["text.sqlite"])
      #expect(try check("--recover", "--deep").status == 64)
    }

    @Test("--compact removes what is not kept, with its files, and says how much")
    func compacts() throws {
      try home.write("a file", to: "old.txt")
      let store = try Store(path: home.store, clock: { Clock.wall() - 40 * 86_400_000 })
      let ben = try store.writeDurablyIfNeeded { try $0.participant(identity: "ben") }.id
      let lobby = try store.writeDurablyIfNeeded { try $0.makeRoom("lobby") }.id
      let file = try store.attachmentFolder.keep(
        fileAt: home.path + "/old.txt", limit: 0)
      let long = String(repeating: "long ago ", count: 20_000)
      try store.writeDurably {
        try $0.send(long, in: lobby, by: ben, requireMembership: false, attachments: [file])
      }
      let path = store.attachmentFolder.path(of: file.hash)
      // It has begun long ago.
      try store.writeDurablyIfNeeded {
        try $0.setKeep(lobby, 30 * 86_400_000, by: ben, after: Upkeep.keepDelay)
      }
      store.close()
      try home.say("today", as: "ben")
      // Files at rest for an hour go.
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -4000)], ofItemAtPath: path)

      #expect(try check("--deep").status == 0)
      #expect(FileManager.default.fileExists(atPath: path))
      let finished = try check("--compact")
      #expect(finished.status == 0 && finished.errors == "")
      #expect(finished.output.contains("messages deleted: 1\n"), "\(finished.output)")
      #expect(finished.output.contains("files removed: 1 (6 B)"))
      #expect(finished.output.contains(/disk space freed: \d+\.\d [kM]B/))
      #expect(!FileManager.default.fileExists(atPath: path))
      let log = try home.run(["log", "lobby", "--from", "1", "--as", "anna"]).output
      #expect(!log.contains("long ago") && log.contains("[2] ben: today"))
    }

    @Test("--deep finds a file whose bytes differ; without it only the size counts")
    func readsFiles() throws {
      try home.write("cups", to: "cups.txt")
      #expect(
        try home.run(["send", "lobby", "--attach", home.path + "/cups.txt", "--as", "ben"]).status
          == 0)
      let files = try #require(
        FileManager.default.enumerator(atPath: folder + "/store.attachments"))
      let kept = try #require(files.compactMap { $0 as? String }.first { $0.utf8.count > 60 })
      let path = "\(folder)/store.attachments/\(kept)"
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
      try Data("pots".utf8).write(to: URL(fileURLWithPath: path), options: [])
      chmod(path, 0o600)
      #expect(try check().status == 0)
      let deep = try check("--deep")
      #expect(deep.status == 1 && deep.errors.contains("cups.txt"))
      // A new store would not bring it back.
      #expect(!deep.errors.contains("--recover"))
    }

    @Test("--backup writes a whole copy into a new file, while a shell is open")
    func backsUp() throws {
      let anna = try home.shellInLobby(as: "anna")
      try anna.type("keep this\r", seeing: "[1]")
      try FileManager.default.createDirectory(
        atPath: home.path + "/safe", withIntermediateDirectories: false,
        attributes: [.posixPermissions: 0o700])
      let copy = home.path + "/safe/copy.sqlite"
      let finished = try check("--backup", copy)
      #expect(finished.status == 0 && finished.output.contains("Backup: \(copy)"))
      #expect(
        try home.run(["log", "lobby", "--as", "ben", "--store", copy]).output.contains("keep this"))
      let before = try Data(contentsOf: URL(fileURLWithPath: copy))
      let again = try check("--backup", copy)
      // A path keeps its letters at the start of a sentence.
      #expect(again.status == 1 && again.errors.contains("hobnob: \(copy) "))
      #expect(try Data(contentsOf: URL(fileURLWithPath: copy)) == before)
    }

    @Test("files that others may read are reported on standard error, as a failure")
    func permissions() throws {
      try home.say("hello", as: "ben")
      chmod(folder + "/store.bell", 0o644)
      let finished = try check()
      #expect(finished.status == 1 && finished.errors.contains("store.bell"))
      #expect(!finished.errors.contains("--recover"))
    }

    @Test("11.3: failures of an account's process are reported")
    func sandbox() throws {
      try home.say("hello", as: "ben")
      let said = try check().output
      #expect(said.contains(/Account sandbox \(irc\): (files and )?system calls/))
      #expect(said.contains(/Account sandbox \(xmpp\): (files and )?system calls/))
    }

    @Test(
      "the background is what the terminal answers",
      arguments: [
        ("rgb:ffff/ffff/ffff", "light"), ("rgb:0000/0000/0000", "dark"),
        ("nonsense", "the terminal does not say"),
        (nil, "the terminal does not say"),
      ] as [(String?, String)])
    func background(answer: String?, words: String) throws {
      try home.say("hello", as: "ben")
      let terminal = try PseudoTerminal(
        command: [Home.program, "check"], environment: home.environment)
      terminal.background = answer.map { "\u{1B}]11;\($0)\u{1B}\\" }
      try terminal.expect("  Background: \(words)\n")
      #expect(terminal.waitForExit(seconds: 10) == 0)
    }

    @Test("the background is not asked for where nothing may be sent to a terminal")
    func noBackground() throws {
      try home.say("hello", as: "ben")
      #expect(try check().output.contains("  Background: unknown (the terminal was not asked)\n"))
      for (arguments, term) in [(["--plain"], "xterm"), ([], "dumb"), ([], "linux")] {
        let environment = home.environment.merging(["TERM": term]) { $1 }
        let terminal = try PseudoTerminal(
          command: [Home.program, "check"] + arguments, environment: environment)
        try terminal.expect("  Background: unknown (the terminal was not asked)\n")
        #expect(!terminal.output.contains(0x1B))
      }
    }

    @Test(
      "11.5: it says about colours what the shell decides",
      arguments: [
        ("xterm", nil, "yes"), ("vt100", nil, "no (this kind of terminal has none)"),
        ("vte-256color", nil, "yes"), ("xterm", "1", "no (NO_COLOR is set)"),
        ("vt100", "1", "no (NO_COLOR is set)"),
      ])
    func colours(term: String, noColor: String?, words: String) throws {
      try home.say("hello", as: "ben")
      let output = try check(environment: ["TERM": term, "NO_COLOR": noColor]).output
      #expect(output.contains("  Colours: \(words)\n"))
    }

    @Test("in the background it does not ask the terminal, which would stop it")
    func inTheBackground() throws {
      try home.say("hello", as: "ben")
      let terminal = try PseudoTerminal(
        command: ["bash", "--norc", "-c", "set -m; \(Home.program) check & wait; echo over"],
        environment: home.environment)
      try terminal.expect("over\n")
      #expect(terminal.emulator.picture.contains("(the terminal was not asked)"))
    }

    @Test("a locale without UTF-8 is reported in words", arguments: ["C", "POSIX"])
    func locale(name: String) throws {
      try home.say("hello", as: "ben")
      let finished = try check(environment: ["LC_ALL": name])
      #expect(finished.status == 0)
      #expect(
        finished.output.contains("Characters: UTF-8, but hobnob prints its own marks in ASCII"))
      #expect(!finished.output.contains("ANSI"))
      #expect(try check().output.contains("Characters: UTF-8\n"))
    }
  }
}
