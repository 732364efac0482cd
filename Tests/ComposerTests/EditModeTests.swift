// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import StyledText
import Testing

@Suite("3.1 to 3.9: Edit mode")
struct EditModeTests {
  static let mode = EditMode(target: 42, original: "old text")

  @Test(
    "3.3, 3.4, 3.9: What Return does",
    arguments: [
      ("new text", .save("new text")),
      ("old text", .unchanged),
      ("old text/cancel", .command(.cancel)), ("old text /cancel ", .command(.cancel)),
      ("new text/cancel", .mayMeanCancel("new text/cancel")),
      ("new /cancel\n", .mayMeanCancel("new /cancel")), ("/canceled", .refusedCommand),
      ("old text ", .save("old text ")),
      ("", .refusedBlank),
      (" \n", .refusedBlank),
      ("a very long text indeed", .refusedOverLimit(23, limit: 20)),
      ("/cancel", .command(.cancel)),
      ("/cancel \n", .command(.cancel)),
      ("/edit", .command(.edit(nil))),
      ("/edit 7", .command(.edit(7))),
      ("/edit -2", .command(.edit(-2))),
      ("/edit x", .refusedCommand),
      ("/edit 1 2", .refusedCommand),
      ("/cancel now", .refusedCommand),
      ("/quit", .refusedCommand),
      ("/me\nwaves", .refusedCommand),
      ("/me waves", .refusedCommand),
      (" /cancel", .refusedCommand),
      ("/join\nx", .refusedCommand),
      ("//cancel", .save("/cancel")),
    ] as [(String, EditMode.Outcome)])
  func judged(_ text: String, _ outcome: EditMode.Outcome) {
    #expect(Self.mode.judge(text, rules: LineRules(messageLimit: 20)) == outcome)
  }

  @Test(
    "3.9: A text that begins with / is shown with //, and comes back as it was",
    arguments: ["/usr/bin", "//x", "/", "plain", "", " /x", "/\u{338}"])
  func shownTexts(_ stored: String) {
    let mode = EditMode(target: 1, original: stored)
    let shown = EditMode.escapingSlash(stored)
    #expect(mode.judge(shown, rules: LineRules()) == .unchanged)
    if stored.utf8.first == UInt8(ascii: "/") {
      #expect(mode.judge(shown + "!", rules: LineRules()) == .save(stored + "!"))
    }
  }

  @Test("A message over today's limit may be left unchanged")
  func overLimitUntouched() {
    #expect(Self.mode.judge("old text", rules: LineRules(messageLimit: 2)) == .unchanged)
  }

  @Test("Two spellings of é are a change")
  func byteChange() {
    let mode = EditMode(target: 1, original: "\u{E9}")
    #expect(mode.judge("e\u{301}", rules: LineRules()) == .save("e\u{301}"))
  }

  @Test("3.2: Prompt and status")
  func texts() {
    #expect(Self.mode.prompt.string == "edit 42> ")
    #expect(
      Self.mode.status.string
        == "Editing message 42 — Return saves, /cancel or C-g leaves")
  }
}
