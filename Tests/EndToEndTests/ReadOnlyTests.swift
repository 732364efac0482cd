// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Emulator
import Foundation
import Testing

extension EndToEnd {
  @Suite("11.3: Reading changes nothing")
  struct ReadOnlyTests {
    private let home: Home

    init() throws {
      home = try Home()
      try home.say("hello", as: "ben")
    }

    private var people: [String] {
      get throws {
        let store = try Store(path: home.store)
        defer { store.close() }
        return try store.read { try $0.participants() }.map(\.identity)
      }
    }

    @Test(
      "a mistyped name is no one: no person is created",
      arguments: [
        (["log", "lobby"], 0, "[1] ben: hello"), (["search", "hello"], 0, "[1] ben: hello"),
        (["unread", "--count"], 0, "0"), (["unread"], 0, ""),
        (["wait", "lobby", "--timeout", "1"], 1, "No message arrived in #lobby within 1 s."),
        (["wait", "--timeout", "1"], 1, "No one named typo has used this store."),
        (["log", "@ben"], 1, "There is no direct chat with @ben."),
        (["export", "nosuch"], 1, "There is no room nosuch, so nothing was exported."),
        (["export", "@nosuch"], 1, "No one named @nosuch has used this store."),
      ])
    func typo(arguments: [String], status: Int32, said: String) throws {
      let finished = try home.run(arguments + ["--as", "typo"])
      #expect(finished.status == status)
      #expect(said.isEmpty || (finished.output + finished.errors).contains(said), "\(finished)")
      #expect(try people == ["ben"])
      #expect(
        try home.run(arguments + ["--as", "two words"]).status
          == (arguments[0] == "export" ? status : 64))
    }

    @Test("importing a folder is refused with its name; - is standard input")
    func importedFiles() throws {
      let empty = home.path + "/new.sqlite"
      let folder = try home.run(["import", home.path, "--store", empty])
      #expect(folder.status == 1)
      #expect(folder.errors == "hobnob: \(home.path) cannot be read: Is a directory.\n")
      #expect(!FileManager.default.fileExists(atPath: empty))
      let text = "2026-11-20 10:00:00\tben\tlong ago\n"
      let piped = try home.run(["import", "--conversation", "tea", "-"], input: text)
      #expect(piped.status == 0 && piped.output.contains("Messages: 1 new"), "\(piped)")
      #expect(try home.run(["log", "tea"]).output.contains("[1] ben: long ago"))
    }

    @Test("what a conversation no longer keeps is not imported, and the summary counts it")
    func tooOld() throws {
      try home.write("2020-11-20 10:00:00\tben\tlong ago\n", to: "old.log")
      let store = try Store(path: home.store)
      try store.writeDurablyIfNeeded {
        try $0.setKeep(try #require(try $0.room("lobby")).id, 365 * 86_400_000)
      }
      store.close()
      let done = try home.run(
        ["import", "--conversation", "lobby", home.path + "/old.log", "--as", "anna"])
      #expect(done.status == 0 && done.output.contains("Messages: 0 new"), "\(done)")
      #expect(done.output.contains("because they are too old (/set keep): 1"))
    }
  }
}
