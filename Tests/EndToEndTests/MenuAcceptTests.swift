// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import Testing

extension EndToEnd {
  @Suite("2.6, 2.8, 2.10: What the menu puts into the line")
  struct MenuAcceptTests {
    private let home: Home
    private let shell: PseudoTerminal

    init() throws {
      home = try Home.withPeople(rooms: ["tea"])
      shell = try home.shellInLobby(as: "anna")
    }

    @Test("2.6: accepting replaces the whole word, and spaces it")
    func accepting() throws {
      let back = "\u{02}"
      let lines = [
        ("@ca\t", "@carl: |"),
        ("ask @ca\t", "ask @carl |"),
        ("ask @ca now\(back)\(back)\(back)\(back)\t", "ask @carl |now"),
        ("ask @caxx now\u{1B}b\(back)\(back)\(back)\t", "ask @ca|xx now"),
        ("ask @carx now\u{1B}b\(back)\(back)\u{04}\(back)\t", "ask @carl |now"),
        ("(@ca\t", "(@carl |"),
        ("(@ca)\(back)\t", "(@carl|)"),
        ("see #te\t", "see #tea |"),
        (":boar\t", "🐗 |"),
        ("a :boar\t", "a 🐗 |"),
        ("/histo\t", "/history |"),
        ("first\u{0A}@ca\t", "first\n        @carl |"),
      ]
      for (typed, shown) in lines {
        shell.send("\u{05}\u{15}\u{15}\u{7F}\u{15}" + typed)
        try shell.expect("#lobby> \(shown)")
        shell.send("\u{05}\u{15}\u{7F}\u{15}\u{0B}")
      }
    }

    @Test("2.10: a mention is drawn as one, bare letters are not")
    func mentionsAreDrawn() throws {
      shell.send("ask @ca\t")
      try shell.expect("ask @carl |")
      #expect(shell.waits(forStyleOf: "@carl") { $0.isBold })
      shell.send("\u{15}")
      try shell.expect("#lobby> |")
      shell.settle()
      shell.send("ask @cent so")
      try shell.expect("ask @cent so|")
      #expect(shell.waits(forStyleOf: "@cent") { !$0.isBold })
    }

    @Test("2.10: a mention stays one while the caret is in it, and after a walk into the history")
    func mentionsStayUntouched() throws {
      try shell.type("old\r", seeing: "anna: old")
      shell.send("ask @ca\t")
      try shell.expect("ask @carl |")
      try shell.type("\u{02}\u{02}", seeing: "ask @car|l")
      #expect(shell.waits(forStyleOf: "@carl") { $0.isBold })
      try shell.type("\u{05}\u{10}", seeing: "#lobby> old|")
      try shell.type("\u{0E}", seeing: "ask @carl |")
      #expect(shell.waits(forStyleOf: "@carl") { $0.isBold })
      try shell.type("\u{03}", seeing: "#lobby> |")
      try shell.type("\u{1F}", seeing: "ask @carl |")
      #expect(shell.waits(forStyleOf: "@carl") { $0.isBold })
      // A letter of it away and back by undo.
      try shell.type("\u{7F}\u{7F}", seeing: "ask @car|")
      shell.send("\u{1F}\u{1F}")
      try shell.expect("ask @carl |")
      #expect(shell.waits(forStyleOf: "@carl") { $0.isBold })
    }

    @Test("2.10: a mention stays one over a restart")
    func mentionsStayInDrafts() throws {
      let home = try Home.withPeople()
      let first = try home.shellInLobby(as: "anna")
      first.send("ask @ca\tand @cent")
      try first.expect("ask @carl and @cent|")
      first.kill(15)
      #expect(first.waitForExit(seconds: 10) != nil)
      let second = try home.shell(as: "anna", ["lobby"])
      try second.expect("ask @carl and @cent|")
      #expect(second.waits(forStyleOf: "@carl") { $0.isBold })
      #expect(second.waits(forStyleOf: "@cent") { !$0.isBold })
    }

    @Test("2.8: arguments of commands, with the usage above them")
    func arguments() throws {
      try home.write("", to: "notes one.txt")
      try home.write("", to: "folder/inside.txt")
      let lines = [
        ("/set cou", "|\n/set [NAME [VALUE]]  show the settings, or change one\ncounter  how"),
        ("/set counter c", "|\n/set [NAME [VALUE]]  show the settings, or change one\ncountdown\n"),
        ("/set typing ", "|\n/set [NAME [VALUE]]  show the settings, or change one\noff\non\nanna"),
        (
          "/theme me",
          "|\n/theme [NAME]  list the themes, or apply one\nmessenger\n"
        ),
        (
          "/join te",
          "|\n/join ROOM [--password WORD]  enter or create a room, or several (a,b)\ntea\nanna"
        ),
        (
          "/msg ca",
          "|\n/msg NAME [TEXT]  open a direct chat, or send TEXT there and stay here\ncarl\n"
        ),
        (
          "/help hist",
          "|\n/help [COMMAND]  list the commands, or explain one\nhistory  print"
        ),
        (
          "/attach ~/fol",
          "|\n/attach [PATH]  attach a file to your next message, or list the attached files\n~/folder/\n"
        ),
        (
          "/keys edit-in",
          "|\n/keys [FUNCTION|PROGRAM]  list keys; for irssi, weechat, profanity: equivalents\n"
            + "edit-in-editor  "
        ),
        ("/me laughs", "|\n/me TEXT  say what you are doing\nanna"),
      ]
      for (typed, shown) in lines {
        shell.send("\u{15}" + typed)
        try shell.expect("#lobby> " + typed + shown)
      }
    }

    @Test("2.8: TAB fills them in")
    func argumentsByTab() throws {
      try home.write("", to: "notes.txt")
      try home.write("", to: "folder/inside.txt")
      let lines = [
        ("/theme sl\t", "/theme slack |"), ("/set live\t", "/set live-menu |"),
        ("/set live-menu of\t", "/set live-menu off |"),
        ("/attach ~/no\t", "/attach ~/notes.txt |"),
        ("/attach ~/fol\t", "/attach ~/folder/|"),
        ("/attach ~/fol\tin\t", "/attach ~/folder/inside.txt |"),
        ("/help hist\t", "/help history |"), ("/drafts c\t", "/drafts clear |"),
      ]
      for (typed, shown) in lines {
        shell.send("\u{15}" + typed)
        try shell.expect("#lobby> \(shown)")
      }
    }
  }
}
