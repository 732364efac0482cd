// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Emulator
import Foundation
import Testing

extension EndToEnd {
  @Suite("8.1: Files that wait at the prompt")
  struct FilesAtThePromptTests {
    private static func home() throws -> Home {
      let home = try Home()
      try home.write("first", to: "one.txt")
      try home.write("the second", to: "number two.txt")
      return home
    }

    @Test("8.1: an unreadable file is refused at once, and the rest stays")
    func unreadable() throws {
      let home = try Self.home()
      // Nothing is unreadable for root.
      let shell = try home.unprivilegedShell(as: "anna")
      try shell.expect("#lobby> |")
      try shell.type("/attach ~/one.txt\r", seeing: "[1 file]")
      try home.write("", to: "unreadable")
      chmod(home.path + "/unreadable", 0)
      try shell.type("/attach \(home.path)/unreadable\r", seeing: "Permission denied")
      try shell.expect("[1 file]")
      #expect(shell.caretRow.contains("/attach"))
    }

    @Test(
      "8.1: a path is quoted as in a shell, even a relative one; a file's own name comes first",
      arguments: [
        (#"'a b.txt'"#, "a b.txt"), (#"a\ b.txt"#, "a b.txt"), (#""./a b.txt""#, "a b.txt"),
        ("a b.txt", "a b.txt"), ("it's.txt", "it's.txt"), ("'q'", "'q'"),
      ])
    func quotedPaths(argument: String, name: String) throws {
      let home = try Self.home()
      for file in ["a b.txt", "it's.txt", "'q'", "q"] { try home.write("x", to: file) }
      let done = try Program(
        ["/bin/sh", "-c", "cd && exec \(Home.program) lobby --as anna"],
        input: "/attach \(argument)\n/attach\n", environment: home.environment
      ).finish()
      #expect(done.errors == "" && done.status == 0)
      #expect(done.output.contains("1  \(name)  1 B"), "\(done.output)")
    }

    @Test("5.1: the files of a draft come back after a kill, and are sent")
    func draftsKeepFiles() throws {
      let home = try Self.home()
      let first = try home.shellInLobby(as: "anna")
      first.send("/attach ~/one.txt\r")
      try first.expect("[1 file]")
      first.send("with a text")
      try first.expect("#lobby> with a text|")
      first.rest(1.6)
      first.kill(9)
      #expect(first.waitForExit(seconds: 10) != nil)
      let second = try home.shell(as: "anna", ["lobby"])
      try second.expect("#lobby> with a text|")
      try second.expect("[1 file]")
      second.send("\r")
      try second.expect("1 anna: with a text")
      #expect(try messages(in: home).map { $0.attachments.map(\.name) } == [["one.txt"]])
      #expect(second.wait(for: 5) { !$0.picture.contains("[1 file]") })
    }

    @Test("1.6, 8: vi's u brings files back, too")
    func viUndo() throws {
      let home = try Self.home()
      let shell = try home.shellInLobby(as: "anna", inputrc: "set editing-mode vi\n")
      shell.send("/attach ~/one.txt\r")
      try shell.expect("[1 file]")
      shell.send("\u{03}")
      try shell.expectGone("[1 file]")
      shell.send("\u{1B}")
      shell.rest(0.3)
      shell.send("u")
      try shell.expect("[1 file]")
    }

    @Test("8.1, 10: a name that is not UTF-8, from the command line and by its URL")
    func nameInAnotherEncoding() throws {
      let home = try Home()
      let made = try Program(
        [
          "sh", "-c",
          """
          cd "$HOME" && name=$(printf 'b\\344r.txt') && echo inside > "$name" \
            && "$0" send lobby --as ben --attach "$name" && "$0" send lobby --as ben --attach="$HOME/$name"
          """, Home.program,
        ], environment: home.environment
      ).finish()
      #expect(made.status == 0, "\(made)")
      let shell = try home.shellInLobby(as: "anna")
      let url = "file://\(home.path)/b%E4r.txt"
      try shell.type("\u{1B}[200~\(url)\u{1B}[201~", seeing: "Attach b")
      try shell.type("y", seeing: "[1 file]")
      try shell.type("/attach \(url)\r", seeing: "[2 files]")
      try shell.type("\r", seeing: "[3]")
      for message in try messages(in: home) {
        #expect(message.attachments.allSatisfy { $0.name == "b\u{FFFD}r.txt" && $0.bytes == 7 })
        #expect(message.attachments.count == (message.number == 3 ? 2 : 1))
      }
      // A wrong name in such a URL is refused like any other.
      try shell.type("/attach file:///nowhere/%E4\r", seeing: "file:///nowhere/%E4")
    }

    private func messages(in home: Home) throws -> [Message] {
      let store = try Store(path: home.store)
      defer { store.close() }
      let me = try store.writeDurablyIfNeeded { try $0.participant(identity: "anna") }.id
      let room = try #require(try store.read { try $0.room("lobby") })
      return try store.read { try $0.messages(in: room.id, limit: 100, for: me) }.sorted {
        $0.number < $1.number
      }
    }
  }
}
