// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Testing

@testable import ChatParts
@testable import ChatRendering
@testable import ChatSession
@testable import NetworkInbox

/// Where a new `#room` is, for somebody with an account on a network whose rooms begin with `#`.
@MainActor
@Suite("11.2: /join with a new name")
struct RoomSideTests {
  private let town: Town
  private let anna: Person
  private let account: Account

  init() throws {
    town = try Town()
    anna = try town.person("anna")
    account = try anna.addedOnIRC()
    try set(nil)
  }

  private func set(_ side: String?) throws {
    try town.accounts.set(
      AccountSettings(isWanted: false, values: side.map { ["rooms": $0] } ?? [:]), of: account,
      inStoreAt: anna.store.path)
  }

  private var targets: [String] {
    get throws { try anna.store.read { try $0.requests(of: account) }.map(\.target) }
  }

  private var here: [String] {
    get throws {
      try anna.store.read { try $0.rooms(for: anna.session.me.id) }
        .filter { $0.network == nil }.map(\.name)
    }
  }

  @Test("hobnob asks once whether it is on the network, whatever other accounts there are")
  func network() throws {
    _ = try anna.added("xmpp:anna@x.org")
    anna.say("/join #tea")
    #expect(
      anna.question?.text.hasPrefix("Where is #tea? hobnob asks only once. n: on irc.x.org, m:")
        == true, "\(anna.question?.text ?? "")")
    anna.answer("x")
    #expect(try targets == [] && here == ["#lobby"])
    anna.say("/join #tea")
    anna.type("half a")
    anna.answer("n")
    #expect(anna.picture[0].hasPrefix("#tea>"))
    anna.say("/switch lobby")
    #expect(anna.text == "half a")
    anna.say("/join #cake")
    #expect(try targets == ["#tea", "#cake"] && here == ["#lobby"])
    #expect(
      try town.accounts.settings(of: account, inStoreAt: anna.store.path)?["rooms"] == "network")
  }

  @Test("or on this machine; the account's option changes the answer")
  func machine() throws {
    anna.say("/join #tea")
    anna.answer("m")
    anna.say("/join #cake")
    #expect(try targets == [] && here == ["#cake", "#lobby", "#tea"])
    #expect(!anna.say("/account set anna@irc.x.org rooms there"))
    #expect(anna.printed.last == "rooms is network or here, not there.")
    anna.say("/account set anna@irc.x.org rooms network")
    anna.say("/switch lobby")
    anna.say("/join #pie")
    #expect(try targets == ["#pie"])
  }

  @Test("a known room is meant without a question: the one I am in, else the one of this machine")
  func known() throws {
    anna.say("/join #tea@irc.x.org")
    _ = try town.person("ben", in: "tea")
    anna.say("/switch lobby")
    anna.say("/join #tea")
    #expect(anna.session.open.conversation?.network == account.network)
    anna.say("/leave")
    #expect(anna.printed.contains("You left #tea@irc.x.org; /join #tea@irc.x.org enters it again."))
    anna.say("/switch lobby")
    anna.say("/join #tea")
    #expect(anna.session.open.conversation?.network == nil)
    #expect(anna.session.open.conversation?.name == "#tea")
    anna.say("/switch lobby")
    // A full name is no typing error for a similar one.
    anna.say("/join #pies@irc.x.org")
    anna.say("/switch lobby")
    anna.say("/join #pies@")
    #expect(anna.question == nil)
    #expect(anna.picture[0].hasPrefix("#pies>"))
    anna.say("/switch lobby")
    // Without the sign, a new name is one of this machine.
    anna.say("/join scones")
    #expect(anna.question == nil)
    #expect(try here.contains("#scones"))
    // A list cannot ask.
    #expect(!anna.say("/join #one,#two"))
    #expect(anna.printed.last?.hasSuffix("name it alone: /join #one") == true)
    #expect(try !here.contains("#one"))
  }

  @Test("in a script, a name without a server is a room of this machine")
  func scripts() throws {
    anna.say("/join #tea@irc.x.org")
    let script = try town.person("anna", outputMode: .batch)
    try set("network")
    script.say("/join #tea")
    #expect(script.session.open.conversation?.network == nil)
    script.say("/join #new")
    #expect(script.session.open.conversation?.network == nil)
    script.say("/join #new@irc.x.org")
    #expect(script.session.open.conversation?.network == account.network)
  }

  @Test("of two rooms that I am in, the prompt asks which, also after C-x b")
  func asks() throws {
    _ = try town.person("ben", in: "tea")
    anna.say("/join tea")
    anna.say("/join #tea@irc.x.org")
    anna.say("/switch lobby")
    for line in ["/switch tea", "/join tea", "/leave #tea"] {
      anna.say(line)
      #expect(
        anna.question?.text
          == "Which \(line.split(separator: " ")[1])? 1: #tea@, 2: #tea@irc.x.org, any other key: none",
        "\(anna.question?.text ?? "")")
      anna.answer("x")
    }
    anna.say("/switch tea")
    anna.answer("1")
    #expect(anna.picture[0].hasPrefix("#tea>"))
    anna.say("/switch lobby")
    anna.say("/leave tea")
    anna.answer("2")
    #expect(
      try anna.store.read { try $0.requests(of: account) }.map(\.verb) == [.join, .leave])
    anna.say("/switch tea")
    #expect(anna.picture[0].hasPrefix("#tea>"))
  }
}
