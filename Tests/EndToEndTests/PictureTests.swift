// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import Foundation
import Testing

extension EndToEnd {
  /// README's pictures, in `share/hobnob/pictures`: the program in a room, on a dark and on a light
  /// background. After a wanted change write them anew, and look at the difference:
  /// `HOBNOB_WRITE_THEMES=1 swift test --filter PictureTests`.
  @Suite("Pictures")
  struct PictureTests {
    @Test("README shows the program as it is", arguments: ["dark", "light"])
    func looksAsKept(background: String) throws {
      let picture = try Self.picture(background)
      let name = "share/hobnob/pictures/room-\(background).svg"
      let file = Repository.root.appendingPathComponent(name)
      if ProcessInfo.processInfo.environment["HOBNOB_WRITE_THEMES"] != nil {
        try FileManager.default.createDirectory(
          at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try picture.write(to: file, atomically: true, encoding: .utf8)
      }
      #expect(try String(contentsOf: file, encoding: .utf8) == picture)
      #expect(try Repository.text(of: "README.md").contains(name))
    }

    private static func picture(_ background: String) throws -> String {
      let home = try Home()
      func say(_ name: String, _ text: String) throws {
        _ = try home.run(["lobby", "--no-rc", "--as", name], input: text + "\n")
      }
      try home.say("morning all", as: "ben")
      try home.say("the kettle is on, who wants tea?", as: "ben")
      try home.say("I do, *green* if there is any", as: "maximiliana")
      try home.say("お茶をください", as: "桜子")
      // Those who speak are here.
      let others = try ["ben", "maximiliana", "桜子", "dora"].map {
        try home.shellInLobby(as: $0, ["--no-rc"])
      }
      defer { withExtendedLifetime(others) {} }
      let shell = try home.shellInLobby(as: "anna", ["--no-rc"], rows: 30, columns: 80)
      shell.emulator.dimColour = background == "dark" ? 245 : 243
      shell.send("/set background \(background)\r")
      try shell.expect("background is \(background) until")
      // What stands there already has the colours of before.
      shell.send("/join kitchen\r")
      try shell.expect("#kitchen> |")
      shell.send("/switch lobby\r")
      try shell.expect("#lobby> |")
      shell.send("/topic tea at ten, in the kitchen\r")
      try shell.expect("changed the topic")
      shell.send("good morning\r")
      try shell.expect("anna: good morning")
      try say(
        "ben",
        "@anna two cups or three? The big pot is in the other kitchen, see #dev, and somebody has to fetch it before ten."
      )
      try shell.expect("see #dev")
      try say("maximiliana", "/react 6 :+1:")
      try shell.expect("👍 maximiliana")
      shell.send("three\r")
      try shell.expect("anna: three")
      shell.send("/edit\r")
      try shell.expect("edit 7>")
      shell.send("\u{15}three, and I bring cake\r")
      try shell.expect("✎ [7] anna: three, and")
      try say("dora", "/join lobby\n/reply 7 which one?")
      try shell.expect("which one?")
      try shell.expect("[7] seen")
      shell.send("the one with _apples_, @ben")
      try shell.expect("@ben|")
      shell.settle()
      return svg(of: shell.emulator, isLight: background == "light")
    }

    // MARK: Drawing

    private struct Run {
      var text: String
      var columns: Int
      var style: Emulator.Style
    }

    /// The screen from the last heading on, with one day and one time.
    private static func rows(of emulator: Emulator) -> [[Run]] {
      var rows: [[Run]] = []
      for row in 0..<emulator.rows {
        var runs: [Run] = []
        for column in 0..<emulator.columns {
          let style = emulator.style(row: row, column: column)
          let character = emulator.character(row: row, column: column)
          if let last = runs.last, last.style == style {
            runs[runs.count - 1].text += character
            runs[runs.count - 1].columns += 1
          } else {
            runs.append(Run(text: character, columns: 1, style: style))
          }
        }
        rows.append(runs)
      }
      func text(_ runs: [Run]) -> String { runs.map(\.text).joined() }
      let start = rows.lastIndex { text($0).hasPrefix("── #lobby") } ?? 0
      let end = rows.lastIndex { !text($0).allSatisfy { $0 == " " } } ?? rows.count - 1
      return rows[start...end].map { runs in
        // A minute may have ended in a run of messages.
        let isRun = text(runs).contains(/^ \d\d:\d\d +\d+ {3,}(?!\S+: )\S/)
        return runs.map { run in
          var run = run
          let count = run.text.count
          run.text = run.text
            .replacing(/^( ?)\d\d:\d\d/) { $0.1 + (isRun ? "     " : "10:03") }
            .replacing(/\w+day, \d+ \w+ \d{4}/, with: "Saturday, 21 November 2026")
          run.columns += run.text.count - count
          return run
        }
      }
    }

    private static let cell = (width: 8.4, height: 19.0)

    private static func svg(of emulator: Emulator, isLight: Bool) -> String {
      let rows = rows(of: emulator)
      let (ground, ink) = isLight ? ("#ffffff", "#1a1a1a") : ("#0c0c0c", "#e4e4e4")
      let width = number(Double(emulator.columns) * cell.width + 24)
      let height = number(Double(rows.count) * cell.height + 24)
      var lines = [
        #"<svg xmlns="http://www.w3.org/2000/svg" width="\#(width)" height="\#(height)" viewBox="0 0 \#(width) \#(height)">"#,
        #"<rect width="100%" height="100%" rx="6" fill="\#(ground)"/>"#,
        #"<g font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="14" fill="\#(ink)" xml:space="preserve">"#,
      ]
      for (index, runs) in rows.enumerated() {
        let top = 12 + Double(index) * cell.height
        var left = 12.0
        for run in runs {
          let extent = Double(run.columns) * cell.width
          defer { left += extent }
          let color = run.style.foreground.map(hex)
          if run.style.isReverse {
            lines.append(
              #"<rect x="\#(number(left))" y="\#(number(top))" width="\#(number(extent))" height="\#(number(cell.height))" fill="\#(color ?? ink)"/>"#
            )
          }
          if run.text.allSatisfy({ $0 == " " }) { continue }
          let attributes =
            attributes(of: run.style, color: run.style.isReverse ? ground : color)
          lines.append(
            #"<text x="\#(number(left))" y="\#(number(top + 14))" textLength="\#(number(extent))"\#(attributes)>\#(escaped(run.text))</text>"#
          )
        }
      }
      return (lines + ["</g>", "</svg>"]).joined(separator: "\n") + "\n"
    }

    private static func attributes(of style: Emulator.Style, color: String?) -> String {
      var text = color.map { #" fill="\#($0)""# } ?? ""
      if style.isBold { text += #" font-weight="bold""# }
      if style.isItalic { text += #" font-style="italic""# }
      let lines = [style.isUnderlined ? "underline" : "", style.isStruck ? "line-through" : ""]
        .filter { !$0.isEmpty }
      if !lines.isEmpty { text += #" text-decoration="\#(lines.joined(separator: " "))""# }
      return text
    }

    private static func escaped(_ text: String) -> String {
      text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }

    private static func number(_ value: Double) -> String { String(format: "%.1f", value) }

    /// xterm's colours.
    private static func hex(_ index: UInt8) -> String {
      let basic = [
        "#000000", "#cd0000", "#00cd00", "#cdcd00", "#0000ee", "#cd00cd", "#00cdcd", "#e5e5e5",
        "#7f7f7f", "#ff0000", "#00ff00", "#ffff00", "#5c5cff", "#ff00ff", "#00ffff", "#ffffff",
      ]
      let index = Int(index)
      if index < 16 { return basic[index] }
      if index >= 232 {
        let level = 8 + 10 * (index - 232)
        return String(format: "#%02x%02x%02x", level, level, level)
      }
      let levels = [0, 95, 135, 175, 215, 255]
      let place = index - 16
      return String(
        format: "#%02x%02x%02x", levels[place / 36], levels[place / 6 % 6], levels[place % 6])
    }
  }
}
