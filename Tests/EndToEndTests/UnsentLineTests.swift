// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Emulator
import Foundation
import Testing

extension EndToEnd {
  /// All of them wait out a locked store.
  @Suite("1.2: Lines that the locked store did not take")
  struct UnsentLineTests {
    let home: Home

    init() throws { home = try Home() }

    private func release(_ holder: Program) {
      holder.closeInput()
      _ = holder.finish()
    }

    @Test(
      "a line comes back where it was said, and nowhere else",
      arguments: ["\u{07}", "/cancel\r"], [true, false])
    func comesBackInItsOwnConversation(taking keys: String, hasDraft: Bool) throws {
      try home.say("hello", as: "ben")
      let shell = try home.shellInLobby(as: "anna", columns: 200)
      try shell.type("/msg ben\r", seeing: "@ben> |")
      try shell.type("my secret", seeing: "@ben> my secret|")
      let holder = try home.lock()
      try shell.type("\r", seeing: "waiting for the store")
      if hasDraft { try shell.type("more", seeing: "@ben> more|") }
      try shell.type("\u{03}/switch lobby\r", seeing: "#lobby> |")
      shell.send(keys)
      try shell.expect("Your line for @ben is the draft there.")
      try shell.expect("#lobby> |")
      release(holder)
      try shell.type("public\r", seeing: "anna: public")
      try shell.type("/switch @ben\r", seeing: "@ben> my secret|")
    }

    @Test(
      "a line of a conversation that is opened again before the store is free comes into the line")
    func comesBackAfterAllThere() throws {
      let shell = try home.shellInLobby(as: "anna", columns: 200)
      try shell.type("/join tea\r", seeing: "#tea> |")
      let holder = try home.lock()
      try shell.type("green\r", seeing: "waiting for the store")
      try shell.type("/switch lobby\r", seeing: "#lobby> |")
      try shell.type("\u{07}", seeing: "Your line for #tea is the draft there.")
      try shell.type("/switch tea\r", seeing: "#tea> green|")
      release(holder)
      try shell.type("\r", seeing: "anna: green")
    }

    @Test("where another draft waits, the line goes into the history, and is told by its room")
    func doesNotTakeTheDraftsPlace() throws {
      let shell = try home.shellInLobby(as: "anna", columns: 200)
      let other = try home.shell(as: "anna", ["--create", "tea"])
      try other.expect("#tea> |")
      try shell.type("/switch tea\r", seeing: "#tea> |")
      try other.type("of another shell", seeing: "another shell|")
      #expect(try home.draft(becomes: "of another shell", while: other, in: "tea"))
      let holder = try home.lock()
      try shell.type("green\r", seeing: "waiting for the store")
      try shell.type("/switch lobby\r", seeing: "#lobby> |")
      try shell.type("\u{07}", seeing: "Your line for #tea is in the history: press Up.")
      release(holder)
      #expect(try home.draft(becomes: "of another shell", while: shell, in: "tea"))
      try shell.type("\u{10}", seeing: "#lobby> green|")
      shell.kill(SIGHUP)
      #expect(shell.waitForExit(seconds: 10) == 129)
      let store = try Store(path: home.store)
      defer { store.close() }
      let me = try store.writeDurablyIfNeeded { try $0.participant(identity: "anna") }.id
      #expect(try store.read { try $0.history(of: me, shell: "", limit: 9) }.contains("green"))
    }

    @Test("1.2, 10: of several lines that come back each is named")
    func namesEach() throws {
      let shell = try home.shellInLobby(as: "anna", columns: 200)
      let holder = try home.lock()
      for line in ["the first", "the second", "the third"] {
        try shell.type("\(line)\r", seeing: "(waiting for the store) \(line)")
      }
      try shell.type("\u{07}", seeing: "Your line is back")
      for line in ["the second", "the third"] {
        try shell.type(
          "\u{07}", seeing: "Your line is in the history: press Up. It begins: \(line)")
      }
      release(holder)
    }

    @Test("where another draft waits, a line with files goes in front of it: no file is lost (8)")
    func goesInFrontOfTheDraft() throws {
      try home.write("x", to: "one.txt")
      let shell = try home.shellInLobby(as: "anna", columns: 200)
      let other = try home.shell(as: "anna", ["--create", "tea"])
      try other.expect("#tea> |")
      try shell.type("/switch tea\r", seeing: "#tea> |")
      try shell.type("/attach ~/one.txt\r", seeing: "[1 file]")
      try other.type("of another shell", seeing: "another shell|")
      #expect(try home.draft(becomes: "of another shell", while: other, in: "tea"))
      let holder = try home.lock()
      try shell.type("green\r", seeing: "waiting for the store")
      try shell.type("/switch lobby\r", seeing: "#lobby> |")
      try shell.type("\u{07}", seeing: "Your line for #tea waits there, with its files.")
      release(holder)
      #expect(try home.draft(becomes: "green\nof another shell", while: shell, in: "tea"))
      try shell.type("/switch tea\r", seeing: "of another shell")
      try shell.expect("[1 file]")
    }

    @Test("2.10, 8.1: a line comes back with its files and mentions", arguments: [true, false])
    func comesBackWhole(isLocked: Bool) throws {
      try home.write("one", to: "one.txt")
      try home.say("hello", as: "ben")
      let shell = try home.shellInLobby(as: "anna", columns: 200)
      try shell.type("/attach ~/one.txt\r", seeing: "[1 file]")
      try shell.type("@b", seeing: "> @b|")
      shell.send("\t")
      try shell.expect("@ben: |")
      shell.send("look")
      let holder = isLocked ? try home.lock() : nil
      if let holder {
        try shell.type("\r", seeing: "waiting for the store")
        try shell.type("\u{07}", seeing: "@ben: look|")
        release(holder)
      } else {
        try shell.type("\r", seeing: "anna: @ben: look")
        try shell.type("/cancel\r", seeing: "> @ben: look|")
      }
      try shell.expect("[1 file]")
      try shell.type("\r", seeing: "#lobby> |")
      let store = try Store(path: home.store)
      defer { store.close() }
      let me = try store.writeDurablyIfNeeded { try $0.participant(identity: "anna") }.id
      let room = try #require(try store.read { try $0.room("lobby") }).id
      func sent() throws -> Message? {
        Store.ordered(try store.read { try $0.messages(in: room, limit: 9, for: me) }).last {
          $0.body == "@ben: look" && $0.deletedAt == nil
        }
      }
      #expect(shell.wait(for: 20) { _ in (try? sent()) != nil })
      let last = try #require(try sent())
      #expect(last.attachments.map(\.name) == ["one.txt"])
      #expect(last.mentions == "0-4 ben")
    }

    @Test(
      "leaving keeps a sent line that the store does not take, and says so in its status",
      arguments: [
        ("\u{04}", "", 1, "patience"), ("", "", 129, "patience"),
        ("", "next", 129, "patience\nnext"),
      ])
    func leavingKeepsTheLine(keys: String, next: String, status: Int32, draft: String) throws {
      let shell = try home.shellInLobby(as: "anna", columns: 200)
      let holder = try home.lock()
      try shell.type("patience\r", seeing: "waiting for the store")
      try shell.type(next, seeing: "#lobby> \(next)|")
      if keys.isEmpty { shell.kill(SIGHUP) } else { shell.send(keys) }
      #expect(shell.waitForExit(seconds: 11) == nil)
      release(holder)
      #expect(shell.waitForExit(seconds: 10) == status)
      #expect(shell.emulator.picture.contains("Your line for #lobby is the draft there."))
      #expect(try home.draft(becomes: draft, while: shell))
    }

    @Test(
      "a line that goes into the history lets its files wait again, in front of others (8)",
      arguments: ["with file", ""])
    func filesWaitAgain(line: String) throws {
      for name in ["one.txt", "two.txt"] { try home.write("x", to: name) }
      let shell = try home.shellInLobby(as: "anna", columns: 200)
      try shell.type("/attach ~/one.txt\r", seeing: "[1 file]")
      let holder = try home.lock()
      let shown = line.isEmpty ? "[1 file]" : "\(line) [1 file]"
      try shell.type("\(line)\r", seeing: "(waiting for the store) \(shown)")
      try shell.type("/attach ~/two.txt\r", seeing: "[1 file]")
      try shell.type("next", seeing: "#lobby> next|")
      try shell.type("\u{07}", seeing: line.isEmpty ? "Your files wait" : "its files wait again")
      try shell.expect("[2 files]")
      release(holder)
      try shell.type("\r", seeing: "anna: next\n                [file 1: one.txt")
      try shell.expect("  [file 2: two.txt")
    }

    @Test("1.12: what waits for the history comes into it in the order in which it was typed")
    func historyInOrder() throws {
      let shell = try home.shellInLobby(as: "anna", columns: 200)
      let holder = try home.lock()
      let lines = ["/status", "/keys undo", "/theme", "/alias", "/set bell", "/status"]
      for line in lines {
        shell.send(line + "\r")
        try shell.expect("#lobby> |")
      }
      release(holder)
      shell.send("\u{04}")
      #expect(shell.waitForExit(seconds: 10) == 0)
      let store = try Store(path: home.store)
      defer { store.close() }
      let me = try store.writeDurablyIfNeeded { try $0.participant(identity: "anna") }.id
      #expect(try store.read { try $0.history(of: me, shell: "", limit: 9) } == lines)
    }

    @Test("of a line that is wider than the screen, the mark stays: it is not sent")
    func markOfAWideLine() throws {
      let shell = try home.shellInLobby(as: "anna", columns: 40)
      let holder = try home.lock()
      try shell.type(
        "words and words and words and more of them\u{0A}and another row\r",
        seeing: "(waiting for the store) words and word…")
      release(holder)
      try shell.expect("[1] anna: words")
    }

    @Test("5.1: a line that comes back at once is stored as the draft all the same")
    func comesBackStored() throws {
      let shell = try home.shellInLobby(as: "anna", columns: 200)
      let holder = try home.lock()
      try shell.type("clocktest", seeing: "#lobby> clocktest|")
      shell.rest(1.5)
      try shell.type("\r", seeing: "waiting for the store")
      try shell.type("\u{07}", seeing: "Your line is back")
      release(holder)
      #expect(try home.draft(becomes: "clocktest", while: shell))
    }

    @Test("who does not wait for the store leaves with C-d again; the line stands on the screen")
    func leavingTellsTheLine() throws {
      let shell = try home.shellInLobby(as: "anna", columns: 200)
      let holder = try home.lock()
      // Longer than what other sentences say of a text.
      let middle = String(repeating: "and more ", count: 150)
      try shell.type("patience \(middle)\r", seeing: "waiting for the store")
      try shell.type("\u{04}", seeing: "C-d again leaves without it")
      shell.send("\u{04}")
      #expect(shell.waitForExit(seconds: 10) == 1)
      let said = shell.emulator.picture.replacing("\n", with: "").replacing("\u{20}", with: "")
      #expect(
        said.contains("Notsent:patience" + middle.replacing(" ", with: "")),
        "\(shell.emulator.picture)")
      release(holder)
    }
  }
}
