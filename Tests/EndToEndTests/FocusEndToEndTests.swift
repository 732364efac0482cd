// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import Foundation
import Testing

extension EndToEnd {
  @Suite("7.3: The focus of the window")
  struct FocusEndToEndTests {
    private let home: Home
    private let focusIn = "\u{1B}[I"
    private let focusOut = "\u{1B}[O"

    init() throws {
      home = try Home()
    }

    @Test("7.3: what is printed without focus is delivered and read, and seen with the focus")
    func seenWithTheFocus() throws {
      let (anna, ben) = try home.annaAndBen()
      try anna.type("one\r", seeing: "[1] seen")
      ben.send(focusOut)
      // The second look is at the latest the one that knows.
      for _ in 1...2 {
        try anna.type("/who\r", seeing: "ben   here")
        anna.rest(0.2)
      }
      try anna.expect("ben   here, not looking at this conversation")
      try anna.type("two\r", seeing: "[2] ✓✓ delivered")
      try ben.expect("two")
      #expect(try home.run(["unread", "--count", "--as", "ben"]).output == "0\n")
      try anna.expectNever("[2] seen", from: ben)
      ben.send(focusIn)
      try anna.expect("[2] seen")
      try anna.type("three\r", seeing: "[3] seen")
    }

    @Test("7.3: a shell that starts without focus has not seen anything")
    func beginningWithoutFocus() throws {
      #expect(try home.run(["--create", "tea", "--as", "ben"]).status == 0)
      let anna = try home.shell(as: "anna", ["tea"])
      try anna.expect("#tea> |")
      try anna.type("one\r", seeing: "[1] ✓ sent")
      let ben = try home.shell(as: "ben", ["tea"])
      // The terminal's answer to being asked.
      ben.send(focusOut)
      try ben.expect("anna: one")
      try anna.expect("[1] ✓✓ delivered")
      try anna.expectNever("[1] seen", from: ben)
      ben.send(focusIn)
      try anna.expect("[1] seen")
    }

    @Test("7.3: messages that arrive during an editor are seen once the window has focus")
    func focusLostInTheEditor() throws {
      try home.write("echo the editor\nwhile ! [ -e ~/go ]; do sleep 0.05; done\n", to: "editor")
      let anna = try home.shellInLobby(as: "anna")
      let ben = try home.shellInLobby(
        as: "ben", environment: ["EDITOR": "sh \(home.path)/editor"])
      try anna.type("one\r", seeing: "[1] seen")
      ben.send("half\u{18}\u{05}")
      try ben.expect("the editor")
      try anna.type("two\r", seeing: "[2] ✓ sent")
      // It waits in the terminal until the shell is back, as what the terminal answers then does.
      ben.send(focusOut)
      try home.write("", to: "go")
      try ben.expect("two")
      try anna.expect("[2] ✓✓ delivered")
      try anna.expectNever("[2] seen", from: ben)
      ben.send(focusIn)
      try anna.expect("[2] seen")
    }

    @Test(
      "7.3, 11.5: focus reports are requested in tty mode only, and ended with the terminal"
    )
    func askedFor() throws {
      for (arguments, isAsked) in [([], true), (["--plain"], false)] {
        let anna = try home.shellInLobby(as: "anna", arguments)
        anna.send("/quit\r")
        #expect(anna.waitForExit(seconds: 10) != nil)
        let raw = String(decoding: anna.output, as: UTF8.self)
        #expect(raw.contains("\u{1B}[?1004h") == isAsked)
        #expect(raw.contains("\u{1B}[?1004l") == isAsked)
      }
    }

    @Test(
      "1.14: a focus report is not a key: it ends nothing",
      arguments: [
        ("half a line", "", "#lobby> half a line|"),
        ("\u{12}ol", "d", "i-search)`old'"),
        ("\u{1B}4", "x", "#lobby> xxxx|"),
        ("\u{16}", "\u{01}", "#lobby> ^A|"),
        ("abc\u{18}", "*", "*abc*"),
        ("@b", "", "ben"),
        ("/he\t\t", "", "/he"),
        ("word\u{03}", "", "Line emptied"),
        ("a\u{1B}[200~paste", "d\u{1B}[201~", "#lobby> apasted|"),
      ])
    func disturbsNothing(before: String, after: String, shown: String) throws {
      _ = try home.run(["lobby", "--as", "ben"])
      let anna = try home.shellInLobby(as: "anna")
      anna.send(before)
      anna.rest(0.3)
      for report in [focusOut, focusIn] {
        anna.send(report)
        anna.rest(0.1)
      }
      anna.send(after)
      try anna.expect(shown)
      #expect(!anna.emulator.picture.contains("[I") && !anna.emulator.picture.contains("[O"))
    }

    @Test("7.3: no part of a report gets into the line, in emacs and vi mode, however it is split")
    func cutReports() throws {
      for mode in ["emacs", "vi"] {
        let anna = try home.shellInLobby(
          as: "anna", inputrc: "set editing-mode \(mode)\nset keyseq-timeout 2000\n")
        try anna.type("abc", seeing: "#lobby> abc|")
        for cut in [
          ["\u{1B}", "[O"], ["\u{1B}[", "I"], ["\u{1B}", "[", "O"], ["\u{1B}[I\u{1B}[O"],
        ] {
          for part in cut {
            anna.send(part)
            anna.rest(0.05)
          }
        }
        try anna.type("d", seeing: "#lobby> abcd|")
      }
    }
  }
}
