// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import Foundation
import Testing

extension EndToEnd {
  @Suite("hobnob demo")
  struct DemoTests {
    private let home: Home
    /// Where it makes its folder.
    private let place: String

    init() throws {
      home = try Home()
      place = home.path + "/run"
      try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
    }

    private func demo(as name: String = "anna", _ arguments: [String] = []) throws
      -> PseudoTerminal
    {
      let shell = try PseudoTerminal(
        command: [Home.program, "demo", "--as", name] + arguments,
        environment: home.environment.merging(["XDG_RUNTIME_DIR": place]) { _, new in new })
      try shell.expect("#lobby> |")
      return shell
    }

    private var folders: [String] {
      ((try? FileManager.default.contentsOfDirectory(atPath: place)) ?? []).sorted()
    }

    @Test("two people have a history, a direct message waits, and they answer what one does")
    func answers() throws {
      let shell = try demo()
      try shell.expect("2 others here · topic: tea ──\n")
      try shell.expect("I can bring mine tomorrow")
      try shell.expect("This is a demonstration: ada and ben are made-up")
      try shell.expect("@ada 1")
      shell.send("hello\r")
      try shell.expect("ben is typing")
      try shell.expect("ben: Welcome, anna!")
      try shell.expect("seen")
      try shell.type("/edit\r", seeing: "edit 7> hello|")
      try shell.type(" all\r", seeing: "We all have your new text now")
      try shell.type("@ada: tea?\r", seeing: "ada: @anna: here I am.")
      try shell.type("+:tada:\r", seeing: "ada: Thank you for that, anna!")
      try shell.type("/next\r", seeing: "hello anna! Only you and I can read this chat.")
      try shell.type("thanks\r", seeing: "ada: Nobody else reads this.")
    }

    @Test("it leaves nothing behind", arguments: ["/quit", "SIGHUP", "SIGTERM"])
    func leaving(how: String) throws {
      let before = try FileManager.default.subpathsOfDirectory(atPath: home.path)
      let shell = try demo()
      #expect(folders.count == 1)
      switch how {
      case "/quit":
        shell.send("/quit\r")
        #expect(shell.waitForExit(seconds: 10) == 0)
      case "SIGHUP":
        shell.hangUp()
        #expect(shell.waitForExit(seconds: 10) == 129)
      default:
        shell.kill(SIGTERM)
        #expect(shell.waitForExit(seconds: 10) == 143)
      }
      #expect(try FileManager.default.subpathsOfDirectory(atPath: home.path) == before)
    }

    @Test("the next one removes what a killed one left, and nothing that is in use")
    func killed() throws {
      let killed = try demo()
      killed.kill(SIGKILL)
      #expect(killed.waitForExit(seconds: 10) == 137)
      let left = folders
      try home.write("mine", to: "run/hobnob-demo-notes")
      #expect(left.count == 1)
      let second = try demo()
      let used = folders
      #expect(used.count == 2 && !used.contains(left[0]))
      let third = try demo(as: "ben")
      try third.expect("This is a demonstration: ada and cleo are made-up")
      #expect(Set(folders).isSuperset(of: used) && folders.count == 3)
      try second.type("hello\r", seeing: "ben: Welcome, anna!")
      for shell in [second, third] {
        shell.send("\u{04}")
        #expect(shell.waitForExit(seconds: 10) == 0)
      }
      #expect(folders == ["hobnob-demo-notes"])
    }

    @Test("it has the person's settings, and no account can write elsewhere")
    func settings() throws {
      try home.write("/alias hi /me waves\n", to: ".config/hobnob/hobnobrc")
      let shell = try demo()
      try shell.type("/hi\r", seeing: "anna waves")
      try shell.type(
        "/account add a@x.org\r", seeing: "The demonstration has no accounts. To add one, leave")
      #expect(!FileManager.default.fileExists(atPath: home.path + "/.config/hobnob/accounts"))
    }

    @Test("without a terminal, or with a store, it is refused")
    func refusals() throws {
      let piped = try home.run(["demo"], input: "hello\n")
      #expect(piped.status == 1 && piped.errors.contains("needs a terminal"))
      let stored = try home.run(["demo", "--store", home.store])
      #expect(stored.status == 64 && stored.errors.contains("leave out --store"))
      #expect(folders == [])
      #expect(try home.run(["open", "demo", "--as", "anna"]).status == 0)
      #expect(try home.run(["log", "demo", "--as", "anna"]).status == 0)
    }
  }
}
