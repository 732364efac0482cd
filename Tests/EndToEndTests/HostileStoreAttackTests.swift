// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Emulator
import Foundation
import Repeatable
import StoreFixture
import Testing

extension EndToEnd {
  @Suite("A store that another program writes to, and hobnob")
  struct HostileStoreAttackTests {
    let home: Home

    init() throws { home = try Home() }

    /// Runs SQL on the store, without what keeps values out.
    private func sql(_ text: String) throws {
      struct Refused: Error { var errors: String }
      let run = try Program(
        ["sqlite3", home.store], input: ".dbconfig defensive off\n" + text,
        environment: ["PATH": "/usr/bin:/bin"]
      ).finish()
      if run.status != 0 { throw Refused(errors: run.errors) }
    }

    @Test(
      "5.1: a caret outside the draft does no harm",
      arguments: ["9223372036854775807", "-9223372036854775808", "4294967301", "'x'"])
    func caretBeyond(caret: String) throws {
      try draft("begun")
      // Wrong types, too.
      try sql(
        """
        PRAGMA writable_schema=ON;
        UPDATE sqlite_schema SET sql = replace(sql, 'STRICT', '') WHERE name = 'draft';
        """)
      try sql("UPDATE draft SET caret = \(caret);")
      let shell = try home.shell(as: "anna", ["lobby"])
      try shell.expect("begun")
      try shell.type("\u{05}!\r", seeing: "anna: begun!")
    }

    /// Leaves a draft of Anna's in the lobby.
    private func draft(_ text: String, caret: Int? = nil) throws {
      let export = """
        {"hobnob":"export","version":1,"exported":"2026-11-21T10:00:00.000Z"}
        {"type":"draft","conversation":"#lobby","participant":"anna","text":"\(text)",\
        "caret":\(caret ?? text.utf8.count)}
        {"type":"member","conversation":"#lobby","participant":"anna","first":1}
        {"type":"end"}

        """
      let run = try home.run(["import", "--as", "anna"], input: export)
      try #require(run.status == 0, "\(run.errors)")
    }

    @Test("5.1: a caret inside a character stands before it")
    func caretInside() throws {
      try draft("dräft", caret: 3)
      let shell = try home.shell(as: "anna", ["lobby"])
      try shell.expect("#lobby> dr|äft")
      try shell.type("Y\r", seeing: "anna: drYäft")
      #expect(try broken() == "")
    }

    @Test(
      "bytes that are not UTF-8 are never stored, however they arrive",
      arguments: [["lobby"], ["--plain", "lobby"]], ["emacs", "vi"])
    func rawBytes(arguments: [String], mode: String) throws {
      try home.write("set editing-mode \(mode)\nset show-mode-in-prompt off\n", to: ".inputrc")
      let shell = try home.shell(as: "anna", arguments)
      try shell.expect("#lobby> ")
      for byte in stride(from: UInt8(0x80), through: 0xFF, by: 9) {
        shell.send([0x61, byte, 0x62] + Array("\r".utf8))
        shell.send([0x16, byte] + Array("q\u{7f}\r".utf8))
      }
      // A character in pieces that are deleted and moved over one by one.
      shell.send(Array("ä漢\u{02}\u{02}\u{04}x\r".utf8))
      shell.send(Array("/topic t".utf8) + [0xC3] + Array("\r".utf8))
      try shell.type("the end\r", seeing: "the end")
      #expect(try broken() == "")
      let batch = try home.start(["lobby", "--as", "ben"], input: nil)
      batch.type(bytes: [0x61, 0xFF, 0x0A, 0xC3, 0x0A] + Array("/topic x".utf8) + [0xE6, 0x0A])
      batch.closeInput()
      _ = batch.finish()
      #expect(try broken() == "")
    }

    /// Where a text of the store is not UTF-8.
    private func broken() throws -> String {
      let columns = try Program(
        [
          "sqlite3", "-readonly", home.store,
          """
          SELECT t.name || '|' || c.name FROM pragma_table_list t, pragma_table_info(t.name) c
          WHERE t.schema = 'main' AND t.type = 'table' AND c.type = 'TEXT'
          """,
        ], environment: ["PATH": "/usr/bin:/bin"]
      ).finish().output.split(separator: "\n").map { $0.split(separator: "|") }
      try #require(columns.count > 15)
      let query = columns.map {
        "SELECT '\($0[0]).\($0[1]) ' || hex(\($0[1])) FROM \($0[0]) WHERE \($0[1]) <> ''"
      }.joined(separator: " UNION ALL ")
      let run = try Program(
        ["sqlite3", "-readonly", home.store, query], environment: ["PATH": "/usr/bin:/bin"]
      ).finish()
      try #require(run.status == 0 && !run.output.isEmpty, "\(run.errors)")
      return run.output.split(separator: "\n").filter { line in
        let digits = Array(line.split(separator: " ")[1].utf8)
        let bytes = stride(from: 0, to: digits.count - 1, by: 2).compactMap {
          UInt8(String(decoding: digits[$0...($0 + 1)], as: UTF8.self), radix: 16)
        }
        return String(validating: bytes, as: UTF8.self) == nil
      }.joined(separator: "\n")
    }

    // MARK: All columns

    private static let values = [
      "NULL", "-9223372036854775808", "9223372036854775807", "4294967301", "9e999", "x'fffe'",
      "CAST(x'ff41fe' AS TEXT)", "replace(hex(zeroblob(20000)), '00', 'x')", "'1-99 b'",
    ]

    @Test("11.4: whatever a column contains, the program ends well or with a sentence")
    func columns() throws {
      let made = try home.run(
        ["lobby", "--as", "anna"],
        input: "hello\n/topic tea\n/me waves\n/reply 1 well\n/react 1 👍\n/delete 3\n/away out\n"
      )
      try #require(made.status == 0, "\(made.errors)")
      try home.say("hi @anna", as: "ben")
      try draft("dräft")
      try sql("PRAGMA wal_checkpoint(TRUNCATE);")
      let base = home.path + "/base.sqlite"
      try FileManager.default.copyItem(atPath: home.store, toPath: base)
      let listed = try Program(
        [
          "sqlite3", base,
          """
          SELECT t.name || '|' || c.name FROM pragma_table_list t, pragma_table_info(t.name) c
          WHERE t.schema = 'main' AND t.type = 'table' AND t.strict;
          SELECT 'DROP TRIGGER ' || name || ';' FROM sqlite_schema WHERE type = 'trigger';
          """,
        ], environment: ["PATH": "/usr/bin:/bin"]
      ).finish().output.split(separator: "\n")
      let triggers = listed.filter { $0.hasPrefix("DROP") }.joined()
      let columns = listed.filter { !$0.hasPrefix("DROP") }.map { $0.split(separator: "|") }
      try #require(columns.count > 60)

      var random = FixedRandom(seed: LongRun.seed)
      for round in 0..<LongRun.rounds(3) {
        let column = columns[random.below(columns.count)]
        let value = Self.values[random.below(Self.values.count)]
        for suffix in ["", "-wal", "-shm"] {
          try? FileManager.default.removeItem(atPath: home.store + suffix)
        }
        try FileManager.default.copyItem(atPath: base, toPath: home.store)
        try sql(
          """
          \(triggers)
          PRAGMA writable_schema=ON;
          UPDATE sqlite_schema SET sql = replace(replace(replace(sql, ') STRICT, W', ') W'),
            ') STRICT', ')'), 'NOT NULL', '') WHERE type = 'table';
          """)
        // It is refused where the column is the number of the row; that is not a case.
        guard
          (try? sql(
            """
            PRAGMA ignore_check_constraints=ON; PRAGMA foreign_keys=OFF;
            UPDATE OR IGNORE \(column[0]) SET \(column[1]) = \(value);
            """)) != nil
        else { continue }
        try readAll("round \(round): \(column[0]).\(column[1]) = \(value)")
      }
    }

    @Test(
      "11.4: whatever rows are added, even twice, the program ends well or with a sentence")
    func rows() throws {
      let made = try home.run(
        ["lobby", "--as", "anna"],
        input: "hello\n/topic tea\n/me waves\n/reply 1 well\n/react 1 👍\n/join tea\n/away out\n")
      try #require(made.status == 0, "\(made.errors)")
      try home.say("hi @anna", as: "ben")
      try draft("begun")
      try sql("PRAGMA wal_checkpoint(TRUNCATE);")
      let base = home.path + "/base.sqlite"
      try FileManager.default.copyItem(atPath: home.store, toPath: base)
      var random = FixedRandom(seed: LongRun.seed)
      for round in 0..<LongRun.rounds(2) {
        for suffix in ["", "-wal", "-shm"] {
          try? FileManager.default.removeItem(atPath: home.store + suffix)
        }
        try FileManager.default.copyItem(atPath: base, toPath: home.store)
        let hostile = HostileStore(path: home.store)
        let rows = (0...round % 3).map { _ in hostile.addRows(&random) }
        try readAll("round \(round): \(rows.joined(separator: "; "))")
      }
    }

    private func readAll(_ what: String) throws {
      let commands =
        "/list\n/who\n/history\n/info 1\n/info -1\n/status\n/unread\n/drafts\n/search hello\nsay\n"
      for (arguments, input) in [
        (["log", "lobby"], ""), (["log", "lobby", "--json"], ""), (["search", "hello"], ""),
        (["unread"], ""), (["export"], ""), (["check"], ""), (["send", "lobby", "said"], ""),
        (["lobby"], commands), (["--plain", "lobby"], commands),
      ] {
        let run = try home.run(arguments + ["--as", "anna"], input: input)
        #expect(run.status < 128, "\(what): \(arguments)\n\(run.errors)")
        #expect(run.status == 0 || !run.errors.isEmpty, "\(what): \(arguments): not a word")
      }
      for face in [[], ["--plain"]] {
        // A long history would go to a pager that waits for keys.
        let shell = try home.shell(
          as: "anna", face + ["lobby"], environment: ["PAGER": "cat"])
        _ = shell.wait(for: 10) { $0.picture.contains("> ") || $0.picture.contains("hobnob:") }
        shell.send("Y\u{7f}\u{05}\u{15}/history\r/who\r/drafts\r\u{05}\u{15}/quit\r")
        let status = shell.waitForExit(seconds: 20)
        #expect(status.map { $0 < 128 } == true, "\(what): \(face): \(String(describing: status))")
      }
    }
  }
}
