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
      try shell.type("/set keep 2y\r", seeing: "delete 0 messages and 0 files")
      try shell.type("y", seeing: "anna set keep to 2y")
      let ben = try home.run(["--no-rc", "--as", "ben", "lobby"], input: "/set keep\n").output
      #expect(ben.hasPrefix("keep 2y  ") && ben.contains("; from "))
      #expect(try run("/set keep\n", in: "dev").output.hasPrefix("keep off  "))
      #expect(try run("/set\n").output.contains(#/\n +keep +2y +how long/#))
      #expect(try run("/set keep off\n/set keep\n").output.contains("keep off  "))
    }

    @Test("from a pipe, without anyone to answer, an age is refused")
    func asksFirst() throws {
      let finished = try run("/set keep 90d\n/set keep\n")
      #expect(finished.status == 1 && finished.errors.contains("run the command at a terminal"))
      #expect(finished.output.hasPrefix("keep off  "))
    }
  }
}
