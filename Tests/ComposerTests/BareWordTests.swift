// SPDX-License-Identifier: GPL-3.0-or-later
import StyledText
import Testing

@testable import Composer

@Suite("2.12: Names without a prefix")
struct BareWordTests {
  private func typist() -> Typist {
    let source = TestArguments()
    source.names = [
      Candidate("Anna", identity: "anna@host", recency: 2), Candidate("Annabel", recency: 5),
      Candidate("Ben", identity: "ben@host", recency: 1),
    ]
    return Typist(CompletionSession(registry: Typist.registry(), argumentSource: source))
  }

  @Test(
    "TAB completes them, with a colon at the start of the text and without one elsewhere",
    arguments: [
      ("be⇥", "Ben: |", ""), ("ask be⇥", "ask Ben |", ""), ("be", "be|", ""),
      ("xyz⇥", "xyz|", ""), ("⇥", "|", ""), ("ask ⇥", "ask |", ""),
      // What they have in common, then the menu, who spoke last first.
      ("an⇥", "Anna|", "[Anna]bel\n[Anna]"), ("an⇥⇥", "Anna|", "▸[Anna]bel\n[Anna]"),
      ("an⇥⇥⏎", "Annabel: |", ""), ("an⇥⇥⇥⏎", "Anna: |", ""),
      ("an⇥b", "Annab|", "[Annab]el"), ("an⇥⎋", "Anna|", ""), ("an⇥x", "Annax|", ""),
      // One that was accepted and not edited since is no word to complete.
      ("be⇥←←⇥", "Ben|: ", ""), ("@be⇥", "@Ben: |", ""),
      // In an argument that has no candidates of its own.
      ("/join lobby be⇥", "/join lobby Ben |", "/join ROOM"),
    ])
  func byTab(keys: String, line: String, menu: String) {
    var typist = typist()
    typist.type(keys)
    #expect(typist.line == line)
    #expect(typist.menu == menu)
  }

  @Test("2.10: at the start it is a mention, in the middle a word like any other")
  func mentions() {
    var typist = typist()
    typist.type("be⇥and be⇥")
    #expect(typist.line == "Ben: and Ben |")
    #expect(typist.accepted.map(\.candidate.identity) == ["ben@host", nil])
    #expect(typist.accepted.first?.range == 0..<3)
  }

  @Test("2.11: readline's own functions find them too")
  func listed() throws {
    let session = typist().session
    let one = try #require(session.completions(in: "be", caret: 2))
    #expect(one.choices.map(\.text) == ["Ben: "] && one.word == 0..<2)
    let more = try #require(session.completions(in: "so an", caret: 5))
    #expect(more.choices.map(\.text) == ["Annabel", "Anna"] && more.common == "Anna")
    #expect(session.completions(in: "so ", caret: 3) == nil)
  }
}

@Suite("2.1: An emoji is offered once, however many shortcodes it has")
struct OneForEachHintTests {
  private func typist() -> Typist {
    var registry = CompletionRegistry()
    let list = [
      ("grinning", "😀"), ("grinning_face", "😀"), ("grin", "😁"), ("beaming_grin", "😁"),
      ("tada", "🎉"), ("party_popper", "🎉"), ("bare", ""), ("bar", ""),
    ].map { Candidate($0, hint: $1) }
    registry.register(":", source: ListSource(list), .emoji(opensAfter: 2) { true })
    return Typist(CompletionSession(registry: registry))
  }

  @Test(
    "by the first of its names that begins with the word, or else that contains it",
    arguments: [
      (":gri", "[gri]n  😁\n[gri]nning  😀"), (":grinning", "[grinning]  😀"),
      (":grinning_", "[grinning_]face  😀"), (":popp", "party_[popp]er  🎉"),
      // A name alone is a thing of its own.
      (":bar", "[bar]\n[bar]e"), (":grinning_⌫⌫⌫⌫", "[grinn]ing  😀"),
    ])
  func menu(keys: String, menu: String) {
    var typist = typist()
    typist.type(keys)
    #expect(typist.menu == menu)
  }

  @Test("TAB accepts the only candidate, and lists show it once")
  func accepting() throws {
    var typist = typist()
    typist.type(":grinn⇥")
    #expect(typist.line == "😀 |")
    let found = try #require(self.typist().session.completions(in: ":gri", caret: 4))
    #expect(found.choices.map(\.text) == [":grin", ":grinning"])
  }
}
