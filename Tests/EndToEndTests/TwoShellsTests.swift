// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import Testing

extension EndToEnd {
  @Suite("Two shells in tmux")
  struct TwoShellsTests {
    /// What people write: several scripts, wide characters, emoji.
    private static let texts = [
      "hello", "naïve café", "漢字かな交じり文", "Привет, мир", "안녕하세요", "Καλημέρα",
      "🎉 done 🍵", "नमस्ते", "สวัสดี",
      "a rather long line that goes on and on, well beyond the end of "
        + "the row, so that it has to be broken somewhere between two of its many words",
    ]

    @Test("1.14: a thousand lines are in both scrollbacks, each once and in order")
    func exchangedLinesAreEachThereOnce() throws {
      let home = try Home()
      let tmux = try Tmux(home: home)
      let anna = try tmux.shell(as: "anna", ["lobby"], rows: 30, columns: 100)
      let ben = try tmux.shell(as: "ben", ["lobby"], rows: 30, columns: 80)
      for pane in [anna, ben] {
        try pane.expect { $0.contains { $0.hasPrefix("#lobby>") } }
        // The terminal marks pastes: what comes without marks was typed.
        try pane.press("-H", "1b", "5b", "32", "30", "31", "7e")
      }

      var bodies: [String: [String]] = ["a": [], "b": []]
      for block in 0..<20 {
        for (writer, pane) in [("a", anna), ("b", ben)] {
          let lines = (0..<25).map { index in
            let number = block * 25 + index
            return "\(writer)\(number). \(Self.texts[number % Self.texts.count])"
          }
          bodies[writer, default: []] += lines
          try pane.type(lines.map { $0 + "\n" }.joined())
        }
      }

      for (name, pane) in [("anna", anna), ("ben", ben)] {
        try pane.expect(for: 60) { _ in Self.isComplete((try? pane.history()) ?? []) }
        let history = try pane.unbrokenHistory()
        for writer in ["a", "b"] {
          let shown = history.compactMap { line in Self.message(in: line, by: writer) }
          // Not one comparison: a thousand lines would bury what differs.
          let wanted = bodies[writer] ?? []
          let wrong = zip(shown, wanted).first { $0 != $1 }
          #expect(wrong == nil, "in \(name)'s scrollback")
          #expect(shown.count == wanted.count, "in \(name)'s scrollback")
        }
        // Nothing of the prompt is left behind between the messages.
        let prompts = history.filter { $0.hasPrefix("#lobby>") }
        #expect(prompts.count == 1, "\(name)'s scrollback has \(prompts.count) prompts")
      }
    }

    private static func isComplete(_ history: [String]) -> Bool {
      ["a", "b"].allSatisfy { writer in
        history.contains { message(in: $0, by: writer)?.hasPrefix("\(writer)499.") == true }
      }
    }

    /// The body of a message line of this writer: `12:03 [8] anna: a7. hello`.
    private static func message(in line: String, by writer: String) -> String? {
      guard let match = line.firstMatch(of: #/^ (?:\d\d:\d\d|     ) +\d+ .*?\b([ab])(\d+\. .*)$/#),
        match.1 == writer
      else { return nil }
      return "\(match.1)\(match.2)"
    }

    @Test("1.14: seven resizes with messages between lose and double nothing")
    func resizesLoseAndDoubleNothing() throws {
      let home = try Home()
      let tmux = try Tmux(home: home)
      let anna = try tmux.shell(as: "anna", ["lobby"], rows: 24, columns: 80)
      try anna.expect { $0.contains { $0.hasPrefix("#lobby>") } }
      try anna.type("half a line")
      let sizes = [(20, 50), (30, 100), (12, 37), (24, 80), (10, 60), (40, 120), (24, 50)]
      var said: [String] = []
      for (index, size) in sizes.enumerated() {
        for part in 0..<3 {
          let text = "resize \(index).\(part) " + String(repeating: "words and ", count: part * 4)
          said.append("resize \(index).\(part)")
          try home.say(text, as: "ben")
        }
        let last = said[said.count - 1]
        try anna.expect { screen in screen.contains { $0.contains(last) } }
        try anna.resize(rows: size.0, columns: size.1)
        try anna.expect { screen in
          screen.last { $0.hasPrefix("#lobby>") } == "#lobby> half a line"
        }
      }
      try home.say("the end", as: "ben")
      try anna.expect { $0.contains { $0.contains("the end") } }
      let history = try anna.unbrokenHistory()
      for text in said {
        let there = history.filter { $0.contains(text) }
        #expect(there.count == 1, "\(text): \(there)")
      }
      for line in history where line.contains("words and ") {
        #expect(line.contains(/resize [0-9.]+ (words and )*words and$/))
      }
      #expect(history.count { $0.hasPrefix("#lobby>") } == 1, "\(history)")
      #expect(history.count { $0.contains("anna, ") } == 1, "\(history)")
    }

    @Test("the smallest terminals and back: no crash, one prompt, the line as it was")
    func tinyTerminals() throws {
      let home = try Home()
      let tmux = try Tmux(home: home)
      let anna = try tmux.shell(as: "anna", ["lobby"])
      try anna.expect { $0.contains { $0.hasPrefix("#lobby>") } }
      try anna.type("half a 漢字 line")
      for size in [(5, 20), (2, 3), (1, 1), (200, 500)] {
        try anna.resize(rows: size.0, columns: size.1)
        try home.say("at \(size.0)", as: "ben")
      }
      try anna.resize(rows: 24, columns: 80)
      try anna.expect { screen in
        screen.last { $0.hasPrefix("#lobby>") } == "#lobby> half a 漢字 line"
      }
      try anna.press("Enter")
      try anna.expect { $0.contains { $0.hasSuffix("anna: half a 漢字 line") } }
    }

    @Test(
      "1.14: a screen too small for the prompt, and back: one prompt, one status line",
      arguments: [[(5, 20), (200, 500), (1, 1)], [(5, 20), (2, 3)], [(1, 1)]], [0, 3, 30])
    func smallAndBack(sizes: [(rows: Int, columns: Int)], messages: Int) throws {
      let home = try Home()
      for number in 0..<messages { try home.say("message \(number)", as: "ben") }
      let tmux = try Tmux(home: home)
      let anna = try tmux.shell(as: "anna", ["lobby"])
      try anna.expect { $0.contains { $0.hasPrefix("#lobby>") } }
      let text = "a half typed line that is quite long"
      try anna.type(text)
      for (rows, columns) in sizes {
        try anna.resize(rows: rows, columns: columns)
        // tmux tells the program a while after it has wrapped the rows; these show it was drawn.
        try anna.expect { screen in
          switch columns {
          case 500: screen.contains("#lobby> " + text)
          case 20: screen.contains { $0.hasPrefix("         is quite l") }
          default: true
          }
        }
      }
      try anna.resize(rows: 24, columns: 80)
      try anna.expect { screen in
        screen.contains("#lobby> " + text) && screen.count { $0.hasPrefix("#lobby>") } == 1
          && screen.count { $0.hasPrefix("anna, ") } == 1
      }
    }

    @Test("1.14: a screen that is small for a moment loses nothing below the line")
    func smallForAMoment() throws {
      let home = try Home()
      let tmux = try Tmux(home: home)
      let anna = try tmux.shell(as: "anna", ["lobby"])
      try anna.expect { $0.contains { $0.hasPrefix("anna, ") } }
      try anna.resize(rows: 2, columns: 80)
      try anna.resize(rows: 24, columns: 80)
      try anna.expect { screen in
        screen.count { $0.hasPrefix("#lobby>") } == 1 && screen.last?.hasPrefix("anna, ") == true
      }
    }

    @Test("1.14: a width that lasts a moment takes no message with it")
    func narrowForAMoment() throws {
      let home = try Home()
      let tmux = try Tmux(home: home)
      let anna = try tmux.shell(as: "anna", ["lobby"])
      try anna.expect { $0.contains { $0.hasPrefix("anna, ") } }
      var said = (1...20).map { "message \($0)." }
      _ = try home.run(["lobby", "--as", "ben"], input: said.joined(separator: "\n"))
      try anna.expect { $0.contains { $0.hasSuffix("message 20.") } }
      // tmux tells of the width that has gone again a moment after, for a quarter of a second.
      try anna.type(
        "a line that is long enough to be wrapped here, at eighty columns, and twice at 40")
      for columns in [40, 33, 20, 70, 41] {
        try anna.resize(rows: 24, columns: columns)
        try anna.resize(rows: 24, columns: 80)
        said.append("after \(columns).")
        try home.say("after \(columns).", as: "ben")
        try anna.expect { screen in
          let isThere = screen.contains { $0.hasSuffix("after \(columns).") }
          return isThere && screen.count { $0.hasPrefix("#lobby>") } == 1
        }
      }
      try anna.type("!")
      try anna.expect { $0.contains { $0.hasSuffix("40!") } }
      let history = try anna.history()
      for text in Set(said) {
        let count = said.count { $0 == text }
        #expect(history.count { $0.hasSuffix(text) } == count, "\(text)\n\(history)")
      }
    }

    @Test("1.14: behind a second, unreported resize, a message leaves no old prompt")
    func resizedTwice() throws {
      let home = try Home()
      let tmux = try Tmux(home: home)
      let anna = try tmux.shell(as: "anna", ["lobby"])
      try anna.expect { $0.contains { $0.hasPrefix("anna, ") } }
      let lines = (1...30).map { "message \($0)." }.joined(separator: "\n")
      _ = try home.run(["lobby", "--as", "ben"], input: lines)
      try anna.expect { $0.contains { $0.hasSuffix("message 30.") } }
      // What stands at the right of the status line tells which width is drawn for.
      try anna.type("mine\n")
      try anna.expect { $0.last?.hasSuffix("sent") == true }
      try anna.type("hello")
      for round in 0..<4 {
        try anna.resize(rows: 24, columns: 200)
        try anna.expect { ($0.last?.count ?? 0) > 150 }
        try anna.resize(rows: 24, columns: 60)
        try home.say("after \(round).", as: "ben")
        try anna.expect { screen in
          let isThere = screen.contains { $0.hasSuffix("after \(round).") }
          return isThere && (50...60).contains(screen.last?.count ?? 0)
        }
      }
      let history = try anna.history()
      #expect(history.count { $0.contains("#lobby>") } == 1, "\(history)")
    }

    @Test("1.14: soon after a resize the terminal is asked once for each message that comes")
    func askedOnce() throws {
      let home = try Home()
      let anna = try home.shellInLobby(as: "anna")
      anna.resize(rows: 24, columns: 60)
      for round in 0..<5 {
        try home.say("after \(round).", as: "ben")
        try anna.expect("after \(round).")
      }
      let questions = count(
        of: "\u{1B}[9999;9999H", in: String(decoding: anna.output, as: UTF8.self))
      #expect((2...12).contains(questions), "\(questions)")
    }

    @Test("after leaving during a resize, the shell before it gets none of the terminal's answers")
    func leavingWhileResized() throws {
      let home = try Home()
      let tmux = try Tmux(home: home)
      let pane = try tmux.open(["bash", "--norc", "-i"])
      try pane.expect { $0.contains { $0.contains("$") || $0.contains("#") } }
      try pane.type("PS1='sh> '\n")
      for columns in [60, 70, 61, 71, 62] {
        try pane.type("\(Home.program) --as anna lobby\n")
        try pane.expect { $0.contains { $0.hasPrefix("#lobby>") } }
        try pane.resize(rows: 24, columns: columns)
        try pane.press("C-l", "C-d")
        try pane.expect { $0.last == "sh>" }
        try pane.type("echo well\n")
        try pane.expect { $0.suffix(2) == ["well", "sh>"] }
        try pane.type("clear\n")
      }
    }

    @Test("1.6: C-z and fg give the line back, and the terminal to the shell between")
    func suspendingKeepsTheLine() throws {
      let home = try Home()
      let tmux = try Tmux(home: home)
      let pane = try tmux.open(["bash", "--norc", "-i"])
      try pane.expect { $0.contains { $0.contains("$") || $0.contains("#") } }
      try pane.type("PS1='sh> '\n\(Home.program) --as anna lobby\n")
      try pane.expect { $0.contains { $0.hasPrefix("#lobby>") } }
      try pane.type("keep this")
      try pane.expect { $0.contains("#lobby> keep this") }
      try pane.press("C-z")
      try pane.expect { $0.last == "sh>" }
      try pane.type("echo cooked\n")
      try pane.expect { $0.contains("cooked") }
      try pane.type("fg\n")
      try pane.expect { $0.contains { $0.hasPrefix("#lobby> keep this") } }
      try pane.type(" and that")
      try pane.expect { $0.contains("#lobby> keep this and that") }
    }

    @Test("1.6, 8.1: a file copied while the shell was stopped goes with its line")
    func suspendingDuringACopy() throws {
      let home = try Home()
      let tmux = try Tmux(home: home)
      let pane = try tmux.open(["bash", "--norc", "-i"])
      try pane.expect { $0.contains { $0.contains("$") || $0.contains("#") } }
      try pane.type("PS1='sh> '; truncate -s 90M ~/film; \(Home.program) --as anna lobby\n")
      try pane.expect { $0.contains { $0.hasPrefix("#lobby>") } }
      try pane.type("/attach ~/film\n")
      try pane.expect { $0.contains { $0.contains("[1 file]") } }
      try pane.type("look\n")
      try pane.press("C-z")
      try pane.expect { $0.last == "sh>" }
      try pane.type("while pgrep -f 'hobnob.*file-chore keep'; do sleep 0.1; done; echo copied\n")
      try pane.expect { $0.contains("copied") }
      try pane.type("fg\n")
      try pane.expect { $0.contains { $0.contains(" 1 ") && $0.contains("anna: look") } }
      try pane.expect { $0.contains { $0.contains("film") && $0.contains("MB") } }
      try pane.expect { $0.contains { $0.hasPrefix("#lobby>") && !$0.contains("[1 file]") } }
    }
  }
}
