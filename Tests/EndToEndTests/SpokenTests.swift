// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import Foundation
import Testing

extension EndToEnd {
  @Suite("11.5: What a screen reader hears")
  struct SpokenTests {
    private let home: Home

    init() throws {
      home = try Home()
    }

    /// A way to turn it on: arguments, environment, and a line of the rc file.
    struct Way: Sendable, CustomTestStringConvertible {
      var arguments: [String] = []
      var environment: [String: String?] = [:]
      var rc = ""
      var testDescription: String { "\(arguments) \(environment) \(rc)" }

      static let all = [
        Way(arguments: ["--plain"]), Way(environment: ["TERM": "dumb"]),
        Way(environment: ["HOBNOB_ACCESSIBLE": "1"]), Way(rc: "/set accessible on\n"),
      ]
    }

    private func shell(_ way: Way, rows: Int = 24) throws -> PseudoTerminal {
      if !way.rc.isEmpty { try home.write(way.rc, to: ".config/hobnob/hobnobrc") }
      return try home.shellInLobby(
        as: "anna", way.arguments, rows: rows, environment: way.environment)
    }

    /// Waits until the listener has spoken a row.
    private func hear(
      _ row: String, from shell: PseudoTerminal, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
      let isHeard = shell.wait(for: 10) { _ in Listener(shell.output).spoken.contains(row) }
      try #require(
        isHeard, "no “\(row)” in \(Listener(shell.output).spoken)", sourceLocation: sourceLocation)
    }

    @Test(
      "each event is spoken once, in order, in words, and nothing is rewritten", arguments: Way.all)
    func events(way: Way) throws {
      try home.say("hello *there*", as: "ben")
      let anna = try shell(way)
      try home.say("while you wait, @anna", as: "ben")
      try hear("[2, for you] ben: while you wait, @anna", from: anna)
      try anna.type("half a li", seeing: "#lobby> half a li|")
      try home.say("while you type\nin two rows", as: "ben")
      try hear("  in two rows", from: anna)
      try anna.expect("#lobby> half a li|")
      try anna.type("ne\r", seeing: "anna: half a line")
      let ben = try home.shellInLobby(as: "ben")
      for (keys, heard) in [
        ("/edit\r\u{15}\u{7F}\u{15}changed\r", "edited [3] ben: changed"),
        ("/react 1 :tada:\r", "- ben reacted with 🎉 to [1] hello *there*"),
        ("/react 1 :tada:\r", "- ben removed 🎉 from [1]"),
        ("/delete 2\r", "- ben deleted [2]"),
        ("/reply 4 yes\r", "[5] ben: yes"),
        ("/me waves at @anna\r", "[6, for you] - ben waves at @anna"),
        ("/topic tea\r", "- ben changed the topic: tea"),
        ("/nick benny\r", "ben is now benny"),
      ] {
        ben.send(keys)
        try hear(heard, from: anna)
      }
      _ = try home.run(["open", "tea", "--as", "cleo", "--no-rc"], input: "/join lobby\n")
      try hear("- cleo joined", from: anna)
      try anna.type("/status\r", seeing: "Your newest message")
      try anna.type("/quit", seeing: "/quit|")
      anna.send("\r")
      #expect(anna.waitForExit(seconds: 10) == 0)
      let listener = Listener(anna.output)
      #expect(listener.offences.isEmpty)
      var spoken = listener.spoken
      #expect(spoken.removeFirst().hasPrefix("#lobby, "))
      #expect(
        Array(spoken.prefix(16)) == [
          "[1] ben: hello *there*", "[2, for you] ben: while you wait, @anna",
          "[3] ben: while you type", "  in two rows", "[4] anna: half a line",
          "edited [3] ben: changed", "- ben reacted with 🎉 to [1] hello *there*",
          "- ben removed 🎉 from [1]", "- ben deleted [2]",
          "in answer to [4] anna: half a line", "[5] ben: yes",
          "[6, for you] - ben waves at @anna", "- ben changed the topic: tea", "ben is now benny",
          "- cleo joined", "You are anna in #lobby.",
        ])
      #expect(spoken.contains { $0.hasPrefix("Your newest message here, [4], is ") })
      // The line came back below what had interrupted it, and was spoken whole once.
      #expect(listener.typed.count { $0 == "#lobby> half a line" } == 1)
    }

    @Test("a list of candidates is numbered, one a row, and M-2 TAB takes the second")
    func numberedCandidates() throws {
      for name in ["carl", "cleo", "coco"] { try home.say("hello", as: name) }
      let anna = try shell(Way(arguments: ["--plain"]))
      try anna.type("@c\t\t", seeing: "#lobby> @c|")
      try hear("M-2 TAB picks candidate number 2.", from: anna)
      try anna.type("\u{1B}2\t", seeing: "#lobby> @cleo: |")
      try anna.type("\u{15}see (@c\t\t", seeing: "#lobby> see (@c|")
      // It is said only once; a number that is none lists them again.
      try anna.type("\u{1B}9\t", seeing: "#lobby> see (@c|")
      try anna.type("\u{1B}3\t", seeing: "#lobby> see (@carl |")
      let listener = Listener(anna.output)
      #expect(listener.offences.isEmpty)
      let list = ["1 @coco", "2 @cleo", "3 @carl"]
      #expect(
        Array(listener.spoken.dropFirst(4)) == list + ["M-2 TAB picks candidate number 2."] + list
          + list)
    }

    @Test("1.9, 13.4: the answers to a question are numbered, and the numbers answer it")
    func numberedAnswers() throws {
      _ = try home.run(["--as", "ben", "--no-rc"], input: "/join teapot\n")
      let anna = try shell(Way(arguments: ["--plain"]))
      try anna.type("/join teapots\r", seeing: "any other key: neither")
      try anna.type("1", seeing: "#teapot> |")
      try anna.type("/join teapots\r", seeing: "any other key: neither")
      try anna.type("2", seeing: "#teapots> |")
      try anna.type("/set ask-lines 1\r", seeing: "#teapots> |")
      try anna.type("one\u{1B}\rtwo\r", seeing: "any other key: go back")
      try anna.type("3", seeing: "#teapots> one^Jtwo|")
      try anna.type("\r", seeing: "any other key: go back")
      try anna.type("1", seeing: "anna: one")
      let listener = Listener(anna.output)
      #expect(listener.offences.isEmpty)
      let first = try #require(listener.spoken.firstIndex { $0.hasPrefix("There is no room") })
      #expect(
        listener.spoken[first...].prefix(4) == [
          "There is no room #teapots.", "1 y: join #teapot", "2 m: make #teapots",
          "any other key: neither",
        ])
      let lines = try #require(listener.spoken.firstIndex { $0 == "2 lines." })
      #expect(
        listener.spoken[lines...].prefix(4) == [
          "2 lines.", "1 Return: send", "2 f: send as a file", "any other key: go back",
        ])
    }

    @Test("answers of commands have neither columns nor signs, and no pager")
    func commandAnswers() throws {
      try home.say("hello", as: "ben")
      _ = try home.run(["--as", "anna", "--no-rc"], input: "/join tea\n")
      _ = try home.run(
        ["--as", "ben", "--no-rc"], input: "/join tea\nsee @anna\n/react 1 :tada:\n")
      try home.write("three", to: "cups")
      let paged = "sh -c 'touch ~/paged'"
      let anna = try shell(Way(arguments: ["--plain"], environment: ["PAGER": paged]), rows: 5)
      try anna.type("mine\r", seeing: "anna: mine")
      try home.say("/join lobby", as: "cleo")
      for command in [
        "/attach ~/cups", "/attach", "/list", "/who", "/can", "/set", "/set bell", "/help",
        "/help edit", "/keys", "/keys irssi", "/unread", "/outbox", "/history", "/info 1",
        "/info 2", "/account", "/search hello", "/drafts", "/alias j /join", "/alias", "/theme",
        "/status", "/tutorial", "/tutorial stop",
      ] {
        anna.send(command + "\r")
        anna.settle()
      }
      try anna.type("\u{15}the end", seeing: "#lobby> the end|")
      let listener = Listener(anna.output)
      #expect(listener.offences.isEmpty)
      let signs = /[─-╿▀-▟←-⇿✎✓✗»≈·]/
      for row in listener.spoken {
        let text = row.drop { $0 == " " }
        #expect(!text.contains("  ") && text.firstMatch(of: signs) == nil, "\(row)")
      }
      #expect(!FileManager.default.fileExists(atPath: home.path + "/paged"))
      for row in [
        "  1 #lobby: open, last message ", "  2 #tea: 1 unread, 1 mention, last message ",
        "  anna: here", "  edit: at any time; ", "bell on, ring the bell ", "  next-unread: M-a",
      ] {
        #expect(listener.spoken.contains { $0.hasPrefix(row) }, "\(row) \(listener.spoken)")
      }
    }

    @Test("errors are spoken as sentences, the line stays, and copying is refused alone")
    func errors() throws {
      let anna = try shell(Way(arguments: ["--plain"]))
      anna.send("/fooo\r")
      try hear(
        "/fooo is not a command. /help lists them; to send the line, begin it with //.", from: anna)
      try home.say("hello", as: "ben")
      try hear("[1] ben: hello", from: anna)
      anna.send("/copy 1\r")
      try hear(
        "hobnob cannot copy in plain mode, which sends no control sequences to the terminal.",
        from: anna)
      try anna.expect("#lobby> /copy 1|")
      anna.send("/set accessible off\r")
      try hear(
        "The setting “accessible” takes effect only when hobnob starts: put it in hobnobrc, or start hobnob with --plain.",
        from: anna)
      let listener = Listener(anna.output)
      #expect(listener.offences.isEmpty)
      #expect(!listener.spoken.contains { $0.hasPrefix("Copied") })
    }
  }
}
