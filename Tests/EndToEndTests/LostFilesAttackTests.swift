// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import Foundation
import Glibc
import Repeatable
import Testing

@testable import Conversations

extension EndToEnd {
  @Suite("Files that disappear while the store is open", .serialized)
  struct LostFilesAttackTests {
    let home: Home

    init() throws { home = try Home() }

    /// What is in the store when nobody has it open any more.
    private func bodies() throws -> [String] {
      let store = try Store(path: home.store, options: .init(createIfMissing: false))
      defer { store.close() }
      let me = try store.writeDurablyIfNeeded { try $0.participant(identity: "anna") }.id
      let room = try #require(try store.read { try $0.room("lobby") })
      return try store.read { try $0.messages(in: room.id, limit: 100_000, for: me) }.map(\.body)
    }

    /// A shell without its files takes no line: it shows it, and ends.
    private func expectEnd(_ shell: PseudoTerminal, sending text: String) throws {
      shell.send(text + "\r")
      #expect(shell.waitForExit(seconds: 10) == 1)
      let shown = shell.emulator.history.joined(separator: "\n") + shell.emulator.picture
      #expect(shown.contains("while") && shown.contains("Not sent: \(text)"), "\(shown)")
    }

    @Test(
      "1.2: without its log, or the log's index, no message is reported as stored",
      arguments: [["-shm"], ["-wal"], ["-wal", "-shm"]])
    func deleted(files: [String]) throws {
      let shell = try home.shellInLobby(as: "anna")
      try shell.type("one\r", seeing: "anna: one")
      try home.say("two", as: "ben")
      for file in files { try FileManager.default.removeItem(atPath: home.store + file) }
      let sent = try home.run(["send", "lobby", "three", "--as", "ben"])
      #expect(sent.status == 1)
      #expect(sent.errors.contains("\(home.store + files[0]) was deleted or replaced"))
      try expectEnd(shell, sending: "four")
      #expect(try bodies() == ["one", "two"])
      try home.say("three", as: "ben")
      #expect(try bodies() == ["one", "two", "three"])
      try home.expectSound()
    }

    @Test("without its log a store looks new, but nobody begins one in it")
    func looksNew() throws {
      let shell = try home.shellInLobby(as: "anna")
      try shell.type("one\r", seeing: "anna: one")
      // The files go just after another process has looked at them.
      let files = try StoreFiles(path: home.store, options: .init())
      for file in ["-wal", "-shm"] {
        try FileManager.default.removeItem(atPath: home.store + file)
      }
      let database = try Database(path: files.path, patience: 0)
      #expect(throws: StoreError.logReplaced(path: home.store, file: home.store + "-wal")) {
        try StoreConnection.prepare(database, files, .init())
      }
      database.leaveLog()
      database.close()
      try expectEnd(shell, sending: "two")
      #expect(try bodies() == ["one"])
      try home.expectSound()
    }

    @Test("another log or index in place of the open one ends the shell, too")
    func replaced() throws {
      for file in ["-shm", "-wal"] {
        let home = try Home()
        let shell = try home.shellInLobby(as: "anna")
        try shell.type("one\r", seeing: "anna: one")
        let copy = home.store + ".copy"
        try FileManager.default.copyItem(atPath: home.store + file, toPath: copy)
        #expect(rename(copy, home.store + file) == 0)
        try expectEnd(shell, sending: "two")
        // The shell that goes takes nothing with it that others have.
        let log = try home.run(["log", "lobby", "--as", "anna"])
        #expect(log.status == 0 && log.output.contains("one"), "\(log.errors)")
      }
    }

    @Test("no new store begins beside shells that have the former one open")
    func moved() throws {
      for names in [[""], ["", "-wal"], ["", "-wal", "-shm"]] {
        let home = try Home()
        let shell = try home.shellInLobby(as: "anna", columns: 200)
        try shell.type("one\r", seeing: "anna: one")
        for name in names { #expect(rename(home.store + name, home.store + name + ".away") == 0) }
        let sent = try home.run(["send", "lobby", "--create", "two", "--as", "ben"])
        #expect(sent.status == 1)
        #expect(sent.errors.contains("was moved, deleted or replaced"), "\(sent.errors)")
        try expectEnd(shell, sending: "two")
        #expect(!FileManager.default.fileExists(atPath: home.store))
        for name in names {
          // The shell that ended last has brought the log into the store.
          rename(home.store + name + ".away", home.store + name)
        }
        try home.say("three", as: "ben")
        let log = try home.run(["log", "lobby", "--as", "anna"])
        #expect(log.output.contains("one") && log.output.contains("three"), "\(log)")
      }
      // A shell does not write beside another file that was put in the place of its own.
      let shell = try home.shellInLobby(as: "anna", columns: 200)
      try shell.type("one\r", seeing: "anna: one")
      try FileManager.default.copyItem(atPath: home.store, toPath: home.store + ".copy")
      #expect(rename(home.store + ".copy", home.store) == 0)
      try expectEnd(shell, sending: "two")
    }

    @Test("12.4: a link in place of the folder of lock files loses no file elsewhere")
    func linkedLocks() throws {
      let shell = try home.shellInLobby(as: "anna")
      let other = try home.shellInLobby(as: "ben")
      let shells = String(home.store.dropLast(".sqlite".count)) + ".shells"
      let documents = home.path + "/documents"
      try FileManager.default.createDirectory(atPath: documents, withIntermediateDirectories: true)
      for name in ["config", "main", "todo"] {
        try "text".write(toFile: documents + "/" + name, atomically: false, encoding: .utf8)
      }
      #expect(rename(shells, shells + ".away") == 0)
      #expect(symlink(documents, shells) == 0)
      other.kill(SIGKILL)
      #expect(other.waitForExit(seconds: 10) != nil)
      try shell.type("one\r", seeing: "anna: one")
      let refused = try home.run(["send", "lobby", "two", "--as", "cleo"])
      #expect(
        refused.status == 1 && refused.errors.contains("\(shells), which belongs to the store"))
      shell.send("\u{04}")
      #expect(shell.waitForExit(seconds: 10) == 0)
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: documents).sorted()
          == ["config", "main", "todo"])
    }

    @Test("1.2: a shell whose store another version has taken over shows the line and ends")
    func otherVersion() throws {
      let shell = try home.shellInLobby(as: "anna")
      try shell.type("half a line", seeing: "half a line")
      try Database(path: home.store, patience: 10_000).execute("PRAGMA user_version=1000")
      shell.send("!")
      #expect(shell.waitForExit(seconds: 10) == 1)
      let shown = shell.emulator.history.joined(separator: "\n") + shell.emulator.picture
      #expect(shown.contains("has taken over the store"), "\(shown)")
      // It may end before the key is read.
      #expect(shown.contains("Not sent: half a line"), "\(shown)")
      let sent = try home.run(["send", "lobby", "two", "--as", "ben"])
      #expect(sent.status == 1 && sent.errors.contains("newer hobnob wrote"))
    }

    @Test("a log without its store is not discarded for a new one")
    func leftOver() throws {
      let shell = try home.shellInLobby(as: "anna")
      try shell.type("one\r", seeing: "anna: one")
      shell.kill(SIGKILL)
      #expect(shell.waitForExit(seconds: 10) != nil)
      #expect(rename(home.store, home.store + ".away") == 0)
      let sent = try home.run(["send", "lobby", "--create", "two", "--as", "ben"])
      #expect(sent.status == 1)
      #expect(sent.errors.contains("here is no store") && sent.errors.contains("-wal"))
      #expect(rename(home.store + ".away", home.store) == 0)
      #expect(try bodies() == ["one"])
    }

    @Test("twelve simultaneous senders make one store, and none is refused")
    func createAtOnce() throws {
      for round in 0..<LongRun.rounds(4) {
        let home = try Home()
        let senders = try (0..<12).map {
          try home.start(["send", "lobby", "--create", "hello \($0)", "--as", "p\($0)"])
        }
        for sender in senders {
          let run = sender.finish(within: 60)
          #expect(run.status == 0, "round \(round): \(run.errors)")
        }
        let log = try home.run(["log", "lobby", "--as", "p0"])
        #expect(count(of: "hello", in: log.output) == 12, "round \(round)")
        try home.expectSound("round \(round)")
      }
    }

    @Test("1.2: what was acknowledged is there, whichever file went while many were at work")
    func anyFile() throws {
      var random = FixedRandom(seed: LongRun.seed)
      for round in 0..<LongRun.rounds(2) {
        let home = try Home()
        let round = "round \(round)"
        let shell = try home.shellInLobby(as: "anna")
        var kept: [String] = []
        var senders: [(text: String, program: Program)] = []
        let attack = random.below(7)
        for number in 0..<24 {
          let text = "message \(number)."
          senders.append(
            (text, try home.start(["send", "lobby", text, "--as", "p\(number % 4)"])))
          if number == 8 {
            // Some are stored before the file goes, or the test shows nothing.
            for sender in senders.prefix(4) { #expect(sender.program.finish().status == 0) }
            _ = shell.wait(for: Double(random.below(100)) / 1000) { _ in false }
            strike(attack, home)
          }
          shell.send("line \(number).\r\u{05}\u{15}")
          _ = shell.wait(for: Double(random.below(60)) / 1000) { _ in false }
        }
        for sender in senders {
          let run = sender.program.finish(within: 60)
          if run.status == 0 { kept.append(sender.text) }
          #expect(run.status == 0 || run.status >= 128 || !run.errors.isEmpty, "\(round)")
        }
        _ = shell.wait(for: 0.5) { _ in false }
        let shown = shell.emulator.history.joined(separator: "\n") + shell.emulator.picture
        kept += (0..<24).map { "line \($0)." }.filter { shown.contains("anna: \($0)") }
        if attack == 0 { #expect(rename(home.store + ".away", home.store) == 0) }
        shell.kill(SIGTERM)
        let status = shell.waitForExit(seconds: 20)
        #expect(status != nil, "\(round): it does not end")
        let log = try home.run(["log", "lobby", "--as", "anna", "--lines", "100"])
        #expect(log.status == 0, "\(round): attack \(attack): \(log.errors)")
        for text in kept {
          #expect(
            log.output.contains(text), "\(round), attack \(attack): “\(text)” is not in the store")
        }
        #expect(kept.count >= 4, "\(round), attack \(attack)")
        try home.expectSound("\(round), attack \(attack)")
      }
    }

    private func strike(_ attack: Int, _ home: Home) {
      let stem = String(home.store.dropLast(".sqlite".count))
      switch attack {
      case 0: rename(home.store, home.store + ".away")
      case 1: unlink(home.store + "-shm")
      case 2: unlink(home.store + "-wal")
      case 3:
        unlink(home.store + "-wal")
        unlink(home.store + "-shm")
      case 4: unlink(stem + ".bell")
      case 5: try? FileManager.default.removeItem(atPath: stem + ".shells")
      default: try? FileManager.default.removeItem(atPath: stem + ".attachments")
      }
    }
  }
}
