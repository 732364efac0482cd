// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Emulator
import Glibc
import Testing

@testable import NetworkInbox

extension EndToEnd {
  @Suite("1.9: Pasting")
  struct PasteTests {
    @Test("newlines stay, control characters are marks, and it is one undo")
    func onePasteIsOneUndo() throws {
      let home = try Home()
      let shell = try home.shellInLobby(as: "anna")
      shell.send("before " + Key.paste("one\ntwo\u{07}\u{1B}[31m\u{03}\u{04}\n@an") + "x")
      try shell.expect("#lobby> before one\n        two^G^[[31m^C^D\n        @anx|")
      shell.send("\u{7F}" + Key.undo + Key.undo + Key.undo)
      try shell.expect("#lobby> before |")
      shell.send(Key.redo)
      try shell.expect("        @an|")
      try shell.expectNever("[1]")
      shell.send("\r")
      try shell.expect("1 anna: before one")
      let log = try home.run(["log", "lobby", "--as", "ben"]).output
      #expect(log.contains("two"))
    }

    @Test(
      "a paste that is one path of a file offers to attach it",
      arguments: ["PATH", "file://PATH", "'PATH'", "PATH\n", "~/note.txt"])
    func pathsAreOffered(form: String) throws {
      let home = try Home()
      try home.write("hello", to: "note.txt")
      let pasted = form.replacing("PATH", with: home.path + "/note.txt")
      let shell = try home.shellInLobby(as: "anna")
      shell.send(Key.paste(pasted))
      try shell.expect("Attach note.txt? y: yes, n: skip, any other key: insert its name")
      shell.send("i")
      try shell.expectGone("Attach")
      try shell.expect("note.txt")
      try shell.expectNever("[1 file]")
      shell.send("\u{15}\u{7F}\u{15}" + Key.paste(pasted))
      try shell.expect("Attach note.txt? y")
      shell.send("y")
      try shell.expect("[1 file]")
      try shell.expect("#lobby> |")
    }

    @Test(
      "anything else is text",
      arguments: ["no such file", "a folder", "in a command", "two", "URL"])
    func otherPastesAreText(what: String) throws {
      let home = try Home()
      try home.write("hello", to: "note.txt")
      let path = home.path + "/note.txt"
      let shell = try home.shellInLobby(as: "anna", columns: 200)
      let pasted: String
      switch what {
      case "no such file": pasted = home.path + "/none.txt"
      case "a folder": pasted = home.path
      case "two": pasted = "\(path)\n\(path)"
      case "URL": pasted = "https://example.org/note.txt"
      default:
        pasted = path
        shell.send("/attach ")
      }
      shell.send(Key.paste(pasted))
      try shell.expect((pasted.split(separator: "\n").last.map(String.init) ?? pasted) + "|")
      try shell.expectNever("Attach")
    }

    @Test("1.9: rows are reported for a long line that wraps, too")
    func longLine() throws {
      let shell = try Home().shellInLobby(as: "anna")
      shell.send(Key.paste(String(repeating: "tea ", count: 200)))
      try shell.expect("1 line, 12 rows  anna")
    }

    @Test(
      "1.9: a long text says how many lines it has, and Return asks once",
      arguments: [("\r", 45), ("f", 1), ("x", 0)])
    func longTexts(answer: String, lines: Int) throws {
      let home = try Home()
      let shell = try home.shellInLobby(as: "anna")
      shell.send(Key.paste((1...45).map { "line \($0)" }.joined(separator: "\n")))
      try shell.expect("line 45|\n45 lines  anna")
      shell.send("\r")
      try shell.expect("45 lines. Return: send, f: send as a file, any other key: go back")
      shell.send(answer)
      try shell.expectGone("Return: send")
      if lines == 0 {
        try shell.expect("line 45|")
        shell.send("!")
        try shell.expect("line 45!|")
        try shell.expectNever("[1]")
        return
      }
      try shell.expect("#lobby> |")
      let log = try home.run(["log", "lobby", "--as", "ben"]).output
      #expect(log.split(separator: "\n").count { $0.contains("line ") } == (lines > 1 ? lines : 0))
      #expect(log.contains("text.txt") == (lines == 1), "\(log)")
      // It is in the input history, whole.
      shell.send("\u{10}")
      try shell.expect("line 45|")
    }

    @Test(
      "1.9: on a network of short lines, Return asks from six messages on; a command asks nothing",
      arguments: [0, nil] as [Int?])
    func manyMessages(largestFile: Int?) throws {
      let home = try Home()
      let store = try Store(path: home.store, options: .init(createIfMissing: true))
      let anna = try store.writeDurablyIfNeeded { try $0.participant(identity: "anna") }.id
      let account = try store.writeDurably {
        try $0.addAccount(owner: anna, network: "irc:anna@irc.x.org")
      }
      try home.list(account, isWanted: false)
      var abilities = Abilities()
      (abilities.longestLine, abilities.largestFile) = (100, largestFile)
      try store.inbox.apply(
        [
          .rules(AddressRules(roomSigns: "#", folding: .ascii, identityScope: .network)),
          .abilities(NetworkAbilities(rooms: abilities)), .joined(room: "##tea", nick: "anna"),
        ], of: account)
      store.close()
      let shell = try home.shell(as: "anna", ["##tea"])
      try shell.expect("##tea> |")
      shell.send(Key.paste("1\n2\n3\n4\n5"))
      try shell.expect("becomes 5 messages")
      shell.send("\r")
      try shell.expect("##tea> |")
      shell.send(Key.paste("1\n2\n3\n4\n5\nsix"))
      try shell.expect("becomes 6 messages")
      shell.send("\r")
      let file = largestFile == 0 ? "" : "f: send as a file, "
      try shell.expect("6 messages. Return: send, \(file)any other key: go back")
      shell.send("x")
      try shell.expectGone("Return: send")
      try shell.expect("six|")
      shell.send("\r")
      try shell.expect("6 messages.")
      shell.send("\r")
      try shell.expect("##tea> |")
      let log = try home.run(["log", "##tea", "--as", "anna"]).output
      #expect(log.contains("six"))
      let long = String(repeating: "long ", count: 200)
      let sent = try home.run(["send", "##tea", long, "--as", "anna"])
      #expect(sent.status == 0 && !sent.errors.contains("Return"), "\(sent)")
    }

    @Test("12.2: bytes that are not UTF-8 are shown and sent as marks")
    func invalidBytes() throws {
      let home = try Home()
      let shell = try home.shellInLobby(as: "anna")
      shell.send(
        Array("\u{1B}[200~a".utf8) + [0xFF, 0xFE, 0x62, 0xC3, 0x00] + Array("\u{1B}[201~".utf8))
      try shell.expect("#lobby> a\u{FFFD}\u{FFFD}b\u{FFFD}|")
      shell.send("\r")
      try shell.expect("1 anna: a\u{FFFD}\u{FFFD}b\u{FFFD}")
      // Typed, too.
      shell.send([0x78, 0xFF, 0x79, 0xC3, 0x7A])
      try shell.expect("z|")
      shell.send("\u{15}hello\r")
      try shell.expect("hello")
      try shell.expect("#lobby> |")
    }

    @Test("ten megabytes: the line still works, C-c empties it")
    func tenMegabytes() throws {
      let home = try Home()
      let shell = try home.shellInLobby(as: "anna")
      let line = String(repeating: "all work and no play ", count: 5) + "\n"
      shell.send(
        Key.paste(String(repeating: line, count: 10_000_000 / line.utf8.count)) + "the end")
      try shell.expect("the end|", for: 60)
      shell.send("!")
      try shell.expect("the end!|", for: 20)
      shell.send("\u{03}")
      try shell.expect("#lobby> |", for: 20)
      shell.send("small again\r")
      try shell.expect("1 anna: small again", for: 20)
    }

    @Test(
      "1.9: behind or inside a text it is offered, too; the answer decides",
      arguments: [
        ("y", "see th|is", true), ("\r", "see th|is", true), ("i", "see thPATH|is", false),
        ("n", "see th|is", false),
        ("\u{03}", "see th|is", false), ("\u{07}", "see th|is", false),
        ("\u{1B}", "see th|is", false),
      ])
    func pathsAreOfferedInAText(key: String, left: String, attaches: Bool) throws {
      let home = try Home()
      try home.write("hello", to: "note.txt")
      let path = home.path + "/note.txt"
      let shell = try home.shellInLobby(as: "anna", columns: 120)
      try shell.type("see this\u{02}\u{02}", seeing: "#lobby> see th|is")
      shell.send(Key.paste(path))
      try shell.expect("Attach note.txt? y")
      try shell.expect("#lobby> see th|is")
      shell.send(key)
      try shell.expectGone("Attach")
      try shell.expect("#lobby> " + left.replacing("PATH", with: path))
      if attaches { try shell.expect("[1 file]") } else { try shell.expectNever("[1 file]") }
      // The keyboard is the line's again.
      shell.send("!")
      try shell.expect(left.replacing("PATH", with: path).replacing("|", with: "!|"))
    }

    @Test("1.9: a second paste is not an answer: the first is inserted, the second asked about")
    func twoPastes() throws {
      let home = try Home()
      try home.write("hello", to: "note.txt")
      let path = home.path + "/note.txt"
      let shell = try home.shellInLobby(as: "anna", columns: 120)
      shell.send(Key.paste(path) + Key.paste(" and a text"))
      try shell.expect("#lobby> \(path) and a text|")
    }

    @Test("1.9, 3: an edit takes no files, the path is inserted")
    func pathsInAnEdit() throws {
      let home = try Home()
      try home.write("hello", to: "note.txt")
      let path = home.path + "/note.txt"
      let shell = try home.shellInLobby(as: "anna", columns: 120)
      try shell.type("look: \r", seeing: "[1]")
      try shell.type("\u{1B}e", seeing: "edit 1> look: |")
      shell.send(Key.paste(path))
      try shell.expect("edit 1> look: \(path)|")
      try shell.expectNever("Attach")
    }

    @Test("1.9: lines pasted in a terminal without paste marks are one text, and none is sent")
    func unmarkedPaste() throws {
      let home = try Home()
      let shell = try home.shellInLobby(as: "anna", marksPastes: false)
      shell.send((1...60).map { "line \($0)\r" }.joined())
      try shell.expect("line 60\n        |")
      try shell.expect("60 lines  anna")
      try shell.expectNever("[1]")
      shell.send("\u{1F}")
      try shell.expect("#lobby> |")
      // Typed lines are lines.
      try shell.type("hello\r", seeing: "1 anna: hello")
    }

    @Test(
      "1.9, 5.1: of what was typed just before the end, a line is sent, a paste is the draft",
      arguments: [SIGTERM, SIGHUP])
    func lastKeys(signal: Int32) throws {
      let home = try Home()
      for (keys, isSent) in [("hi there\r", true), ("a\rb\rc\rd\r", false)] {
        let shell = try home.shellInLobby(as: "anna", marksPastes: false)
        // It reads the keys and hears of the signal in one turn.
        shell.kill(SIGSTOP)
        shell.send(keys)
        shell.kill(signal)
        shell.kill(SIGCONT)
        #expect(shell.waitForExit(seconds: 10) == 128 + signal)
        #expect(try home.draft() == (isSent ? nil : "a\nb\nc\nd\n"))
        let log = try home.run(["log", "lobby", "--as", "ben"]).output
        #expect(log.contains("hi there") && !log.contains("[2]"), "\(log)")
      }
    }

    @Test("1.9, 5.1: what has arrived of a paste when the terminal closes is the draft")
    func hangUpDuringPaste() throws {
      let home = try Home()
      let shell = try home.shellInLobby(as: "anna", marksPastes: false)
      // More than waits in a terminal: some of it has been read.
      shell.send((1...20_000).map { "line \($0)\r" }.joined())
      shell.hangUp()
      #expect(shell.waitForExit(seconds: 20) == 128 + SIGHUP)
      let draft = try home.draft() ?? ""
      #expect(draft.hasPrefix("line 1\nline 2\nline 3\n"), "\(draft.prefix(100))")
      #expect(try home.run(["log", "lobby", "--as", "ben"]).output == "")
    }

    @Test("1.9: a paste into the name of a conversation is on one line")
    func pasteIntoAName() throws {
      let shell = try Home().shellInLobby(as: "anna")
      shell.send("\u{18}b" + Key.paste("te\na\n"))
      try shell.expect("te a|")
    }

    @Test("1.9: C-c ends a paste whose end is missing, and keeps it")
    func endlessPasteEndsByHand() throws {
      let home = try Home()
      let shell = try home.shellInLobby(as: "anna")
      shell.send("typed \u{1B}[200~and pasted\r")
      try shell.expect("The paste has not ended; C-c ends it")
      shell.send("x\r")
      shell.rest(0.3)
      shell.send("\u{03}")
      try shell.expect("#lobby> typed and pasted\n        x\n        |")
      try shell.expect("The end of the paste was lost; the line has all that arrived")
      shell.send("now\r")
      try shell.expect("1 anna: typed and pasted")
      // One undo step, as any paste.
      shell.send("a\u{1B}[200~bc")
      shell.rest(0.3)
      shell.send("\u{03}")
      try shell.expect("#lobby> abc|")
      shell.send(Key.undo)
      try shell.expect("#lobby> a|")
      shell.send("\u{03}")
      try shell.expect("#lobby> |")
    }

    @Test("during an endless paste the shell still ends when told to")
    func endlessPaste() throws {
      let home = try Home()
      let shell = try home.shellInLobby(as: "anna")
      shell.send("typed \u{1B}[200~and pasted without an end")
      try shell.expect("#lobby> typed")
      shell.rest(0.5)
      shell.kill(15)
      #expect(shell.waitForExit(seconds: 10) == 143)
      let again = try home.shell(as: "anna", ["lobby"])
      try again.expect("#lobby> typed")
      again.send("\u{05} and more\r")
      try again.expect("1 anna: typed")
    }
  }
}
