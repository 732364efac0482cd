// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import StyledText
import Testing

@testable import ChatParts
@testable import ChatPreferences
@testable import ChatRendering
@testable import ChatSession

/// The name of a conversation in place of the line.
@MainActor
@Suite("13.1: The switcher")
struct SwitcherTests {
  let town: Town
  let ben: Person

  /// Ben is in #lobby, #dev and #tea, and looks at #lobby; Anna is there, too.
  init() throws {
    town = try Town()
    _ = try town.person("anna")
    ben = try town.person("ben")
    for room in ["dev", "tea"] { ben.say("/join \(room)") }
    ben.say("/switch lobby")
  }

  private var prompt: String { ben.picture[0] }

  @Test(
    "13.1: C-x b takes a name or a part of it; of several matches, the last one visited",
    arguments: [
      ("tea", "#tea"), ("#TEA", "#tea"), ("d", "#dev"), ("e", "#tea"), ("v", "#dev"),
      ("@a", "@anna"), ("anna", "@anna"), ("#a", "#tea"), ("", "@anna"), ("lobby", "#lobby"),
    ])
  func choose(typed: String, name: String) {
    ben.say("/msg anna")
    ben.say("/switch lobby")
    ben.type("half")
    ben.tell(.move(.choose))
    #expect(prompt == "switch to> |" && ben.text == "")
    ben.say(typed)
    #expect(prompt == (name == "#lobby" ? "#lobby> half|" : "\(name)> |"))
    #expect(ben.session.open.conversation?.name == name)
  }

  @Test("13.1: C-g, C-c and C-d leave the switcher with the line unchanged; an unknown name stays")
  func returning() throws {
    ben.type("half")
    let ways: [@MainActor () -> Void] = [
      { _ = ben.press(.cancel) }, { _ = ben.tell(.interrupted) }, { _ = ben.tell(.ended) },
    ]
    for leave in ways {
      ben.tell(.move(.choose))
      ben.type("te")
      leave()
      #expect(prompt == "#lobby> half|" && ben.status == nil)
    }
    ben.tell(.move(.choose))
    #expect(!ben.say("nowhere"))
    #expect(ben.printed.last?.contains("nowhere") == true && prompt == "switch to> nowhere|")
    ben.wait(2000)
    #expect(
      try town.store().read { try $0.drafts(of: ben.session.me.id) }.map(\.1.text) == ["half"])
  }

  @Test("13.1: the status line says what Return does in the switcher")
  func hint() {
    let hint = { ben.picture[1].split(separator: "   ")[0] }
    ben.tell(.move(.choose))
    #expect(hint() == "Return goes to #tea, C-g goes back")
    ben.type("d")
    #expect(hint() == "Return goes to #dev, C-g goes back")
    ben.selected = "#tea"
    #expect(hint() == "Return goes to #tea, C-g goes back")
    ben.selected = nil
    ben.type("lobby")
    #expect(hint() == "You are in #lobby; Return and C-g go back")
    ben.type("anna")
    #expect(hint().hasPrefix("You have no conversation by that name; Return searches"))
    ben.say("anna")
    #expect(prompt == "@anna> |")
  }

  @Test("13.1: with only one conversation, the switcher says so")
  func noOther() throws {
    let cem = try town.person("cem")
    cem.tell(.move(.choose))
    #expect(cem.picture[1] == "You have no other conversation; C-g goes back")
  }
}
