// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import Testing

extension EndToEnd {
  @Suite("/set keep: how long a conversation keeps its messages")
  struct KeepTests {
    private let home: Home

    init() throws {
      home = try Home()
    }

    private func run(_ lines: String, in room: String = "lobby") throws -> Program.Finished {
      try home.run(["--no-rc", "--as", "anna", "--create", room], input: lines)
    }

    @Test("is shown and changed for the open conversation, for everyone and for good")
    func belongsToTheConversation() throws {
      #expect(try run("/set keep\n").output.hasPrefix("keep off  "))
      let shell = try home.shellInLobby(as: "anna")
      try shell.type("/set keep 2y\r", seeing: "Delete 0 messages and 0 files")
      try shell.type("y", seeing: "anna set keep to 2y")
      let ben = try home.run(["--no-rc", "--as", "ben", "lobby"], input: "/set keep\n").output
      #expect(ben.hasPrefix("keep 2y  ") && ben.contains("; from "))
      #expect(try run("/set keep\n", in: "dev").output.hasPrefix("keep off  "))
      #expect(try run("/set\n").output.contains(#/\n +keep 2y +how long/#))
      #expect(try run("/set keep off\n/set keep\n").output.contains("keep off  "))
    }

    @Test("from a pipe, where nobody can answer its question, an age is refused")
    func asksFirst() throws {
      let finished = try run("/set keep 90d\n/set keep\n")
      #expect(finished.status == 1 && finished.errors.contains("type it at a terminal"))
      #expect(finished.output.hasPrefix("keep off  "))
    }

    @Test(
      "anything else is refused with what it takes",
      arguments: [
        "0d", "2", "y", "-1d", "1.5y", "2h", "3m", "1001y", "99999999999999999999d", "²d", "2y x",
      ])
    func refusals(value: String) throws {
      let finished = try run("/set keep \(value)\n/set keep\n")
      #expect(finished.status == 1 && finished.errors.contains("; use off"))
      #expect(finished.errors.contains("3mo"))
      #expect(finished.output.hasPrefix("keep off  "))
    }

    @Test(
      "an rc file, and a file for /source, cannot hold it", arguments: ["/set keep 2y", "set keep"])
    func notInAFile(line: String) throws {
      try home.write(line + "\n", to: "rc")
      let finished = try home.run(
        ["--rc", home.path + "/rc", "--as", "anna", "lobby"], input: "/set keep\n")
      #expect(finished.errors.contains("line 1") && finished.errors.contains("/set keep 2y"))
      #expect(finished.output.hasPrefix("keep off  "))
    }

    @Test("TAB completes it")
    func completes() throws {
      let shell = try home.shellInLobby(as: "anna")
      try shell.type("/set kee\t", seeing: "#lobby> /set keep |")
      try shell.type("o\t", seeing: "#lobby> /set keep off |")
    }
  }
}
