// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import Foundation
import Testing

extension EndToEnd {
  @Suite("One message: /info, /quote, /copy")
  struct MessageInfoEndToEndTests {

    @Test("12.5: a body over 64 KiB is folded when printed, and whole in /info")
    func longBodies() throws {
      let home = try Home()
      let text = "beginning " + String(repeating: "x", count: 70_000) + "\nthe very end"
      try home.say(text, as: "ben")
      try home.say("short", as: "ben")
      let shell = try home.shellInLobby(as: "anna", environment: ["PAGER": "sh -c 'cat > ~/paged'"])
      try shell.expect("ben: beginning\n                xxx")
      try shell.expect("(70.0 kB, folded; to read all: /info 1)")
      #expect(!shell.emulator.history.contains { $0.contains("the very end") })
      #expect(shell.emulator.history.count < 30)
      shell.send("/info 1\r")
      try shell.expect("#lobby> |")
      let paged = { (try? String(contentsOfFile: home.path + "/paged", encoding: .utf8)) ?? "" }
      #expect(shell.wait(for: 10) { _ in paged().contains("the very end") })
      // In rows of the terminal's width (13.7).
      let whole = paged().filter { $0 != " " && $0 != "\n" }
      #expect(whole.contains(String(repeating: "x", count: 70_000)))
      // Batch prints the whole of it.
      let all = try home.run(["--as", "anna", "--no-rc", "lobby"], input: "/info 1\n").output
      #expect(all.contains("the very end"))
    }

    @Test("10: /quote puts the text onto the line, and can be undone")
    func quotes() throws {
      let home = try Home()
      try home.say("first\n\nsecond", as: "ben")
      let (anna, ben) = try home.annaAndBen()
      try anna.type("/quote 1\r", seeing: "#lobby> > first\n        >\n        > second\n        |")
      try ben.expectNever("is typing", from: anna)
      try anna.type(Key.undo, seeing: "#lobby> |")
      try anna.type(Key.redo, seeing: "> second")
      anna.send("yes\r")
      try ben.expect("yes")
      try anna.type("/quote 9\r", seeing: "There is no message 9")
    }

    /// What the terminal was asked to put into its clipboard.
    private static func copied(_ shell: PseudoTerminal) -> [String] {
      String(decoding: shell.output, as: UTF8.self)
        .matches(of: /\u{1B}\]52;c;([A-Za-z0-9+\/=]*)\u{07}/).compactMap {
          Data(base64Encoded: String($0.1)).map { String(decoding: $0, as: UTF8.self) }
        }
    }

    @Test("7.9: /copy gives the text to the terminal by OSC 52, with marks for control characters")
    func copies() throws {
      let home = try Home()
      let texts = ["a", "ab", "abc — ü 🎉\nsecond", "\u{1B}[31mred\u{07}"]
      for text in texts { try home.say(text, as: "ben") }
      let shell = try home.shellInLobby(as: "anna")
      for number in texts.indices {
        shell.send("/copy \(number + 1)\r")
        _ = shell.wait(for: 10) { _ in Self.copied(shell).count == number + 1 }
      }
      try shell.expect("Copied")
      #expect(Self.copied(shell) == texts.dropLast() + ["^[[31mred^G"])
      #expect(shell.emulator.picture.contains("#lobby> |"))
    }

    @Test("7.9: /copy is refused without a clipboard, and for more than terminals take")
    func refusesToCopy() throws {
      let home = try Home()
      try home.say(String(repeating: "x", count: 80_000), as: "ben")
      try home.say("short", as: "ben")
      let shell = try home.shellInLobby(as: "anna")
      try shell.type("/copy 1\r", seeing: "terminals take no more than 74994")
      let plain = try home.shell(as: "anna", ["--plain", "lobby"])
      try plain.expect("lobby> ")
      try plain.type("/copy 2\r", seeing: "hobnob cannot copy")
      let batch = try home.run(["--as", "anna", "lobby"], input: "/copy 2\n")
      #expect(batch.status == 1 && batch.errors.contains("there is none here"))
      for finished in [Self.copied(shell), Self.copied(plain)] { #expect(finished.isEmpty) }
      #expect(!plain.output.contains(0x1B) && !batch.output.contains("\u{1B}"))
    }
  }
}
