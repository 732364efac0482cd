// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import Foundation
import Testing

extension EndToEnd {
  @Suite("11.5: Plain mode")
  struct PlainModeTests {
    private let home: Home

    init() throws {
      home = try Home()
    }

    @Test(
      "plain mode writes no escape sequence at all",
      arguments: [(["--plain"], [:]), ([], ["TERM": "dumb"])] as [([String], [String: String?])])
    func plainWritesNoEscape(arguments: [String], changes: [String: String?]) throws {
      let shell = try home.shellInLobby(as: "anna", arguments, environment: changes)
      try shell.type("half a line", seeing: "#lobby> half a line|")
      try home.say("while you type\u{1B}[31m", as: "ben")
      // Newline, the message, then prompt and line again.
      try shell.expect("#lobby> half a line|")
      #expect(
        shell.wait(for: 10) { $0.history.contains { $0.contains("ben: while you type^[[31m") } })
      try shell.expect("#lobby> half a line|")
      shell.send(" is sent\r")
      #expect(shell.wait(for: 10) { $0.history.contains { $0.contains("half a line is sent") } })
      try shell.type("/who\r/status\r/edit\r", seeing: "edit 2> half a line is sent")
      try shell.type("\u{07}", seeing: "#lobby> |")
      shell.send("\u{04}")
      #expect(shell.waitForExit(seconds: 10) == 0)
      let allowed = Set<UInt8>([0x07, 0x08, 0x0A, 0x0D])
      let odd = shell.output.filter { $0 < 0x20 && !allowed.contains($0) || $0 == 0x7F }
      #expect(odd.isEmpty, "\(odd)")
    }

    /// A text that a terminal would obey, or draw as something else than it is, and what stands for
    /// it. `^J`, where a row of its own cannot be, is plain mode's alone.
    private static let hostile: [(text: String, shown: String)] = [
      ("hi\u{9B}2J\u{9B}H\u{9D}0;OWNED\u{9C}", "hi<U+009B>2J<U+009B>H<U+009D>0;OWNED<U+009C>"),
      ("\u{9D}52;c;aGk=\u{9C}x", "<U+009D>52;c;aGk=<U+009C>x"),
      ("a\u{85}b\u{FEFF}c\u{202E}d\u{2028}e", "a<U+0085>b<U+FEFF>c<U+202E>d<U+2028>e"),
      ("x\u{E0067}\u{E0001}y", "x<U+E0067><U+E0001>y"),
      ("a\u{AD}z", "a-z"),
    ]

    @Test("11.5, 12.2: both modes draw the line through the same door")
    func hostileLine() throws {
      for (number, (text, shown)) in Self.hostile.enumerated() {
        let home = try Home()
        try home.say(text, as: "ben")
        for arguments in [["--plain"], []] {
          let shell = try home.shellInLobby(as: "anna", arguments, columns: 200)
          try shell.type("/quote 1\r", seeing: shown)
          // Sent by the other, quoted on the line, and found again by a search for it.
          try shell.type("\u{03}", seeing: "#lobby> |")
          try shell.type(text + "!", seeing: "#lobby> \(shown)!|")
          try shell.type("\u{01}\u{06}\u{05}\u{02}", seeing: "#lobby> \(shown)|!")
          try shell.type("\r", seeing: "anna: \(shown)!")
          try shell.type("\u{12}" + text, seeing: "`\(shown)'")
          try shell.type("\u{07}", seeing: "#lobby> |")
          let scalars = String(decoding: shell.output, as: UTF8.self).unicodeScalars
          let obeyed = scalars.filter {
            (0x7F..<0xA0).contains($0.value) || (0xE0000...0xE0FFF).contains($0.value)
              || [0x2028, 0x202E, 0xFEFF].contains($0.value)
          }
          #expect(obeyed.isEmpty, "\(arguments) \(number): \(obeyed)")
          let log = try home.run(["log", "lobby", "--as", "ben", "--json"]).output
          let last = try #require(log.split(separator: "\n").last)
          let message = try JSONSerialization.jsonObject(with: Data(last.utf8)) as? [String: Any]
          #expect(message?["text"] as? String == text + "!", "the line itself keeps its text")
        }
      }
    }

    @Test("11.5: tabs and newlines are blanks and a mark in plain mode")
    func tabsInPlain() throws {
      try home.say("a\tb", as: "ben")
      let shell = try home.shellInLobby(as: "anna", ["--plain"])
      try shell.expect("ben: a")
      try shell.type("/quote 1\r", seeing: "#lobby> > a     b^J|")
      try shell.type("c", seeing: "#lobby> > a     b^Jc|")
      #expect(!shell.output.contains(0x09) && !shell.output.contains(0x1B))
    }

    @Test("11.5: no inputrc setting brings escape sequences into plain mode")
    func settingsInPlain() throws {
      let settings = """
        set show-mode-in-prompt on
        set emacs-mode-string "\\1\\e[1m\\2"
        set enable-active-region on
        set active-region-start-color "\\e[7m"
        set bell-style audible
        """
      let shell = try home.shellInLobby(as: "anna", ["--plain"], inputrc: settings)
      for line in settings.split(separator: "\n") {
        shell.send("/bind \(line)\r")
      }
      try shell.type("\u{18}\u{12}one two\u{1B} \u{01}\u{18}\u{18}", seeing: "#lobby> one two|")
      #expect(!shell.output.contains(0x1B) && !shell.output.contains(0x07))
    }

    @Test("11.4: a shell at a terminal ends silently when the reader of its output goes away")
    func readerGone() throws {
      let shell = try PseudoTerminal(
        command: [
          "/bin/sh", "-c", "{ \(Home.program) --as anna lobby; echo status $? >&2; } | head -1",
        ],
        environment: home.environment)
      #expect(shell.wait(for: 10) { $0.history.contains { $0.contains("status 0") } })
      #expect(shell.waitForExit(seconds: 10) == 0)
      #expect(!shell.emulator.history.contains { $0.hasPrefix("hobnob") })
    }

    @Test("without any output the shell refuses to start, with a sentence")
    func outputClosed() throws {
      let shell = try PseudoTerminal(
        command: ["/bin/sh", "-c", "\(Home.program) --as anna lobby >&-; echo status $?"],
        environment: home.environment)
      #expect(shell.wait(for: 10) { $0.history.contains { $0.contains("status 1") } })
      #expect(shell.emulator.history.contains { $0.contains("Standard output is closed") })
    }

    @Test("3.2: plain mode says that a message is being edited, and how to leave")
    func plainEdit() throws {
      let shell = try home.shellInLobby(as: "anna", ["--plain"])
      try shell.type("the message\r", seeing: "the message")
      try shell.type("/edit\r", seeing: "Editing message 1")
      try shell.expect("edit 1> the message|")
      try shell.type("\u{15}\u{04}", seeing: "#lobby> |")
      shell.send("\u{04}")
      #expect(shell.waitForExit(seconds: 10) == 0)
      #expect(shell.emulator.history.last == "#lobby>")
    }

    @Test("plain mode works in one column", arguments: [1, 24])
    func plainInOneColumn(rows: Int) throws {
      let shell = try home.shell(as: "anna", ["--plain", "lobby"], rows: rows, columns: 1)
      #expect(shell.wait(for: 10) { _ in shell.bytesReceived > 0 })
      // No wide characters: libvterm has no place for them here.
      shell.send("hello\u{02}\u{01}\u{05}")
      try home.say("meanwhile", as: "ben")
      shell.send("\r")
      #expect(
        shell.wait(for: 10) { _ in
          (try? home.run(["log", "lobby", "--as", "ben"]).output)?.contains("anna: hello") == true
        })
      shell.send("\u{04}")
      #expect(shell.waitForExit(seconds: 10) == 0)
    }

    @Test("hold-while-typing keeps messages until Return")
    func messagesAreHeld() throws {
      let shell = try home.shellInLobby(as: "anna", ["--plain"])
      try shell.type("/set hold-while-typing on\r", seeing: "#lobby> |")
      try shell.type("half", seeing: "#lobby> half|")
      try home.say("wait for it", as: "ben")
      try shell.expectNever("wait for it")
      try shell.type(" done\r", seeing: "wait for it")
    }

    @Test("NO_COLOR keeps attributes and removes colours")
    func noColor() throws {
      try home.say("hello", as: "ben")
      for (value, isColored) in [(nil, true), ("1", false)] as [(String?, Bool)] {
        let shell = try home.shellInLobby(as: "anna", environment: ["NO_COLOR": value])
        try shell.expect("ben: hello")
        let sequences = String(decoding: shell.output, as: UTF8.self)
          .matches(of: /\u{1B}\[([0-9;]*)m/).flatMap { $0.1.split(separator: ";") }
        let colors = sequences.compactMap { Int($0) }.filter { 30...49 ~= $0 || 90...107 ~= $0 }
        #expect(colors.isEmpty == !isColored, "\(sequences)")
      }
    }

    @Test("11.5: where another program shows what is typed, as Emacs does, hobnob does not")
    func withoutEcho() throws {
      let home = try Home()
      // As M-x shell sets its terminal.
      let shell = try PseudoTerminal(
        command: [
          "sh", "-c", "stty -echo; exec \"$0\" --as anna lobby", Home.program,
        ], environment: home.environment.merging(["TERM": "dumb"]) { $1 })
      try shell.expect("#lobby> |")
      shell.send("hello\nnaïve\n")
      try shell.expect("[2] anna: naïve")
      try home.say("hi", as: "ben")
      try shell.expect("ben: hi")
      try shell.expect("#lobby> |")
      // What hobnob itself puts into the line, nobody else shows.
      try shell.type("/edit\n", seeing: "edit 2> naïve|")
      try shell.type(" indeed\n", seeing: "edited [2] anna: naïve indeed")
      try shell.expect("#lobby> |")
      shell.send("/who\n/quit\n")
      #expect(shell.waitForExit(seconds: 10) == 0)
      let written = String(decoding: shell.output, as: UTF8.self)
      // Once, as a message.
      #expect(written.components(separatedBy: "hello").count == 2)
      #expect(!written.contains("\u{1B}") && !written.contains("/who"))
      #expect(written.contains("anna: here"))
      #expect(try home.run(["log", "lobby", "--as", "anna"]).output.contains("naïve"))
    }
  }
}
