// SPDX-License-Identifier: GPL-3.0-or-later
import Testing

@testable import IRC

@Suite("a line of IRC")
struct IRCLineTests {
  @Test("a tag's value is written so that it reads back the same")
  func escapesTags() {
    let line = IRCLine("TAGMSG", ["#tea"], tags: ["+x": "a; b\\c\r\n", "+y": ""])
    #expect(line.text == "@+x=a\\:\\sb\\\\c\\r\\n;+y TAGMSG #tea")
    #expect(IRCLine(line.text) == line)
  }

  @Test("no text can begin another line")
  func keepsToOneLine() {
    #expect(IRCLine("PRIVMSG", ["#tea", "a\r\nQUIT\0 b"]).text == "PRIVMSG #tea :aQUIT b")
    #expect(IRCLine("KICK", ["#tea", "ben x", "out"]).text == "KICK #tea ben :out")
  }
}
