// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import Foundation
import Testing

extension EndToEnd {
  @Suite("Preferences with mistakes in them")
  struct PreferenceTests {
    @Test("an inputrc with errors is complained of once, and the rest holds")
    func inputrcWithErrors() throws {
      let home = try Home()
      try home.write(
        "set nonsense on\n\"\\C-xq: unterminated\n\"\\C-xy\": \"fine\"\n", to: ".inputrc")
      let shell = try home.shellInLobby(as: "anna", columns: 120)
      try shell.expect("~/.inputrc: line 1: nonsense")
      try shell.expect("~/.inputrc: line 2")
      shell.send("all is \u{18}y\r")
      try shell.expect("[1] anna: all is fine")
      #expect(count(of: "inputrc: line 1", in: shell.emulator.picture) == 1)
    }

    @Test("a theme's mistakes are named by line, and the rest of it applies")
    func themeWithErrors() throws {
      let home = try Home()
      try home.write(
        "# mine\n/set prompt-style bracket\n/set nosuch on\n/set accent red\n/set counter big\n",
        to: "share/themes/mine.theme")
      let shell = try home.shellInLobby(
        as: "anna", columns: 160, environment: ["HOBNOB_SHARE": home.path + "/share"])
      shell.send("/theme mine\r")
      try shell.expect("mine.theme, line 3: nosuch is not a setting; /set lists them.")
      try shell.expect("mine.theme, line 5: “big” is not a valid value for counter")
      try shell.expect("[#lobby] |")
      #expect(shell.waits(forStyleOf: "[#lobby]") { $0.foreground == 1 })
      shell.send("hello\r")
      try shell.expect("[1] anna: hello")
    }

    @Test(
      "/theme NAME without such a theme names those there are",
      arguments: ["nosuch", "../x", "/etc/passwd"])
    func unknownThemes(name: String) throws {
      let home = try Home()
      let shell = try home.shellInLobby(as: "anna", columns: 160)
      shell.send("/theme \(name)\r")
      try shell.expect(
        "There is no theme \(name); the themes are contrast, default, imessage, messenger, plain, slack."
      )
      try shell.expect("#lobby> /theme \(name)|")
    }

    @Test("a line that binds nothing is told with its file and its number")
    func bindingsWithErrors() throws {
      let home = try Home()
      try home.write("/set bell off\n/bind garbage\n", to: "rc")
      let shell = try home.shellInLobby(as: "anna", ["--rc", home.path + "/rc"], columns: 160)
      try shell.expect("/rc, line 2: a key, a colon and a function are needed")
    }

    @Test("/source of what is no such file is refused, and the line stays")
    func sourceRefusals() throws {
      let home = try Home()
      let shell = try home.shellInLobby(as: "anna", columns: 160)
      for (line, reason) in [
        ("/source /no/such/file", "/no/such/file cannot be read: No such file or directory."),
        ("/source \(home.path)", "hobnob cannot read settings from \(home.path)."),
        ("/source /dev/zero", "hobnob cannot read settings from /dev/zero."),
        ("/source", "Usage: /source FILE"),
      ] {
        shell.send("\u{15}\(line)\r")
        try shell.expect(reason)
        try shell.expect("#lobby> \(line)|")
      }
    }

    @Test("what is not a regular file, or too long, is refused at once, with --rc as well (10)")
    func oddFiles() throws {
      let home = try Home()
      #expect(mkfifo(home.path + "/fifo", 0o600) == 0)
      try home.write(String(repeating: "# a comment\n", count: 100_000), to: "long")
      // Files that name each other again and again.
      try home.write(String(repeating: "source ~/b\n", count: 1000), to: "a")
      try home.write(String(repeating: "source ~/c\n", count: 1000), to: "b")
      try home.write(String(repeating: "# nothing\n", count: 1000), to: "c")
      try home.write(String(repeating: "x\n", count: 200), to: "wrong")
      let notRegular = "hobnob cannot read settings from "
      let tooLong =
        "is too long: a settings file and the files it sources may have up to 1.0 MB in all."
      for (name, reason) in [
        ("fifo", notRegular), (".", notRegular), ("long", tooLong),
        ("a", "1000 more lines are wrong."),
        ("wrong", "180 more lines are wrong."),
      ] {
        let path = home.path + "/" + name
        for arguments in [["--rc", path, "--as", "anna", "lobby"], ["--as", "anna", "lobby"]] {
          let input = arguments.count == 3 ? "/source \(path)\n" : ""
          let finished = try home.run(arguments, input: input)
          let errors = finished.output + finished.errors
          #expect(errors.contains(reason) || name == "a" && errors.contains(tooLong), "\(errors)")
          #expect(errors.contains(path) && errors.split(separator: "\n").count < 60, "\(errors)")
        }
      }
    }

    @Test("/source of a file that names itself says so, and the rest applies")
    func sourceOfItself() throws {
      let home = try Home()
      try home.write(
        "/set bell off\n/source ~/self\n/nonsense\nset prompt-style bracket\n", to: "self")
      let shell = try home.shellInLobby(as: "anna", columns: 160)
      shell.send("/source ~/self\r")
      try shell.expect("self, line 2: ")
      try shell.expect("sources itself")
      try shell.expect("self, line 3: /nonsense does not work in an rc file")
      try shell.expect("[#lobby] |")
      shell.send("/set bell\r")
      try shell.expect("off")
    }

    @Test(
      "/bind of nonsense binds nothing and keeps the line",
      arguments: [
        "nonsense", "x", "Control-q", "\"\\C-xq\": nosuch", "\"\\C-xq\" newline", "set nosuch on",
        ": newline:", "\"\"",
      ])
    func bindRefusals(argument: String) throws {
      let home = try Home()
      let shell = try home.shellInLobby(as: "anna", columns: 160)
      shell.send("/bind \(argument)\r")
      try shell.expect("The key was not bound")
      try shell.expect("#lobby> /bind \(argument)|")
      // Every letter is still a letter.
      shell.send("\u{15}nonsense: x Control-q\r")
      try shell.expect("[1] anna: nonsense: x Control-q")
    }

    @Test("/bind takes effect at once")
    func binds() throws {
      let home = try Home()
      let shell = try home.shellInLobby(as: "anna")
      try shell.command("/bind \"\\C-xh\": \"hello there\"")
      shell.send("\u{18}h")
      try shell.expect("#lobby> hello there|")
    }

    @Test("aliases that name each other end in a sentence; a command's name is none")
    func aliasLoops() throws {
      let home = try Home()
      let shell = try home.shellInLobby(as: "anna", columns: 160)
      try shell.command("/alias one /two")
      try shell.command("/alias two /one")
      try shell.command("/alias me2 /me2 again")
      for line in ["/one", "/two", "/me2"] {
        shell.send("\u{15}\(line)\r")
        try shell.expect("is not a command")
        try shell.expect("#lobby> \(line)|")
      }
      shell.send("\u{15}/alias quit /who\r")
      try shell.expect("/quit is already a command.")
      shell.send("\u{15}/alias wave /me waves at\r")
      try shell.expect("#lobby> |")
      shell.send("/wave ben\r")
      try shell.expect("waves at ben")
    }
  }
}
