// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import Testing

extension EndToEnd {
  @Suite("6: Markdown at the prompt")
  struct MarkdownTests {
    @Test("6.2: C-x and a symbol wrap the word or the region")
    func wrapping() throws {
      let home = try Home()
      let shell = try home.shellInLobby(as: "anna")
      let lines = [
        ("hello\u{18}*", "*hello*|"), ("one two\u{1B}b\u{18}_", "one _two_|"),
        ("one two\u{02}\u{18}~", "one ~two~|"), ("word\u{18}`", "`word`|"),
        ("word\u{18}p", "```word```|"), ("one \u{18}*two", "one **two|"),
        ("\u{18}>quoted", "> quoted|"), ("one \u{18}>two", "> one two|"),
      ]
      for (typed, shown) in lines {
        shell.send("\u{05}\u{15}" + typed)
        if typed.hasSuffix("two"), typed.contains("*") {
          // The caret stands between the marks.
          try shell.expect("#lobby> one *two|*")
        } else {
          try shell.expect("#lobby> \(shown)")
        }
      }
    }

    @Test(
      "6.2: the region that C-@ began is wrapped, active or not",
      arguments: [
        // C-@, a motion, C-x and a symbol.
        ("one two three\u{01}\0\u{1B}f\u{1B}f\u{18}*", "*one two*| three"),
        ("one two three\u{1B}b\0\u{1B}b\u{18}_", "one _two_| three"),
        ("one two three\0\u{01}\u{18}p", "```one two three```|"),
        // C-x C-x goes to the other end, and makes the region active.
        ("one two three\0\u{01}\u{18}\u{18}\u{18}~", "~one two three~|"),
        ("one\u{0A}two\0\u{10}\u{01}\u{18}>", "> one\n        > two|"),
        // C-space is C-@.
        ("漢字 two\0\u{1B}b\u{02}\u{18}`", "漢字 `two`|"),
        // Something was typed since: it is the word at the caret.
        ("one two three\u{01}\0\u{1B}f\u{1B}f!\u{18}*", "one *two!*| three"),
        ("one two\u{01}\0\u{05}\u{7F}\u{18}*", "one *tw*|"),
        // The mark stands at the caret: the word.
        ("one two\0\u{18}*", "one *two*|"),
        // What was wrapped once is not wrapped from the old mark again.
        ("one two\u{01}\0\u{1B}f\u{18}*\u{05}\u{18}_", "*one* _two_|"),
        // No mark was set: a motion alone makes no region.
        ("one two three\u{01}\u{1B}f\u{1B}f\u{18}*", "one *two*| three"),
        // A mark of the line that was sent before is none of this one.
        ("sent\0\u{01}\rone two\u{18}*", "one *two*|"),
      ])
    func wrappingTheRegion(typed: String, shown: String) throws {
      let home = try Home()
      let shell = try home.shellInLobby(as: "anna")
      shell.send(typed)
      try shell.expect("#lobby> \(shown)")
    }

    @Test("1.5, 6.2: wrapping is one undo")
    func wrappingIsOneUndo() throws {
      let home = try Home()
      let shell = try home.shellInLobby(as: "anna")
      shell.send("hello\u{18}*")
      try shell.expect("#lobby> *hello*|")
      shell.send(Key.undo)
      try shell.expect("#lobby> hello|")
    }

    @Test("6.2: the functions can be bound in an inputrc")
    func functionsCanBeBound() throws {
      let home = try Home()
      let shell = try home.shellInLobby(
        as: "anna", inputrc: "\"\\C-xb\": format-bold\n\"\\C-xi\": format-italic\n")
      shell.send("one\u{18}b two\u{18}i")
      try shell.expect("#lobby> *one* _two_|")
    }

    @Test("6.3: two spaces close nothing if nothing is open, in commands, or in code")
    func twoSpacesStay() throws {
      let home = try Home()
      let shell = try home.shellInLobby(as: "anna")
      for line in [
        "hello  x", "2 * 3  x", "a*b  x", "*done*  x", "`a *b` c  x", "/me *bold  x",
      ] {
        shell.send("\u{15}\(line)")
        try shell.expect("#lobby> \(line)|")
      }
    }

    @Test("6.3: one undo takes back the closing; pastes and the setting close nothing")
    func whatDoesNotClose() throws {
      let home = try Home()
      let shell = try home.shellInLobby(as: "anna")
      shell.send("hello *bold  ")
      try shell.expect("#lobby> hello *bold* ")
      shell.send(Key.undo + "x")
      try shell.expect("#lobby> hello *bold  x|")
      shell.send("\u{15}" + Key.paste("hello *bold  ") + "x")
      try shell.expect("#lobby> hello *bold  x|")
      shell.send("\u{15}")
      try shell.command("/set close-by-double-space off")
      shell.send("hello *bold  x")
      try shell.expect("#lobby> hello *bold  x|")
    }

    @Test("6.4: styled text is drawn styled in the line and in messages, symbols kept")
    func drawing() throws {
      let home = try Home()
      let shell = try home.shellInLobby(as: "anna")
      func isStyled() -> Bool {
        shell.wait(for: 10) { _ in
          shell.style(of: "bold")?.isBold == true
            && shell.style(of: "slanted")?.isItalic == true
            && shell.style(of: "struck")?.isStruck == true
            && shell.style(of: "plain")?.isBold == false
        }
      }
      shell.send("*bold* plain _slanted_ ~struck~")
      try shell.expect("#lobby> *bold* plain _slanted_ ~struck~|")
      #expect(isStyled(), "in the line")
      shell.send("\r")
      try shell.expect("1 anna: *bold* plain _slanted_ ~struck~")
      try shell.expect("#lobby> |")
      #expect(isStyled(), "in the message")
    }

    @Test("6.4: a command is drawn bare, and so is all text with styling off")
    func drawingBare() throws {
      let home = try Home()
      let shell = try home.shellInLobby(as: "anna")
      shell.send("/msg ben *bold*")
      try shell.expect("/msg ben *bold*|")
      shell.settle()
      #expect(shell.style(of: "*bold*")?.isBold == false)
      shell.send("\u{15}")
      try shell.command("/set styling off")
      shell.send("some *bold*")
      try shell.expect("some *bold*|")
      shell.settle()
      #expect(shell.style(of: "*bold*")?.isBold == false)
      shell.send("\r")
      try shell.expect("1 anna: some *bold*")
      #expect(shell.style(of: "*bold*")?.isBold == false)
    }
  }
}
