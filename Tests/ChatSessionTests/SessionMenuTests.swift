// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import StyledText
import Testing

@testable import ChatSession
@testable import ChatShell

/// The menu of the bar, with what a session offers for it.
@MainActor
@Suite("2.5, 2.6, 2.8: What a session offers in the menu")
struct SessionMenuTests {
  private let town: Town
  private let anna: Person

  init() throws {
    town = try Town()
    for name in ["ben", "bea", "carl", "cent"] { try town.person(name).say("hello") }
    anna = try town.person("anna")
  }

  private func bar() -> BarController<TypedLine> {
    let session: Session = anna.session
    var registry = CompletionRegistry()
    for prefix in CompletionPrefix.allCases {
      registry.register(
        prefix.rawValue, source: ShellSource(prefix, of: session), prefix.rules(in: session))
    }
    return BarController(
      TypedLine(), registry: registry, argumentSource: ShellArguments(of: session))
  }

  /// The line after these keys, `⇥` for TAB.
  private func line(_ keys: String) -> String {
    let bar = bar()
    for key in keys { bar.type(key == "⇥" ? .complete : .text(String(key))) }
    return bar.draft.text
  }

  @Test(
    "2.8: command arguments are completed by kind",
    arguments: [
      ("/search fr⇥be⇥", "/search from:be"), ("/search fr⇥ben⇥", "/search from:ben "),
      ("/search tea in:#lo⇥", "/search tea in:#lobby "), ("/search has⇥", "/search has:file "),
      ("/invite ben⇥", "/invite ben "), ("/typing of⇥", "/typing off "),
      ("/retry a⇥", "/retry all "), ("/info 1⇥", "/info 1 "),
      ("/set timestamps r⇥", "/set timestamps relative "), ("/set links au⇥", "/set links auto "),
      ("/set kee⇥o⇥", "/set keep off "), ("/theme sl⇥", "/theme slack "),
      ("/set live⇥of⇥", "/set live-menu off "), ("/help hist⇥", "/help history "),
      ("/drafts c⇥", "/drafts clear "),
    ])
  func arguments(keys: String, shown: String) {
    town.environment["HOBNOB_SHARE"] = EmojiTableTests.share
    #expect(line(keys) == shown)
  }

  @Test(
    "2.6: an accepted candidate replaces the word, with a space",
    arguments: [
      ("@ca⇥", "@carl: "), ("ask @ca⇥", "ask @carl "), ("(@ca⇥", "(@carl "),
      ("see #lob⇥", "see #lobby "), ("/histo⇥", "/history "),
    ])
  func accepted(keys: String, shown: String) {
    #expect(line(keys) == shown)
  }

  @Test("2.5: the last person to speak is first in the next menu")
  func whoSpokeLast() throws {
    func menu() -> [String] {
      let bar = bar()
      bar.type(.text("ask @b"))
      return bar.layout(rows: 24, columns: 40, widths: Widths()).frame.rows
        .map { $0.cells.map { String($0.character) }.joined() }.filter { $0.hasPrefix("@") }
    }
    #expect(menu() == ["@bea", "@ben"])
    try town.person("ben").say("hello again")
    anna.look()
    #expect(menu() == ["@ben", "@bea"])
  }
}
