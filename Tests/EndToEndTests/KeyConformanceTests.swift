// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import Testing

extension EndToEnd {
  /// What the fingers know from other shells holds here: the same keys, typed into bash and into
  /// hobnob, give the same text, caret and mode, but where a rule asks for something else.
  @Suite("Keys do what they do in bash")
  struct KeyConformanceTests {
    @Test("in emacs mode")
    func emacsMode() throws {
      let pair = try BesideBash(
        inputrc: #"""
          "\C-x\C-k": kill-whole-line
          "\C-x\C-w": kill-region
          "\C-x\C-y": copy-region-as-kill
          "\C-x\C-f": copy-forward-word
          "\C-x\C-b": copy-backward-word
          "\C-x\C-o": overwrite-mode
          "\C-x\C-p": history-search-backward
          "\C-x\C-n": history-substring-search-backward
          "\C-x\C-t": tab-insert
          "\C-x\C-a": " bound "
          "\C-x\C-v": unix-filename-rubout
          """#)
      try compare(Self.emacs, with: pair)
    }

    @Test("in vi mode")
    func viMode() throws {
      let pair = try BesideBash(
        inputrc: """
          set editing-mode vi
          set show-mode-in-prompt on
          set vi-ins-mode-string (ins)
          set vi-cmd-mode-string (cmd)
          """)
      try compare(Self.vi, with: pair)
    }

    private func compare(_ table: String, with pair: BesideBash) throws {
      var pair = pair
      for row in KeyRow.table(table) {
        let (shown, wanted) = try pair.outcome(of: row)
        if let fault = row.openFault {
          withKnownIssue("\(row): \(fault)") { #expect(shown == wanted) }
        } else {
          #expect(shown == wanted, "\(row)  \(row.rule)")
        }
      }
    }

    @Test("C-o sends a line of the history and fetches the next")
    func operateAndGetNext() throws {
      let pair = try BesideBash(inputrc: "")
      for terminal in [pair.bash, pair.hobnob] {
        terminal.send("\u{12}alpha\u{0F}")
        try terminal.expect("> beta two words|")
        terminal.send("\u{0F}")
        try terminal.expect("> gamma three|")
      }
    }

    @Test("1.6: C-d on an empty line leaves")
    func endOfFileLeaves() throws {
      let pair = try BesideBash(inputrc: "")
      // bash's status is that of its last command, which did not exist.
      for (terminal, status) in [(pair.bash, Int32(127)), (pair.hobnob, 0)] {
        terminal.send("ab\u{01}\u{04}\u{04}")
        try terminal.expect("> ")
        terminal.send("\u{04}")
        #expect(terminal.waitForExit(seconds: 20) == status)
      }
    }
  }
}
