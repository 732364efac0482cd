// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import Testing

/// A row of a table of keys: what is typed, and whether hobnob should differ from bash.
struct KeyRow: CustomStringConvertible {
  /// As written in the table.
  let notation: String
  /// What hobnob shows, `|` at the caret, where a rule asks for something that bash does not do; nil
  /// where it is to be what bash shows.
  var ownLine: String?
  /// The rule that requires it.
  var rule = ""
  /// The known fault because of which hobnob does not do what bash does.
  var openFault: String?

  var description: String { notation }

  /// Reads a table: a row a line, empty lines and lines that begin with `##` apart.
  ///
  /// Keys are written as in an inputrc: `\C-a`, `\M-f`, `\e` (the first byte of a sequence), `\d`
  /// (Backspace), `\t`, `\r`, `\s` (a space), `\\`. `\E` is the Escape key, pressed alone, in vi
  /// mode. Behind them may stand ` => ` and what hobnob alone shows, ` # ` and the rule; or ` !! `
  /// and the fault that is known.
  static func table(_ text: String) -> [KeyRow] {
    text.split(separator: "\n").filter { !$0.hasPrefix("##") }.map { line in
      let (rest, rule) = divided(String(line), at: " # ")
      let (keys, fault) = divided(rest, at: " !! ")
      let (notation, own) = divided(keys, at: " => ")
      return KeyRow(notation: notation, ownLine: own, rule: rule ?? "", openFault: fault)
    }
  }

  private static func divided(_ text: String, at mark: String) -> (String, String?) {
    guard let found = text.firstRange(of: mark) else { return (text, nil) }
    return (String(text[..<found.lowerBound]), String(text[found.upperBound...]))
  }

  /// The bytes of the keys, cut behind each press of Escape, which is known to be one only when
  /// nothing follows.
  var strokes: [[UInt8]] {
    var strokes: [[UInt8]] = [[]]
    var rest = Substring(notation)
    while !rest.isEmpty {
      let isEscape = rest.hasPrefix(#"\E"#)
      strokes[strokes.count - 1] += Self.key(&rest)
      if isEscape { strokes.append([]) }
    }
    return strokes
  }

  /// Takes one key from the front.
  private static func key(_ rest: inout Substring) -> [UInt8] {
    let first = rest.removeFirst()
    guard first == "\\", let name = rest.popFirst() else { return Array(String(first).utf8) }
    switch name {
    case "C":
      rest.removeFirst()
      let letter = rest.removeFirst().asciiValue ?? 0
      return [letter & 0x1F]
    case "M":
      rest.removeFirst()
      return [0x1B] + key(&rest)
    case "e", "E": return [0x1B]
    case "d": return [0x7F]
    case "t": return [0x09]
    case "r": return [0x0D]
    case "s": return [0x20]
    default: return Array(String(name).utf8)
    }
  }
}

/// bash and hobnob beside each other: the same inputrc, the same history, the same keys.
struct BesideBash {
  let bash: PseudoTerminal
  let hobnob: PseudoTerminal
  private let home: Home
  private let isVi: Bool
  /// How the prompt shows insert mode.
  private var insertMode: String { isVi ? "(ins)" : "" }

  /// What is typed last, so that a row is known to have been handled: it stands before the caret.
  private static let mark = "|"
  /// The lines that are sent, one after the other and over again; Up and C-r find them.
  private static let history = ["alpha one", "beta two words", "gamma three", "delta four five"]
  private var sent = 0

  init(inputrc: String) throws {
    home = try Home()
    isVi = inputrc.contains("editing-mode vi")
    try home.write(
      """
      set enable-bracketed-paste off
      set keyseq-timeout 5
      set revert-all-at-newline on
      \(inputrc)

      """, to: ".inputrc")
    var environment = home.environment
    // bash finds no program to run, keeps no file, and counts what was sent in its prompt.
    environment.merge([
      "PATH": "/nonexistent", "PS1": "\\#> ", "HISTFILE": "",
    ]) { $1 }
    bash = try PseudoTerminal(
      command: ["/bin/sh", "-c", "/bin/stty -ixon; exec /bin/bash --norc -i"],
      environment: environment)
    hobnob = try home.shell(as: "anna", ["lobby"])
    for terminal in [bash, hobnob] {
      try #require(terminal.wait(for: 20) { _ in terminal.caretRow.contains(">") })
    }
    for _ in Self.history { try send() }
  }

  /// Sends a line with both.
  private mutating func send() throws {
    let line = Self.history[sent % Self.history.count]
    sent += 1
    for terminal in [bash, hobnob] { terminal.send(line + "\r") }
    // bash counts in its prompt; the message is printed above hobnob's.
    let isSent =
      bash.wait(for: 20) { _ in bash.caretRow.hasPrefix("\(insertMode)\(sent + 1)>") }
      && hobnob.wait(for: 20) { $0.text(ofRow: $0.cursor.row - 1).contains(" \(sent) ") }
    try #require(isSent, "\(bash.emulator.picture)\n\(hobnob.emulator.picture)")
  }

  /// Types a row, beginning with an empty line; into both unless it is hobnob's alone.
  ///
  /// - Returns: what hobnob shows and what it should, with `|` before the caret.
  mutating func outcome(of row: KeyRow) throws -> (shown: String, wanted: String) {
    let typists = row.ownLine == nil ? [bash, hobnob] : [hobnob]
    try type(row.strokes, into: typists)
    for terminal in typists {
      terminal.send((isVi ? "i" : "") + Self.mark)
      _ = terminal.wait(for: 5) { _ in line(of: terminal).contains(Self.mark) }
    }
    // A redrawn line may arrive in several pieces.
    for _ in 0..<(row.openFault == nil ? 20 : 5)
    where line(of: hobnob) != row.ownLine ?? line(of: bash) {
      for terminal in typists { _ = terminal.wait(for: 0.02) { _ in false } }
    }
    let outcome = (line(of: hobnob), row.ownLine ?? line(of: bash))
    // A text of several lines goes as a whole.
    if row.ownLine != nil { hobnob.send("\u{03}") }
    try startAfresh()
    return outcome
  }

  private func type(_ strokes: [[UInt8]], into terminals: [PseudoTerminal]) throws {
    for (index, stroke) in strokes.enumerated() {
      for terminal in terminals { terminal.send(stroke) }
      guard index < strokes.count - 1 else { return }
      for terminal in terminals {
        _ = terminal.wait(for: 5) { screen in
          // The text may have a line above the caret's.
          (0...1).contains { screen.text(ofRow: screen.cursor.row - $0).hasPrefix("(cmd)") }
        }
      }
    }
  }

  /// Empties both lines and forgets their undo, which sending does.
  private mutating func startAfresh() throws {
    if isVi {
      try type([[0x1B], Array("S".utf8)], into: [bash, hobnob])
    } else {
      // Ends a search or an argument, then kill-whole-line by the pair's own binding.
      for terminal in [bash, hobnob] { terminal.send("\u{07}\u{18}\u{0B}") }
    }
    try send()
  }

  /// The mode and the text behind the prompt, the caret marked when it does not stand behind `|`.
  private func line(of terminal: PseudoTerminal) -> String {
    let row = terminal.caretRow
    let column = terminal.emulator.cursor.column
    let before = (0..<column).map {
      terminal.emulator.character(row: terminal.emulator.cursor.row, column: $0)
    }.joined()
    let caret = before.hasSuffix(Self.mark) ? "" : " (caret behind \"\(before)\")"
    guard let prompt = row.firstMatch(of: /^(\([a-z]+\))?[#a-z0-9]+>( |$)/) else {
      return row + caret
    }
    return (prompt.1 ?? "") + row[prompt.range.upperBound...] + caret
  }
}
