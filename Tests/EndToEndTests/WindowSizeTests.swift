// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import Testing

extension EndToEnd {
  @Suite("13.8: A window that changes its size")
  struct WindowSizeTests {
    @Test("in tmux, narrowing and widening leave one prompt, where it was")
    func prompt() throws {
      let home = try Home()
      let lines = (1...20).map { "message \($0) with some words in it to fill" }
      _ = try home.run(["lobby", "--as", "ben"], input: lines.joined(separator: "\n"))
      let anna = try Tmux(home: home).shell(as: "anna", ["lobby"], rows: 16, columns: 80)
      // What stands at the right of the status line tells which width is drawn for.
      try anna.type("mine\n")
      try anna.expect { $0.last?.hasSuffix("sent") == true && $0.count == 16 }
      for _ in 0..<3 {
        for columns in [40, 80] {
          try anna.resize(rows: 16, columns: columns)
          try anna.expect { screen in
            screen.contains { $0.hasSuffix("sent") && (columns - 5...columns) ~= $0.count }
          }
        }
        #expect(try anna.screen().firstIndex { $0.hasPrefix("#lobby>") } == 14)
      }
      try anna.press("C-l")
      try anna.type(String(repeating: "x", count: 52))
      try anna.expect { $0.count == 2 && $0[0].hasSuffix("xx") }
      for _ in 0..<2 {
        for columns in [40, 80] {
          try anna.resize(rows: 16, columns: columns)
          try anna.expect { $0.last.map { (columns - 5...columns) ~= $0.count } ?? false }
        }
      }
      #expect(try anna.history().count { $0.contains("#lobby>") } == 1)
    }

    @Test("in tmux, a pane of one column leaves no stale row, right after the start, too")
    func oneColumn() throws {
      let anna = try Tmux(home: Home()).shell(as: "anna", ["lobby"], rows: 24, columns: 40)
      // The second text is shown after the question where the block is, and the third is read after
      // the answer.
      for text in ["hel", "hell", "hello"] {
        try anna.type(text == "hel" ? text : String(text.suffix(1)))
        try anna.expect { $0.contains("#lobby> " + text) && $0.last == "anna, alone here" }
      }
      let former = try anna.screen()
      for columns in [1, 40] {
        try anna.resize(rows: 24, columns: columns)
        try anna.expect { columns == 1 ? $0 == ["h", "e", "l", "l", "o"] : $0.last == former.last }
      }
      let history = try anna.history()
      #expect(history == former)
    }
  }
}
