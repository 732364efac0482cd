// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import Foundation
import Testing

extension EndToEnd {
  @Suite("Preferences with mistakes in them")
  struct PreferenceTests {
    @Test("an inputrc with errors is reported once, and the rest applies")
    func inputrcWithErrors() throws {
      let home = try Home()
      try home.write(
        "set nonsense on\n\"\\C-xq: unterminated\n\"\\C-xy\": \"fine\"\n", to: ".inputrc")
      let shell = try home.shellInLobby(as: "anna", columns: 120)
      try shell.expect("~/.inputrc: line 1: nonsense")
      try shell.expect("~/.inputrc: line 2")
      shell.send("all is \u{18}y\r")
      try shell.expect("1 anna: all is fine")
      #expect(count(of: "inputrc: line 1", in: shell.emulator.picture) == 1)
    }

    @Test("a line that binds nothing is reported with its file and its number")
    func bindingsWithErrors() throws {
      let home = try Home()
      try home.write("/set bell off\n/bind garbage\n", to: "rc")
      let shell = try home.shellInLobby(as: "anna", ["--rc", home.path + "/rc"], columns: 160)
      try shell.expect("/rc, line 2: a binding needs a key, a colon and a function")
    }

    @Test("10: a file that is not regular, or is too long, is refused at once, with --rc as well")
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

    @Test("2.11: a nonsense /bind binds nothing and keeps the line")
    func bindRefusals() throws {
      let home = try Home()
      let shell = try home.shellInLobby(as: "anna", columns: 160)
      for argument in [
        "nonsense", "x", "Control-q", "\"\\C-xq\": nosuch", "\"\\C-xq\" newline", "set nosuch on",
        ": newline:", "\"\"",
      ] {
        shell.send("\u{15}\u{0C}/bind \(argument)\r")
        try shell.expect("The key was not bound")
        try shell.expect("#lobby> /bind \(argument)|")
      }
      // Every letter is still a letter.
      shell.send("\u{15}nonsense: x Control-q\r")
      try shell.expect("1 anna: nonsense: x Control-q")
    }

    @Test("/bind takes effect at once")
    func binds() throws {
      let home = try Home()
      let shell = try home.shellInLobby(as: "anna")
      try shell.command("/bind \"\\C-xh\": \"hello there\"")
      shell.send("\u{18}h")
      try shell.expect("#lobby> hello there|")
    }
  }
}
