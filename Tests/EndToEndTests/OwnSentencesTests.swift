// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import Testing

extension EndToEnd {
  @Suite("What hobnob says itself")
  struct OwnSentencesTests {
    private let home: Home

    init() throws {
      home = try Home()
      try home.write("/set nosuch on\n", to: "bad")
    }

    /// The rows of the screen and above as one text, as a reader puts them together.
    private func read(_ emulator: Emulator) -> String {
      emulator.history.flatMap { $0.split(separator: " ") }.joined(separator: " ")
    }

    @Test(
      "is broken between words if it is wider than the terminal",
      arguments: [
        (
          "/theme nosuch",
          "no theme nosuch; the themes are contrast, default, imessage, messenger, plain, slack."
        ),
        ("/source ~/missing", "/missing cannot be read: No such file or directory."),
        ("/source ~/bad", "/bad, line 1: nosuch is not a setting; /set lists them."),
      ])
    func isBrokenBetweenWords(line: String, sentence: String) throws {
      let shell = try home.shellInLobby(as: "anna", columns: 41)
      shell.send(line + "\r")
      #expect(shell.wait(for: 5) { read($0).contains(sentence) }, "\(shell.emulator.picture)")
    }

    @Test("also what it says unasked: a missing notify-command")
    func notifier() throws {
      try home.write("/set notify-command /no/such/notifier\n", to: ".config/hobnob/hobnobrc")
      let shell = try home.shellInLobby(as: "anna", columns: 41)
      try home.say("@anna: hello", as: "ben")
      #expect(
        shell.wait(for: 5) {
          read($0).contains(
            "notify-command /no/such/notifier could not be run: No such file or directory.")
        }, "\(shell.emulator.picture)")
    }

    @Test("notices about hobnobrc stand just above the prompt, below earlier output")
    func complaintsAboveThePrompt() throws {
      try home.write("/set nosuch on\n", to: ".config/hobnob/hobnobrc")
      for number in 1...3 { try home.say("line \(number)", as: "ben") }
      let shell = try home.shellInLobby(as: "anna", columns: 70)
      try shell.expect("lists")
      let shown = shell.emulator.history
      let last = try #require(shown.firstIndex { $0.contains("line 3") })
      let said = try #require(shown.firstIndex { $0.contains("hobnobrc") })
      let prompt = try #require(shown.firstIndex { $0.hasPrefix("#lobby>") })
      #expect(last < said && said < prompt, "\(shown)")
      #expect(read(shell.emulator).contains("line 1: nosuch is not a setting; /set lists them."))
    }
  }
}
