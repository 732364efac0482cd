// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import Foundation
import Testing

extension EndToEnd {
  /// What the usual theme and one with bubbles look like is kept as text in `Themes/NAME.txt`: the
  /// screen, then how its parts are drawn. After a wanted change write them anew, and look at the difference:
  /// `HOBNOB_WRITE_THEMES=1 swift test --filter ThemeTests`.
  @Suite("Themes")
  struct ThemeTests {
    private static let names = ["contrast", "default", "imessage", "messenger", "plain", "slack"]

    @Test("each looks like its stored picture", arguments: ["default", "imessage"])
    func looksAsKept(name: String) throws {
      let picture = try Self.picture(of: name)
      let file = Repository.root.appendingPathComponent("Tests/EndToEndTests/Themes/\(name).txt")
      if ProcessInfo.processInfo.environment["HOBNOB_WRITE_THEMES"] != nil {
        try FileManager.default.createDirectory(
          at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try picture.write(to: file, atomically: true, encoding: .utf8)
      }
      #expect(try String(contentsOf: file, encoding: .utf8) == picture)
    }

    @Test(
      "11.5: with NO_COLOR there is no colour, yet selection, matches and the limit are visible",
      arguments: names)
    func withoutColours(name: String) throws {
      let home = try Home.withPeople(["bea", "ben"])
      let shell = try home.shellInLobby(
        as: "anna", ["--no-rc"], environment: ["NO_COLOR": "1"])
      func expectNoColours() {
        for row in 0..<shell.emulator.rows {
          for column in 0..<shell.emulator.columns {
            let style = shell.emulator.style(row: row, column: column)
            #expect(style.foreground == nil && style.background == nil, "\(row), \(column)")
          }
        }
      }
      try shell.command("/set message-limit 7")
      shell.send("/theme \(name)\r")
      #expect(shell.wait(for: 10) { _ in !shell.caretRow.contains("/theme") })
      shell.send("fine\r@be")
      try shell.expect("@be|")
      shell.send("\t")
      func selectedRow() -> Int? {
        (shell.emulator.cursor.row..<shell.emulator.rows).first {
          shell.emulator.style(row: $0, column: 0).isReverse
        }
      }
      #expect(shell.wait(for: 10) { _ in selectedRow() != nil })
      // The candidate is reverse as a whole, what was typed of it bold and underlined.
      let place = try #require(selectedRow())
      let match = shell.emulator.style(row: place, column: 1)
      #expect(match.isReverse && match.isBold && match.isUnderlined)
      let rest = shell.emulator.style(row: place, column: 3)
      #expect(rest.isReverse && !rest.isBold && !rest.isUnderlined)
      expectNoColours()
      shell.send("\u{15}much too long")
      try shell.expect("much too long|")
      // Where a counter is shown, it warns in bold.
      if shell.caretRow.contains("13/7") {
        #expect(shell.waits(forStyleOf: "13/7") { $0.isBold })
      }
      expectNoColours()
    }

    /// The same short conversation and half a line under every theme.
    private static func picture(of name: String) throws -> String {
      let home = try Home()
      try home.say("is there *any* tea left?", as: "ben")
      try home.say("green, or black", as: "carl")
      let shell = try home.shellInLobby(as: "anna", ["--no-rc"], rows: 20, columns: 60)
      shell.send("/set message-limit 40\r")
      try shell.expect("#lobby> |")
      shell.send("/theme \(name)\r")
      #expect(shell.wait(for: 10) { _ in !shell.caretRow.contains("/theme") })
      shell.settle()
      let empty = text(of: shell)
      for line in ["_green_ please\r", "and two cups\r"] { shell.send(line) }
      #expect(shell.wait(for: 10) { $0.picture.contains("and two cups") })
      try home.say("coming\nright up", as: "ben")
      #expect(shell.wait(for: 10) { $0.picture.contains("right up") })
      shell.send("that is *so* kind, @ben")
      #expect(shell.wait(for: 10) { $0.picture.contains("@ben|") })
      shell.settle()
      return "The line while it is empty\n\n\(empty)\n\nHalf a line\n\n\(text(of: shell))\n"
    }

    /// The screen below the greeting with the day and the times made the same, and each stretch that
    /// is drawn in some style.
    private static func text(of shell: PseudoTerminal) -> String {
      let lines = shell.emulator.picture.components(separatedBy: "\n")
      let start = lines.firstIndex { $0.contains("──") } ?? 0
      let shown = lines[start...].map {
        // A minute may have ended in a run of messages.
        $0.replacing(/^── .* ──$/, with: "── DAY ──")
          .replacing(/^ \d\d:\d\d(?= +\d+ {3,}(?!\S+: )\S)/, with: "      ")
          .replacing(/^( ?)\d\d:\d\d/) { $0.1 + "12:03" }
      }
      return (shown + [""] + styles(of: shell, from: start)).joined(separator: "\n")
    }

    private static func styles(of shell: PseudoTerminal, from start: Int) -> [String] {
      let emulator = shell.emulator
      var found: [String] = []
      for row in start..<emulator.rows {
        var column = 0
        while column < emulator.columns {
          let style = emulator.style(row: row, column: column)
          var text = ""
          while column < emulator.columns, emulator.style(row: row, column: column) == style {
            text += emulator.character(row: row, column: column)
            column += 1
          }
          let words = words(for: style)
          let part = text.trimmingCharacters(in: .whitespaces)
            .replacing(/^── .* ──$/, with: "── DAY ──").replacing(/^( ?)\d\d:\d\d/) {
              $0.1 + "12:03"
            }
          if !words.isEmpty, !part.isEmpty || style.isReverse {
            found.append("\(words): \(part)")
          }
        }
      }
      return found
    }

    private static func words(for style: Emulator.Style) -> String {
      var words: [String] = []
      if style.isBold { words.append("bold") }
      if style.isItalic { words.append("italic") }
      if style.isUnderlined { words.append("underlined") }
      if style.isStruck { words.append("struck") }
      if style.isReverse { words.append("reverse") }
      if let color = style.foreground { words.append("colour \(color)") }
      if let color = style.background { words.append("on \(color)") }
      return words.joined(separator: " ")
    }
  }
}
