// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Testing

@testable import IRC

/// What a server says about itself (modern.ircdocs.horse, RPL_ISUPPORT).
@Suite("lines 005")
struct ISupportTests {
  private func support(_ lines: String...) -> ISupport {
    var support = ISupport()
    for line in lines {
      support.note(IRCLine(":srv 005 anna \(line) :are supported by this server")?.parameters ?? [])
    }
    return support
  }

  @Test("tokens have values, none, or are taken back; the last line counts")
  func tokens() {
    let all = support("NETWORK=Tea\\x20Net X Y=a=b", "-X Y=c", "-Z")
    #expect(all["NETWORK"] == "Tea Net")
    #expect(all["X"] == nil)
    #expect(all["Y"] == "c")
    #expect(support("A=\\x3D\\xZZ\\x E=\\")["A"] == "=\\xZZ\\x")
    #expect(support("E")["E"] == "")
  }

  @Test("without tokens, RFC 1459 counts")
  func defaults() {
    let none = ISupport()
    #expect(none.roomSigns == "#&")
    #expect(none.folding == .rfc1459)
    #expect(String(none.ranks.signs) == "@+")
    #expect(none.targets(of: "JOIN") == 20)
    #expect(none.targets(of: "PRIVMSG") == 1)
    #expect(none.historyLimit == 100)
    #expect(none.historyTakesIDs)
    #expect(none.withoutStatus("@#tea") == "@#tea")
    #expect(none.hasParameter("k", isSet: false))
    #expect(none.hasParameter("l", isSet: true) && !none.hasParameter("l", isSet: false))
    #expect(!none.hasParameter("n", isSet: true))
  }

  @Test("values that make no sense are none")
  func nonsense() {
    #expect(support("PREFIX=").ranks.modes.isEmpty)
    #expect(support("PREFIX=(ov)@").ranks.modes.isEmpty)
    #expect(support("PREFIX=ov@+").ranks.modes.isEmpty)
    #expect(support("CHANTYPES=").rules.roomSigns == "#")
    #expect(support("TARGMAX=JOIN:x,:,JOIN").targets(of: "JOIN") == .max)
    #expect(support("CHATHISTORY=-5").historyLimit == 100)
    #expect(support("MONITOR=x").number("MONITOR") == nil)
  }

  @Test("which tags of clients a server passes on")
  func clientTags() {
    let some = support("CLIENTTAGDENY=*,-typing,-draft/react")
    #expect(some.passes(tag: "typing") && some.passes(tag: "draft/react"))
    #expect(!some.passes(tag: "reply"))
    let one = support("CLIENTTAGDENY=typing")
    #expect(!one.passes(tag: "typing") && one.passes(tag: "reply"))
    #expect(ISupport().passes(tag: "reply"))
  }

  @Test("a target for those with a rank is that of the room")
  func statusTargets() {
    let some = support("STATUSMSG=~@+ CHANTYPES=#+")
    #expect(some.withoutStatus("@#tea") == "#tea")
    #expect(some.withoutStatus("++tea") == "+tea")
    #expect(some.withoutStatus("+tea") == "+tea")
    #expect(some.withoutStatus("@ben") == "@ben")
    #expect(some.withoutStatus("@") == "@")
    #expect(some.withoutStatus("") == "")
  }
}
