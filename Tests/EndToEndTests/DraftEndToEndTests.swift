// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Emulator
import Glibc
import Testing

extension Home {
  /// Waits until the stored draft of a person in a room is as wanted.
  func draft(
    becomes text: String?, while shell: PseudoTerminal, of name: String = "anna",
    in room: String = "lobby"
  ) throws -> Bool {
    let store = try Store(path: store)
    defer { store.close() }
    let me = try store.writeDurablyIfNeeded { try $0.participant(identity: name) }.id
    let place = try #require(try store.read { try $0.room(room) }).id
    return shell.wait(for: 20) { _ in
      (try? store.read { try $0.draft(of: me, in: place) })??.text == text
    }
  }

  /// The text of the stored draft of anna in #lobby.
  func draft() throws -> String? {
    let store = try Store(path: store)
    defer { store.close() }
    let me = try store.writeDurablyIfNeeded { try $0.participant(identity: "anna") }.id
    let place = try #require(try store.read { try $0.room("lobby") }).id
    return try store.read { try $0.draft(of: me, in: place) }?.text
  }

  /// Lets another process hold a lock of the store until its input is closed.
  func lock(_ begin: String = "BEGIN IMMEDIATE") throws -> Program {
    let holder = try Program(
      ["sqlite3", store], input: nil, environment: ["PATH": "/usr/bin:/bin"])
    holder.type(".timeout 10000\n\(begin); SELECT 'held';\n")
    try #require(holder.wait(for: 20) { $0.output.contains("held") }, "\(holder.errors)")
    return holder
  }
}

extension EndToEnd {
  @Suite("Unfinished lines")
  struct DraftEndToEndTests {
    let home: Home

    init() throws { home = try Home() }

    /// Types a text that becomes the stored draft.
    private func begin(_ text: String, in shell: PseudoTerminal) throws {
      try shell.type(text, seeing: "#lobby> \(text)|")
      #expect(try home.draft(becomes: text, while: shell))
    }

    @Test(
      "5.1: after sending or running a history line, Up finds the unfinished one",
      arguments: [("old message", "anna: old message"), ("/status", "You are anna")], [true, false])
    func historyLineLeavesTheDraftInTheHistory(old: (String, String), isSearched: Bool) throws {
      let shell = try home.shellInLobby(as: "anna")
      try shell.type("\(old.0)\r", seeing: old.1)
      try begin("precious text", in: shell)
      if isSearched {
        try shell.type("\u{12}\(old.0.prefix(5))", seeing: "\(old.0)")
        try shell.type("\u{05}", seeing: "#lobby> \(old.0)|")
      } else {
        try shell.type("\u{10}", seeing: "#lobby> \(old.0)|")
      }
      try shell.type("\r", seeing: "The line you had begun is in the history")
      try shell.expect("#lobby> |")
      #expect(try home.draft(becomes: nil, while: shell))
      try shell.type("\u{10}", seeing: "#lobby> \(old.0)|")
      try shell.type("\u{10}", seeing: "#lobby> precious text|")
      shell.kill(SIGKILL)
      #expect(shell.waitForExit(seconds: 10) == 137)
      let store = try Store(path: home.store)
      defer { store.close() }
      let me = try store.writeDurablyIfNeeded { try $0.participant(identity: "anna") }.id
      #expect(
        try store.read { try $0.inputHistory(of: me, shell: "", limit: 9) }.filter {
          $0 == "precious text"
        }.count == 1)
    }

    @Test(
      "5.1: the draft stays the unfinished line while the history is walked or searched",
      arguments: ["\u{10}", "\u{12}old mess", "\u{12}old mess\u{05}"])
    func lookingIntoTheHistory(keys: String) throws {
      let first = try home.shellInLobby(as: "anna")
      try first.type("old message\r", seeing: "anna: old message")
      try begin("fresh unsent", in: first)
      first.send(keys)
      try first.expect("old message", for: 5)
      #expect(!first.wait(for: 1.5) { !$0.picture.contains("old message") })
      first.kill(9)
      let second = try home.shell(as: "anna", ["lobby"])
      try second.expect("#lobby> fresh unsent|")
    }

    @Test("5.1: a changed history line becomes the draft; the earlier one stays")
    func changingALineOfTheHistory() throws {
      let first = try home.shellInLobby(as: "anna")
      try first.type("old message\r", seeing: "anna: old message")
      try begin("fresh unsent", in: first)
      try first.type("\u{10}", seeing: "#lobby> old message|")
      try first.type("!", seeing: "#lobby> old message!|")
      #expect(try home.draft(becomes: "old message!", while: first))
      first.kill(SIGHUP)
      #expect(first.waitForExit(seconds: 10) == 129)
      let second = try home.shell(as: "anna", ["lobby"])
      try second.expect("#lobby> old message!|")
      try second.type("\u{15}\u{10}", seeing: "#lobby> fresh unsent|")
    }

    @Test("1.11: behind a draft that came back, only a refused command is replaced")
    func commandBehindADraft() throws {
      let first = try home.shellInLobby(as: "anna")
      try begin("my draft", in: first)
      first.kill(9)
      let second = try home.shell(as: "anna", ["lobby"], columns: 120)
      try second.expect("#lobby> my draft|")
      try second.type("/unread\r", seeing: "The command is selected")
      try second.type("/list", seeing: "#lobby> my draft/list|")
      try second.type("\r", seeing: "in front of the command /list")
      // A key that ends the selection keeps both; that is not sent either.
      try second.type("\u{05}/who", seeing: "#lobby> my draft/list/who|")
      second.send("\r")
      try second.expectNever("[1]")
    }

    @Test(
      "5.1, 13.3: a line that a key takes off the screen survives a kill right after it",
      arguments: [
        ("\u{1B}q", "Line set aside"), ("\u{1B}#", "Line set aside"), ("\u{03}", "Line emptied"),
      ])
    func killedAfterTheKey(key: String, notice: String) throws {
      let first = try home.shellInLobby(as: "anna")
      try first.type("precious" + key, seeing: notice)
      first.kill(9)
      let second = try home.shell(as: "anna", ["lobby"])
      try second.expect("#lobby> precious|")
    }
  }
}
