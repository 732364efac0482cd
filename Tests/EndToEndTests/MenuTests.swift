// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import Testing

extension EndToEnd {
  @Suite("2.3, 2.4, 2.7: The menu below the line")
  struct MenuTests {
    private let home: Home
    private let shell: PseudoTerminal

    init() throws {
      home = try Home.withPeople(rooms: ["tea"])
      shell = try home.shellInLobby(as: "anna")
    }

    @Test("2.3: stays closed while a region is active")
    func noMenuOverARegion() throws {
      shell.send("@be")
      try shell.expect("#lobby> @be|\n@bea\n@ben\n")
      // The mark between @b and e, then C-x C-x twice: the caret where it was, the region active.
      shell.send("\u{02}\u{00}\u{06}\u{18}\u{18}\u{18}\u{18}")
      try shell.expect("#lobby> @be|\nanna")
    }

    @Test("2.7: TAB completes the common part, accepts a single one at once, then enters")
    func tabGoesStepByStep() throws {
      shell.send("@b")
      try shell.expect("#lobby> @b|\n@bea\n@ben\n")
      shell.send("\t")
      try shell.expect("#lobby> @be|\n@bea\n@ben\n")
      #expect(shell.style(of: "@")?.isReverse == false)
      try shell.enterMenu()
      #expect(shell.style(of: "@")?.isReverse == false, "@ben is selected")
      shell.send("\u{0E}")
      #expect(shell.waits(forStyleOf: "@") { $0.isReverse }, "@ben is not selected")
      shell.send("\u{15}ask @ca\t")
      try shell.expect("#lobby> ask @carl |")
      shell.settle()
      #expect(shell.emulator.picture.hasSuffix("ask @carl |\nanna, alone here"))
    }

    @Test(
      "2.7: once entered, keys move in it and Return accepts without sending",
      arguments: [("\u{0E}", "ben"), (Key.down + Key.up, "bea"), ("\t\t", "bea")])
    func keysOfTheEnteredMenu(keys: String, accepted: String) throws {
      shell.send("ask @be")
      try shell.expect("ask @be|\n@bea\n@ben\n")
      try shell.enterMenu()
      shell.send(keys + "\r")
      try shell.expect("#lobby> ask @\(accepted) |\nanna")
      try shell.expectNever("[8]")
    }

    @Test("2.7: before it is entered, Return sends and Up belongs to the history")
    func keysBeforeTheMenuIsEntered() throws {
      shell.send("@be")
      try shell.expect("@bea\n")
      shell.send("\r")
      try shell.expect("8 anna: @be")
      shell.send("ask @be")
      try shell.expect("#lobby> ask @be|\n@bea\n@ben")
      shell.send(Key.up)
      try shell.expect("#lobby> @be|")
      shell.send(Key.down)
      try shell.expect("#lobby> ask @be|")
    }

    @Test("2.7: a lone Esc closes it until the word's start changes")
    func closing() throws {
      shell.send("ask @c")
      try shell.expect("ask @c|\n@cent\n")
      shell.send("\u{1B}")
      try shell.expect("ask @c|\nanna")
      shell.send("e")
      try shell.expect("ask @ce|")
      shell.settle()
      try shell.expect("ask @ce|\nanna", for: 0)
      shell.send(" @c")
      try shell.expect("ask @ce @c|\n@cent\n")
      // The word that was left alone: TAB is asked for, and opens it.
      shell.send("\u{1B}b\u{02}\u{02}\t")
      try shell.expect("ask @cent |@c")
    }

    @Test("2.7: max-menu-rows and live-menu")
    func settings() throws {
      try shell.command("/set max-menu-rows 2")
      shell.send("@")
      try shell.expect("#lobby> @|\n@cent\n@cyan\n(+5 more)\nanna")
      shell.send("\u{15}")
      try shell.command("/set live-menu off")
      shell.send("@b")
      try shell.expect("#lobby> @b|")
      shell.settle()
      try shell.expect("#lobby> @b|\nanna", for: 0)
      shell.send("\t")
      try shell.expect("#lobby> @be|\n@bea\n@ben\nanna")
      try shell.enterMenu()
      shell.send("\u{0E}\r")
      try shell.expect("#lobby> @ben: |")
    }

    @Test("1.14, 2.7: a message changes neither its rows nor the selection")
    func messagesLeaveItAsItIs() throws {
      shell.send("ask @be")
      try shell.expect("ask @be|\n@bea\n@ben\nanna")
      // Who spoke last would come first in a menu that is opened now.
      try home.say("while it is open", as: "ben")
      try shell.expect("while it is open")
      try shell.expect("ask @be|\n@bea\n@ben\nanna", for: 0)
      try shell.enterMenu()
      try home.say("while it is entered", as: "ben")
      try shell.expect("while it is entered")
      try shell.expect("ask @be|\n@bea\n@ben\nanna", for: 0)
      shell.send("\r")
      try shell.expect("ask @bea |")
    }

    @Test("2.5: the last person to speak is first in the next menu, here and not elsewhere")
    func whoSpokeLastStandsFirst() throws {
      let first = "#lobby> ask @b|\n@bea\n@ben\nanna"
      try shell.type("ask @b", seeing: first)
      try home.say("hello again", as: "ben")
      try shell.expect("hello again")
      shell.send("\u{15}")
      try shell.type("ask @b", seeing: "#lobby> ask @b|\n@ben\n@bea\nanna")
      try home.say("me too", as: "bea")
      try shell.expect("me too")
      // In another room who spoke here does not count, and a newcomer is there.
      shell.send("\u{03}/join tea\r")
      try shell.expect("#tea> |")
      try home.say("in the tea room", as: "boris", in: "tea")
      try shell.expect("in the tea room")
      try shell.type("ask @b", seeing: "#tea> ask @b|\n@boris\n@ben\n@bea\n")
      shell.send("\u{03}/switch lobby\r")
      try shell.expect("#lobby> |")
      try shell.type("ask @b", seeing: "#lobby> ask @b|\n@bea\n@ben\n@boris\n")
    }

    @Test("1.14: a resize keeps it open", arguments: [(8, 20)])
    func resizesKeepIt(rows: Int, columns: Int) throws {
      shell.send("ask @be")
      try shell.expect("ask @be|\n@bea\n@ben\nanna")
      try shell.enterMenu()
      shell.resize(rows: rows, columns: columns)
      shell.settle()
      try shell.expect("#lobby> ask @be|\n@bea\n@ben\nanna")
      shell.send("\u{0E}\r")
      try shell.expect("ask @ben |\nanna")
    }
  }
}
