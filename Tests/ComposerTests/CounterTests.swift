// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import StyledText
import Testing

@Suite("1.7: the counter as an item")
struct CounterTests {
  @Test("without a limit no counter is drawn")
  func noLimit() {
    for limit in [0, -1] {
      for style in CounterStyle.allCases {
        #expect(Counter.item(text: "hello", limit: limit, style: style) == nil)
      }
    }
  }

  @Test(
    "it counts as the limit does, and warns when Return would refuse",
    arguments: [
      ("", CounterStyle.split, "0/3", false),
      ("abc", .split, "3/3", false),
      ("abcd", .split, "4/3", true),
      (" abc\n", .none, "3", false),
      ("//ab", .split, "3/3", false),
      ("👨‍👩‍👧🇩🇪e\u{301}", .countdownReversed, "0", false),
      ("👨‍👩‍👧🇩🇪e\u{301}x", .countdownReversed, "-1", true),
      ("abcd", .countdown, "1", true),
      ("a", .countdown, "-2", false),
      // The limit is one for messages.
      ("/topic", .split, "6/3", false),
    ])
  func counts(_ text: String, _ style: CounterStyle, _ shown: String, _ warns: Bool) throws {
    let item = try #require(Counter.item(text: text, limit: 3, style: style))
    #expect(item.line.plain.string == shown)
    #expect(item.line.runs.map(\.style) == [warns ? Counter.warning : Counter.style])
    #expect(item.id == Counter.id)
    #expect(Counter.warning.foreground == .red)
    #expect(warns == (LineRules(messageLimit: 3).judge(text) == .overLimit(4, limit: 3)))
  }
}
