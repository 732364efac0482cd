// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import Foundation
import Testing

extension EndToEnd {
  @Suite("Other programs: /open and notify-command")
  struct OpenAndNotifyTests {
    private let home: Home
    /// What is run: a script, read by a shell, since a file that was just written cannot always be
    /// run itself while other tests start programs.
    private let program: String

    init() throws {
      home = try Home()
      // Each argument on a line of its own.
      try home.write(
        "for word; do echo \"<$word>\" >> \"$HOME/called\"; done\n"
          + "[ -t 0 ] || [ -t 1 ] || [ -t 2 ] || echo 'no terminal' >> \"$HOME/called\"\n"
          + "echo noise; echo noise >&2\n", to: "program")
      program = "sh \(home.path)/program"
    }

    private var called: [String] {
      ((try? String(contentsOfFile: home.path + "/called", encoding: .utf8)) ?? "")
        .split(separator: "\n").map(String.init)
    }

    private func expect(
      _ shell: PseudoTerminal, called wanted: [String],
      sourceLocation: SourceLocation = #_sourceLocation
    ) {
      _ = shell.wait(for: 10) { _ in called.count >= wanted.count }
      #expect(called == wanted, sourceLocation: sourceLocation)
    }

    @Test("7.9: /open gives an address to the program as one argument, without a shell")
    func opensAddresses() throws {
      try home.say("see https://a.b/$(touch${IFS}~/pwned);x?q='1'&r=2.", as: "ben")
      let shell = try home.shellInLobby(as: "anna")
      try shell.command("/set open-command \(program) --new window")
      try shell.type("/open 1\r", seeing: "Opened https://a.b/$(touch$")
      expect(shell, called: ["<--new>", "<window>", "<https://a.b/$(touch$>", "no terminal"])
      #expect(!FileManager.default.fileExists(atPath: home.path + "/pwned"))
      try shell.expectNever("noise")
    }

    @Test("8.2: of several the list is shown, and the second number chooses; files are included")
    func choosesAmongSeveral() throws {
      try home.write("the text", to: "notes.txt")
      let shell = try home.shellInLobby(
        as: "anna", environment: ["BROWSER": program])
      try shell.type("/attach \(home.path)/notes.txt\r", seeing: "[1 file]")
      try shell.type("http://a.b and http://c.d\r", seeing: "1 anna")
      try shell.type("/open 1\r", seeing: "3  notes.txt")
      try shell.expect("2  http://c.d")
      #expect(called.isEmpty)
      try shell.type("/open 1 2\r", seeing: "Opened http://c.d")
      expect(shell, called: ["<http://c.d>", "no terminal"])
      try shell.type(
        "/open 1 4\r", seeing: "has no link or file number 4; it has only 3.")
      try shell.type("\u{15}/set open-command \(program)\r", seeing: "#lobby> |")
      try shell.type("/open 1 3\r", seeing: "Opened notes.txt")
      _ = shell.wait(for: 10) { _ in called.count == 4 }
      let path = try #require(called.dropFirst(2).first).dropFirst().dropLast()
      #expect(path.hasPrefix(home.path + "/.local/share/hobnob/"))
      #expect(try String(contentsOfFile: String(path), encoding: .utf8) == "the text")
    }

    @Test("10: nothing to open, a missing program, a failing program: each is reported")
    func refusals() throws {
      try home.say("nothing", as: "ben")
      try home.say("http://a.b", as: "ben")
      let shell = try home.shellInLobby(as: "anna")
      try shell.type("/open 1\r", seeing: "has neither a link nor a file")
      try shell.command("\u{15}/set open-command /no/such/program")
      try shell.type("/open 2\r", seeing: "/no/such/program could not be run: No such file")
      try shell.type("\u{15}/set open-command false\r", seeing: "#lobby> |")
      try shell.type("/open 2\r", seeing: "false ended with status 1; it did not open http://a.b.")
    }

    @Test(
      "7.10: notify-command gets sender, conversation and text as arguments, for calls only")
    func notifies() throws {
      try home.say("before @anna", as: "ben")
      let anna = try home.shellInLobby(as: "anna")
      try anna.command("/set notify-command \(program) -x")
      let ben = try home.shellInLobby(as: "ben")
      try ben.type("not for you, @annabel\r", seeing: "[2]")
      try ben.type("-n @anna: $(touch ~/pwned) `id` \"q\"\r", seeing: "[3]")
      let first = ["<-x>", "<ben>", "<#lobby>", "< -n @anna: $(touch ~/pwned) `id` \"q\">"]
      expect(anna, called: first + ["no terminal"])
      try anna.type("@anna, myself\r", seeing: "[4]")
      try ben.type("/msg anna psst\r", seeing: "psst")
      let second = ["<-x>", "<ben>", "<@ben>", "<psst>", "no terminal"]
      expect(anna, called: first + ["no terminal"] + second)
      #expect(!FileManager.default.fileExists(atPath: home.path + "/pwned"))
      try anna.expectNever("noise")
      #expect(zombies(of: anna).isEmpty)
    }

    /// Children that have ended and that nobody took note of.
    private func zombies(of shell: PseudoTerminal) -> [String] {
      var found: [String] = []
      // One look decides: at the next, another may just have ended.
      _ = shell.wait(for: 5) { _ in
        found = (try? ended(of: shell)) ?? []
        return found.isEmpty
      }
      return found
    }

    private func ended(of shell: PseudoTerminal) throws -> [String] {
      let own = shell.processIdentifier
      let children = try String(
        contentsOfFile: "/proc/\(own)/task/\(own)/children", encoding: .utf8)
      return children.split(separator: " ").map(String.init).filter {
        let stat = (try? String(contentsOfFile: "/proc/\($0)/stat", encoding: .utf8)) ?? ""
        return stat.contains(") Z ")
      }
    }

    @Test("7.10: a missing notify-command is reported once, and blocks nothing")
    func missingNotifier() throws {
      let anna = try home.shellInLobby(as: "anna")
      try anna.command("/set notify-command /no/such/program")
      for number in 1...3 { try home.say("@anna \(number)", as: "ben") }
      try anna.expect("@anna 3")
      let said = anna.emulator.history.count { $0.contains("/no/such/program could not be run") }
      #expect(said == 1)
    }

    /// One character to whoever reads: leading jamo go on for ever.
    private static let giant = String(repeating: "\u{1100}", count: 200_000)

    @Test(
      "7.10: only the start of an overlong text is an argument, never half a code point")
    func giantCharacter() throws {
      let anna = try home.shellInLobby(as: "anna")
      try anna.command("/set notify-command \(program)")
      try home.say("@anna \(Self.giant)", as: "ben")
      expect(anna, called: ["<ben>", "<#lobby>", "<@anna >", "no terminal"])
      try home.say(Self.giant, as: "ben", in: "@anna")
      _ = anna.wait(for: 10) { _ in called.count >= 8 }
      let text = try #require(called.dropFirst(6).first)
      #expect(text.unicodeScalars.dropFirst().dropLast().allSatisfy { $0 == "\u{1100}" })
      #expect((3000...4002).contains(text.utf8.count))
    }

    @Test("7.10: in a burst the last call says how many it stands for")
    func burst() throws {
      try home.write(
        "echo \"$3\" >> \"$HOME/called\"; while [ -d \"$HOME\" ] && [ ! -e \"$HOME/go\" ]; do sleep 0.02; done\n",
        to: "program")
      let anna = try home.shellInLobby(as: "anna")
      try anna.command("/set notify-command \(program)")
      let mentions = (1...100).map { "@anna \($0)\n" }.joined()
      #expect(try home.run(["lobby", "--as", "ben"], input: mentions).status == 0)
      try anna.expect("@anna 100")
      _ = anna.wait(for: 10) { _ in called.count >= 16 }
      #expect(Set(called) == Set((1...16).map { "@anna \($0)" }))
      try home.write("", to: "go")
      _ = anna.wait(for: 10) { _ in called.count >= 17 }
      #expect(called.count == 17 && called.last == "@anna 100 (and 83 more)", "\(called)")
    }

    @Test("7.10: what waits for its turn is dropped once notify-command is off")
    func offInABurst() throws {
      try home.write(
        "echo x >> \"$HOME/called\"; while [ -d \"$HOME\" ] && [ ! -e \"$HOME/go\" ]; do sleep 0.02; done\n",
        to: "program")
      let anna = try home.shellInLobby(as: "anna", rows: 40)
      try anna.command("/set notify-command \(program)")
      // The name of a program that is there.
      let mentions = (1...20).map { "@anna \($0)\n" }.joined()
      #expect(try home.run(["lobby", "--as", "mkdir"], input: mentions).status == 0)
      try anna.expect("@anna 20")
      _ = anna.wait(for: 10) { _ in called.count >= 16 }
      try anna.command("/set notify-command off")
      try home.write("", to: "go")
      #expect(zombies(of: anna).isEmpty)
      try anna.type("still here\r", seeing: "still here")
      #expect(called.count == 16)
      #expect(!FileManager.default.fileExists(atPath: "#lobby"))
    }

    @Test("7.10: a program's words may be quoted as for a shell; nothing else is read like one")
    func quotedWords() throws {
      let anna = try home.shellInLobby(as: "anna")
      try anna.command("/set notify-command \(program) 'two words' \"a $HOME\" b\\ c ''")
      try home.say("@anna", as: "ben")
      expect(
        anna,
        called: [
          "<two words>", "<a $HOME>", "<b c>", "<>", "<ben>", "<#lobby>", "<@anna>", "no terminal",
        ])
    }

    @Test("10: a program of several words can be in the rc file")
    func inTheFile() throws {
      try home.write("/set notify-command \(program) -a b\n", to: "rc")
      let anna = try home.shellInLobby(as: "anna", ["--rc", home.path + "/rc"])
      try home.say("@anna", as: "ben")
      expect(anna, called: ["<-a>", "<b>", "<ben>", "<#lobby>", "<@anna>", "no terminal"])
    }
  }
}
