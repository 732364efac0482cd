// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import Foundation
import Testing

extension EndToEnd {
  @Suite("/keys: what people know from other programs")
  struct HabitTests {
    static let programs = ["irssi", "weechat", "profanity"]

    /// The names in a program, and the sentence beside them.
    private func rows(_ program: String, _ home: Home) throws -> [(theirs: String, ours: String)] {
      try home.run(["--as", "anna", "--no-rc"], input: "/keys \(program)\n").output
        .split(separator: "\n").map {
          let parts = $0.split(separator: /\s{2,}/, maxSplits: 1)
          return (String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
        }
    }

    @Test("each command, setting, function and key that it names is here", arguments: programs)
    func namesWhatIsHere(program: String) throws {
      let home = try Home()
      let rows = try rows(program, home)
      try #require(rows.count > 20)
      let help = try home.run(["--no-rc"], input: "/help\n").output
      let settings = try home.run(["--no-rc"], input: "/set\n").output
      // As long as the screen, and where PageUp has a use.
      let shell = try home.shellInLobby(
        as: "anna", ["--no-rc"], rows: 250, columns: 160, environment: ["TERM": "linux"])
      try shell.type("/keys\r", seeing: "yank-pop")
      try shell.expect("#lobby> |")
      let bindings = shell.emulator.picture
      for row in rows {
        #expect(!row.ours.isEmpty, "\(row)")
        for found in row.ours.matches(of: /\/[a-z]+/) {
          #expect(help.firstMatch(of: try Regex("(?m)^  \(found.0)(?![a-z])")) != nil, "\(row)")
        }
        for found in row.ours.matches(of: /\/set ([a-z-]+)/) where found.1 != "shows" {
          #expect(settings.contains("\n  \(found.1) "), "\(row)")
        }
        let keys = /\b(C-x C-[a-z]|[CM]-[a-z]\b|M-Return|PageUp|TAB|Up\b)/
        for found in row.ours.matches(of: keys) {
          #expect(bindings.firstMatch(of: try Regex("[ ,]\(found.0)[,\n]")) != nil, "\(row)")
        }
        // A function, which has no key: hobnob says how to bind it.
        if row.ours.contains("conversation-1") {
          let said = try home.run(["--no-rc"], input: "/keys conversation-1\n")
          #expect((said.output + said.errors).contains("conversation-1"))
        }
      }
    }

    @Test("the table fits 60 columns, and completes")
    func narrow() throws {
      let home = try Home()
      let shell = try home.shellInLobby(as: "anna", ["--no-rc"], rows: 120, columns: 60)
      try shell.type("/keys irs\t", seeing: "/keys irssi |")
      try shell.type("\r", seeing: "/script, /exec")
      try shell.expect("#lobby> |")
      // A row that the terminal had to wrap would begin in the first column.
      let rows = shell.emulator.screen.drop { $0 != "Alt-1..9" && !$0.hasPrefix("Alt-1..9 ") }
        .prefix { !$0.hasPrefix("#") }
      #expect(rows.count > 30)
      for row in rows where !row.hasPrefix(" ") {
        #expect(row.firstMatch(of: /^(Alt-|Ctrl-|Tab|Up|PageUp|\/)/) != nil, "\(row)")
      }
    }

    @Test("1.11: an unknown command is told what it is called here")
    func unknownCommand() throws {
      let home = try Home()
      for (line, answer) in [
        ("/window", "There is no /window; /switch NAME and /win N go to"),
        ("/WC ben", "There is no /WC; /leave leaves the room;"),
        ("/omemo", "There is no /omemo; /encrypt on encrypts"),
        ("/buffers", "There is no /buffers; /list lists your conversations."),
        ("/dnd", "There is no /dnd; /away and /back"),
        ("/roster", "There is no /roster; /contact lists"),
      ] {
        let said = try home.run(["--as", "anna", "--no-rc"], input: line + "\n")
        #expect(said.errors.contains(answer), "\(said.errors)")
      }
    }
  }
}
