// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import Foundation
import Testing

extension EndToEnd {
  @Suite("1.10: The text in an editor")
  struct ExternalEditorTests {
    /// A home with a script that stands for an editor; its last argument is the file.
    private static func home(_ script: String) throws -> Home {
      let home = try Home()
      try home.write(script + "\n", to: "editor")
      return home
    }

    @Test(
      "C-x C-e brings back what the editor saved, as one undo",
      arguments: [
        ("VISUAL", "sh EDITOR"), ("EDITOR", "sh EDITOR"), ("EDITOR", "sh EDITOR --wait"),
      ])
    func bringsBack(variable: String, command: String) throws {
      let home = try Self.home(
        "for file; do :; done; cp \"$file\" ~/seen; printf 'and more\\n' >> \"$file\"")
      let value = command.replacing("EDITOR", with: home.path + "/editor")
      var changes: [String: String?] = ["EDITOR": "false"]
      changes[variable] = value
      let shell = try home.shellInLobby(as: "anna", environment: changes)
      shell.send("half a line\u{02}\u{02}\u{18}\u{05}")
      try shell.expect("#lobby> half a line\n        and more|")
      #expect(try String(contentsOfFile: home.path + "/seen", encoding: .utf8) == "half a line\n")
      shell.send(Key.undo)
      try shell.expect("#lobby> half a line")
      try shell.expectGone("and more")
      shell.send(Key.redo + "\r")
      try shell.expect("1 anna: half a line")
    }

    @Test(
      "a failing editor changes nothing, and the reason is shown",
      arguments: [
        ("echo spoiled > \"$1\"; exit 3", "status 3"), (": > \"$1\"", "left an empty file"),
        ("rm \"$1\"", "cannot read the text"), ("kill -9 $$", "status 137"),
      ])
    func failuresChangeNothing(script: String, reason: String) throws {
      let home = try Self.home(script)
      let shell = try home.shellInLobby(
        as: "anna", environment: ["EDITOR": "sh \(home.path)/editor"])
      shell.send("half a line\u{02}\u{02}")
      try shell.expect("#lobby> half a li|ne")
      shell.send("\u{18}\u{05}")
      try shell.expect(reason)
      try shell.expect("#lobby> half a li|ne")
      shell.send("\u{17}")
      try shell.expect("#lobby> half a |ne")
      shell.send(Key.undo)
      try shell.expect("#lobby> half a li|ne")
    }

    @Test("C-\\ ends the editor, and not the shell")
    func quitInTheEditor() throws {
      let home = try Self.home("echo ready; exec sleep 60")
      let shell = try home.shellInLobby(
        as: "anna", environment: ["EDITOR": "sh \(home.path)/editor"])
      try shell.type("half a line", seeing: "#lobby> half a line|")
      shell.send("\u{18}\u{05}")
      try shell.expect("ready")
      shell.send("\u{1C}")
      try shell.expect("status 131")
      try shell.expect("#lobby> half a line|")
      shell.kill(SIGQUIT)
      try shell.type("!", seeing: "#lobby> half a line!|")
    }

    @Test(
      "Return in a program that does not read it puts no line break before the next text",
      arguments: ["\u{18}\u{05}", "/history 40\r"])
    func returnInTheEditor(start: String) throws {
      let home = try Self.home(
        "echo ready; while [ ! -e \"$HOME/go\" ]; do sleep 0.02; done; exit 3")
      let lines = (1...40).map { "line \($0)." }.joined(separator: "\n")
      #expect(try home.run(["lobby", "--as", "ben"], input: lines + "\n").status == 0)
      let program = "sh \(home.path)/editor"
      let shell = try home.shellInLobby(
        as: "anna", environment: ["EDITOR": program, "PAGER": program, "HOME": home.path])
      shell.send(start)
      try shell.expect("ready")
      shell.send("\r\rtea")
      try Data().write(to: URL(fileURLWithPath: home.path + "/go"))
      try shell.expect("status 3")
      try shell.expect("#lobby> tea|")
    }

    @Test("a missing editor changes nothing")
    func missingEditor() throws {
      let home = try Home()
      let shell = try home.shellInLobby(as: "anna", environment: ["EDITOR": "/no/such/editor"])
      shell.send("half a line\u{18}\u{05}")
      try shell.expect("/no/such/editor could not be run: No such file or directory.")
      try shell.expect("#lobby> half a line|")
    }

    /// An editor that is open until the file `go` is there.
    private static let open =
      "echo the editor; touch ~/here; while [ ! -e ~/go ]; do sleep 0.02; done; echo later > \"$1\""

    @Test("7.6: messages that arrive meanwhile are printed when it closes")
    func messagesWait() throws {
      let home = try Self.home(Self.open)
      let shell = try home.shellInLobby(
        as: "anna", environment: ["EDITOR": "sh \(home.path)/editor"])
      shell.send("half a line\u{18}\u{05}")
      try shell.expect("the editor")
      for number in 1...3 { try home.say("meanwhile \(number)", as: "ben") }
      try shell.expectNever("meanwhile")
      try home.write("", to: "go")
      try shell.expect("meanwhile 3\n#lobby> later|")
      #expect(count(of: "meanwhile", in: shell.emulator.picture) == 3)
    }

    @Test("5.1: killed while the editor is open, the text is a draft")
    func killedMeanwhile() throws {
      let home = try Self.home(Self.open)
      let shell = try home.shellInLobby(
        as: "anna",
        // Killed, it leaves its file behind.
        environment: ["EDITOR": "sh \(home.path)/editor", "TMPDIR": home.path])
      shell.send("half a line\u{02}\u{02}\u{18}\u{05}")
      try shell.expect("the editor")
      shell.kill(9)
      #expect(shell.waitForExit(seconds: 10) != nil)
      let again = try home.shell(as: "anna", ["lobby"])
      try again.expect("#lobby> half a li|ne")
      try home.write("", to: "go")
    }

    @Test("only the person can read the file, and it is gone afterwards")
    func theFileIsPrivate() throws {
      let home = try Self.home("stat -c %a \"$1\" > ~/mode; echo \"$1\" > ~/name")
      let shell = try home.shellInLobby(
        as: "anna", environment: ["EDITOR": "sh \(home.path)/editor"])
      shell.send("half a line\u{18}\u{05}")
      #expect(
        shell.wait(for: 10) { _ in FileManager.default.fileExists(atPath: home.path + "/name") })
      try shell.expect("#lobby> half a line|")
      #expect(try String(contentsOfFile: home.path + "/mode", encoding: .utf8) == "600\n")
      let name = try String(contentsOfFile: home.path + "/name", encoding: .utf8).dropLast()
      #expect(shell.wait(for: 10) { _ in !FileManager.default.fileExists(atPath: String(name)) })
    }
  }
}
