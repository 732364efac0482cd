// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import Testing

extension EndToEnd {
  @Suite("7.9: What is marked in a message")
  struct MarksTests {
    private static let text = "hi @anna, @cleo: https://a.b/c in #tea"

    @Test("addresses, people and rooms are marked, and I most of all")
    func marks() throws {
      let home = try Home()
      try home.say(Self.text, as: "ben")
      let anna = try home.shellInLobby(as: "anna")
      try anna.expect(Self.text)
      #expect(anna.style(of: "https://a.b/c")?.isUnderlined == true)
      #expect(anna.style(of: "#tea")?.isBold == true)
      #expect(anna.style(of: "@cleo")?.isBold == true)
      #expect(anna.style(of: "@cleo")?.isReverse == false)
      #expect(anna.style(of: "@anna")?.isReverse == true)
      #expect(anna.style(of: " in ")?.isPlain == true)
      // After /nick the new name is me as well.
      try anna.type("/nick annie\r", seeing: "Others now see you as annie")
      try home.say("well @annie", as: "ben")
      try anna.expect("well @annie")
      #expect(anna.waits(forStyleOf: "@annie") { $0.isReverse })
    }

    @Test("mentions of me have the theme's colour; without styles only I am marked")
    func followsTheTheme() throws {
      let home = try Home()
      let anna = try home.shellInLobby(as: "anna")
      try anna.command("/set accent magenta")
      try home.say(Self.text, as: "ben")
      try anna.expect(Self.text)
      #expect(anna.waits(forStyleOf: "@anna") { $0.foreground == 5 })
      try anna.command("/set styling off")
      try home.say("bare https://d.e @cleo @anna", as: "ben")
      try anna.expect("bare ")
      #expect(anna.style(of: "https://d.e")?.isPlain == true)
      #expect(anna.style(of: "@cleo")?.isPlain == true)
      #expect(anna.waits(forStyleOf: "@anna") { $0.isReverse })
    }

    private static let open = "\u{1B}]8;;https://a.b/c\u{1B}\\"
    private static let close = "\u{1B}]8;;\u{1B}\\"

    private static func written(_ shell: PseudoTerminal) -> String {
      String(decoding: shell.output, as: UTF8.self)
    }

    @Test(
      "addresses are links if the terminal supports them, or by setting",
      arguments: [
        (["TERM": "foot"], nil, true), (["VTE_VERSION": "7200"], nil, true),
        (["VTE_VERSION": "4800"], nil, false), ([:], nil, false), ([:], "on", true),
        (["TERM": "foot"], "off", false), (["TERM": "foot", "TMUX": "/tmp/x,1,0"], nil, false),
      ] as [([String: String], String?, Bool)])
    func links(environment: [String: String], setting: String?, isLinked: Bool) throws {
      let home = try Home()
      let anna = try home.shellInLobby(as: "anna", environment: environment)
      if let setting { try anna.command("/set links \(setting)") }
      try home.say(Self.text, as: "ben")
      try anna.expect(Self.text)
      let written = Self.written(anna)
      #expect(written.contains("\u{1B}]8;") == isLinked)
      if isLinked {
        let link = try #require(written.firstRange(of: Self.open))
        let end = try #require(written[link.upperBound...].firstRange(of: Self.close))
        let between = written[link.upperBound..<end.lowerBound]
          .replacing(/\u{1B}\[[0-9;]*m/, with: "")
        #expect(between == "https://a.b/c", "a link is what it says")
      }
    }

    @Test("only four schemes are links, and plain mode sends none at all")
    func harmlessOnly() throws {
      let home = try Home()
      let anna = try home.shellInLobby(as: "anna")
      try anna.command("/set links on")
      try home.say("file:///etc/passwd javascript:alert(1) ssh://x data:text/html,y", as: "ben")
      try anna.expect("data:text")
      #expect(!Self.written(anna).contains("\u{1B}]8;"))
      let plain = try home.shell(as: "anna", ["--plain", "lobby"])
      try plain.type("/set links on\r", seeing: "lobby> ")
      try home.say(Self.text, as: "ben")
      try plain.expect("in #tea")
      #expect(!plain.output.contains(0x1B))
    }

    @Test("12.1: hostile text makes no link of its own")
    func hostileLinks() throws {
      let home = try Home()
      let anna = try home.shellInLobby(as: "anna")
      try anna.command("/set links on")
      try home.say("\u{1B}]8;;https://evil.org\u{1B}\\good\u{1B}]8;;\u{1B}\\ done", as: "ben")
      try anna.expect("done")
      let targets = Self.written(anna).matches(of: /\u{1B}\]8;;([^\u{1B}]*)\u{1B}/).map(\.1)
      #expect(Set(targets) == ["", "https://evil.org"])
      #expect(anna.emulator.history.contains { $0.contains("^[]8;;https://evil.org^[") })
    }
  }
}

extension Emulator.Style {
  fileprivate var isPlain: Bool {
    !isBold && !isUnderlined && !isReverse && foreground == nil
  }
}
