// SPDX-License-Identifier: GPL-3.0-or-later
import Testing

@testable import ChatCommands
@testable import ChatSession
@testable import Conversations

/// Options that the network of an account has, and others do not.
@MainActor
@Suite("Options of one network")
struct AccountOptionTests {
  private let town: Town
  private let anna: Person

  init() throws {
    town = try Town()
    anna = try town.person("anna")
  }

  @Test("/account add and set store what the network's program says; /account lists it")
  func sets() throws {
    anna.say("/account add anna@x.org --speed slow --port 7")
    let account = try anna.account()
    #expect(try anna.settings(of: account)?.values == ["speed": "slow!", "port": "7"])
    anna.say("/account set anna@x.org speed fast")
    #expect(anna.printed.last?.hasPrefix("speed of anna@x.org is now set to fast!;") == true)
    anna.say("/account set anna@x.org nick ann")
    _ = anna.news()
    anna.say("/account")
    // And not the nickname that it has until it connects.
    #expect(Array(anna.news().dropFirst()) == ["    port 7", "    nick ann", "    speed fast!"])
    anna.say("/account set anna@x.org speed")
    #expect(try anna.settings(of: account)?["speed"] == nil)
  }

  @Test("what the network refuses changes nothing, and the line stays")
  func refuses() throws {
    #expect(!anna.say("/account add anna@x.org --shoe 4"))
    #expect(anna.printed.last == "shoe cannot be 4.")
    #expect(try anna.store.read { try $0.accounts(of: anna.session.me.id) }.isEmpty)
    let account = try anna.added()
    for pin in ["zz", String(repeating: "g", count: 64), String(repeating: "a", count: 63)] {
      #expect(!anna.say("/account set anna@x.org pin \(pin)"))
      #expect(
        anna.printed.last == "A pin is the SHA-256 of a public key: 64 hexadecimal digits.")
    }
    #expect(anna.say("/account set anna@x.org pin " + String(repeating: "aB", count: 32)))
    #expect(!anna.say("/account set anna@x.org speed 9"))
    #expect(anna.printed.last == "speed cannot be 9.")
    #expect(try anna.settings(of: account)?["speed"] == nil)
  }

  @Test("NAME=VALUE is refused, and so is a reset of what has no value")
  func refusesOtherForms() throws {
    let account = try anna.added()
    let former = try anna.settings(of: account)
    for (line, form) in [
      ("/account set anna@x.org folder=/tmp", "folder /tmp"),
      ("/account set anna@x.org folder=/tmp x", "folder /tmp"),
      ("/account add anna@y.org --speed=slow --port 7", "--speed slow"),
      ("/account add anna@y.org speed=a=b", "speed a=b"),
    ] {
      #expect(!anna.say(line))
      #expect(
        anna.printed.last
          == "An option and its value have a blank between them, and not =: write " + form)
    }
    #expect(!anna.say("/account set anna@x.org sped"))
    #expect(
      anna.printed.last
        == "sped is not set for anna@x.org, so there is nothing to reset; to set it, type /account set anna@x.org sped VALUE"
    )
    #expect(try anna.settings(of: account) == former)
    #expect(try anna.store.read { try $0.accounts(of: anna.session.me.id) }.count == 1)
  }

  @Test("1.12: a password on the line is shown to no program")
  func passesNoPassword() throws {
    _ = try anna.added()
    for line in [
      "/account set anna@x.org password sesame", "/account add anna@y.org --password sesame",
      "/account set anna@x.org password=sesame", "/account add anna@y.org --password=sesame",
    ] {
      #expect(!anna.say(line))
      #expect(
        anna.printed.last == "Do not type a password on the line; /connect asks for it.")
    }
  }

  @Test("the options on every network are the same in the shell and in a network's program")
  func common() {
    #expect(AccountCommands.options.map(\.name) == AccountSettings.common)
  }

  @Test("that an account has no password is forgotten on request, and when it is added again")
  func forgetsThatThereIsNoPassword() throws {
    let account = try anna.added()
    func facts() throws -> [String: String] {
      try town.accounts.facts(of: account, inStoreAt: anna.store.path)
    }
    for lines in [
      ["/account set anna@x.org password"],
      ["/account remove anna@x.org", "/account add anna@x.org"],
    ] {
      try anna.learn(["password": "none", "sandbox": "3"], of: account)
      for line in lines { anna.say(line) }
      #expect(try facts() == ["sandbox": "3"], "\(lines)")
    }
  }
}
