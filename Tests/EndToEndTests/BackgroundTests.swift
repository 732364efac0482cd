// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import Foundation
import Testing

extension EndToEnd {
  /// What the terminal answers to the question for its background (OSC 11).
  @Suite("The background")
  struct BackgroundTests {
    private let light = "\u{1B}]11;rgb:ffff/ffff/ffff\u{1B}\\"

    /// The colour of the last name before a text.
    private func colour(before text: String, _ shell: PseudoTerminal) throws -> UInt8? {
      let lines = shell.emulator.screen
      let row = try #require(lines.lastIndex { $0.contains(text) })
      let place = try #require(lines[row].firstRange(of: text)).lowerBound
      let column = lines[row].distance(from: lines[row].startIndex, to: place) - 3
      return shell.emulator.style(row: row, column: column).foreground
    }

    @Test("an answer is used, however late, and is never a key")
    func late() throws {
      let home = try Home()
      try home.say("one", as: "ben")
      let shell = try home.shellInLobby(as: "anna", ["--no-rc"])
      try home.say("two", as: "ben")
      try shell.expect("two")
      shell.send("half a")
      try shell.expect("half a|")
      shell.send(light)
      shell.send(" line")
      try shell.expect("#lobby> half a line|")
      try home.say("three", as: "carl")
      try shell.expect("carl: three")
      let first = try colour(before: ": three", shell)
      try shell.type("\u{15}/set background dark\r", seeing: "background is dark until")
      try home.say("four", as: "ben")
      try home.say("five", as: "carl")
      try shell.expect("carl: five")
      let second = try colour(before: ": five", shell)
      #expect(first != nil && second != nil && first != second)
    }

    @Test("COLORFGBG is a hint before the answer, and the answer counts more")
    func hint() throws {
      let home = try Home()
      try home.say("one", as: "ben")
      func colour(_ hint: String, _ answer: String = "") throws -> UInt8? {
        let shell = try home.shellInLobby(
          as: "anna", ["--no-rc"], environment: ["COLORFGBG": hint])
        shell.send(answer + "x")
        try shell.expect("x|")
        let text = "at \(hint.count)\(answer.count)"
        try home.say("next", as: "ben")
        try home.say(text, as: "carl")
        try shell.expect("carl: " + text)
        return try self.colour(before: ": " + text, shell)
      }
      let (onDark, onLight) = (try colour("15;0"), try colour("0;15"))
      #expect(onDark != onLight && onDark != nil)
      #expect(try colour("15;0", light) == onLight)
    }

    @Test(
      "it asks once, and only where colours are shown and the question is understood",
      arguments: [
        ([:], 1), (["NO_COLOR": "1"], 0), (["TERM": "linux"], 0), (["TERM": "dumb"], 0),
      ] as [([String: String], Int)])
    func question(changes: [String: String], count: Int) throws {
      let home = try Home()
      let shell = try home.shellInLobby(as: "anna", ["--no-rc"], environment: changes)
      shell.send("x")
      try shell.expect("x")
      let bytes = String(decoding: shell.output, as: UTF8.self)
      #expect(bytes.components(separatedBy: "\u{1B}]11;?").count == count + 1)
    }
  }
}
