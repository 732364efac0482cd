// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import Foundation
import Testing

@testable import ChatSession

/// Accounts on networks as their owner has them; what a network says is put into the store here.
@MainActor
@Suite("Accounts on networks")
struct AccountTests {
  private let town: Town
  private let anna: Person

  init() throws {
    town = try Town()
    anna = try town.person("anna")
  }

  private func account() throws -> Account {
    try #require(try anna.store.accounts(of: anna.session.me.id).first)
  }

  private func added() throws -> Account {
    anna.say("/account add anna@x.org --host h.x.org")
    return try account()
  }

  @Test("without one, /account says in three lines how to get one")
  func saysHow() {
    let before = anna.printed.count
    anna.say("/account")
    #expect(anna.printed.count == before + 3)
    #expect(anna.printed.last?.contains("hobnob account register") == true)
  }

  @Test("adding one keeps what it was told, asks for the password, and tells nobody else")
  func adds() throws {
    let account = try added()
    #expect(account.network == "xmpp:anna@x.org")
    #expect(account.settings == ["host": "h.x.org"])
    #expect(anna.connected.map(\.network) == ["xmpp:anna@x.org"])
    #expect(anna.connected.map(\.asks) == [true])
    let ben = try town.person("ben")
    ben.say("/account list")
    #expect(ben.printed.last == "You have no account.")
    ben.say("/account add anna@x.org")
    #expect(ben.printed.last?.contains("anna@x.org") == true)
    #expect(ben.connected.isEmpty)
  }

  @Test("with a command for the password nobody is asked")
  func asksNobody() {
    anna.say("/account add anna@x.org --password-command 'pass show x'")
    #expect(anna.connected.map(\.asks) == [false])
  }

  @Test(
    "what cannot be an account is refused with a sentence, and the line stays",
    arguments: [
      ("/account add anna", "is not an address"), ("/account add a@b@c", "is not an address"),
      ("/account add anna@x.org --shoe 4", "An account has no shoe"),
      ("/account add anna@x.org --port 0", "A port is a number"),
      ("/account remove ben@x.org", "You have no account yet"), ("/account sing", "Usage"),
    ])
  func refuses(line: String, sentence: String) throws {
    #expect(!anna.say(line))
    #expect(anna.printed.last?.contains(sentence) == true, "\(anna.printed.last ?? "")")
    #expect(try anna.store.accounts(of: anna.session.me.id).isEmpty)
    #expect(anna.connected.isEmpty)
  }

  @Test("what its process is at stands in the status line, and nothing once all is well")
  func showsTheStatus() throws {
    let account = try added()
    let process = try town.store()
    try process.setStatus(of: account, "catching up 1,204")
    anna.look()
    #expect(anna.status().contains("xmpp: catching up 1,204"))
    try process.setStatus(of: account, "")
    anna.look()
    #expect(!anna.status().contains("xmpp"))
  }

  @Test("a shell starts what is wanted; what ended with a reason is started by a new one only")
  func startsTheProcess() throws {
    let account = try added()
    let process = try town.store()
    try #require(try process.takeLease(of: account))
    anna.wait(20_000)
    anna.tell(.rang(.somebodyDied))
    #expect(anna.connected.count == 1)
    #expect(try town.person("anna").connected.isEmpty)
    // It was killed: its file is not locked any more.
    process.close()
    anna.tell(.rang(.somebodyDied))
    #expect(anna.connected.count == 2)
    #expect(anna.connected.last?.asks == false)
    anna.tell(.rang(.somebodyDied))
    #expect(anna.connected.count == 2)
    // One that dies at once is started again, but not without a pause.
    anna.wait(20_000)
    #expect(anna.connected.count == 3)
    let other = try town.store()
    try other.setStatus(of: account, "needs its password; /connect asks for it")
    anna.wait(20_000)
    anna.tell(.rang(.somebodyDied))
    #expect(anna.connected.count == 3)
    #expect(try town.person("anna").connected.count == 1)
  }

  @Test("8: /join and /msg take addresses, and short names where the open conversation is there")
  func namesOfANetwork() throws {
    let account = try added()
    try anna.store.set(account, settings: ["rooms": "rooms.x.org"])
    anna.say("/join tea@rooms.x.org")
    #expect(anna.picture[0].hasPrefix("#tea@rooms.x.org"))
    anna.say("/join ops")
    anna.say("/msg ben")
    #expect(anna.picture[0].hasPrefix("@ben"))
    anna.say("hello")
    let wanted = try anna.store.requests(of: account)
    #expect(wanted.map(\.verb) == [.join, .join])
    #expect(wanted.map(\.target) == ["tea@rooms.x.org", "ops@rooms.x.org"])
    let outbox = try anna.store.outbox(of: account.network)
    #expect(outbox.map(\.place) == [.direct("ben@x.org")])
    // From a conversation of this machine a bare name stays one of this machine.
    anna.say("/switch #lobby")
    anna.say("/join cake")
    #expect(try anna.store.requests(of: account).count == 2)
  }

  @Test("an answer of the network is told in every shell of its owner, and to nobody else")
  func tellsAnswers() throws {
    let account = try added()
    let (second, ben) = (try town.person("anna"), try town.person("ben"))
    anna.say("/join tea@rooms.x.org")
    let asked = try #require(try anna.store.requests(of: account).first)
    try town.store().take([.answered(asked, "You are banned from tea.")], of: account)
    for shell in [anna, second, ben] { shell.look() }
    #expect(anna.printed.contains("You are banned from tea."))
    #expect(second.printed.contains("You are banned from tea."))
    #expect(!ben.printed.contains("You are banned from tea."))
  }

  @Test("a file is refused where it cannot go, and the line and the file stay")
  func refusesFiles() throws {
    _ = try added()
    anna.say("/msg ben@x.org")
    let path = town.folder.path + "/a.txt"
    #expect(FileManager.default.createFile(atPath: path, contents: Data("x".utf8)))
    anna.say("/attach " + path)
    #expect(!anna.say("look at this"))
    #expect(anna.printed.last?.contains("Files do not go over xmpp yet") == true)
    #expect(anna.session.files.waiting.files.count == 1)
    anna.say("/detach all")
    #expect(anna.say("look at this"))
  }

  @Test("who is known from a room alone is not written to in private, nor is somebody of that name")
  func writesToNoOccupant() throws {
    let account = try added()
    anna.say("/join tea@rooms.x.org")
    let zoe = Speaker(identity: "id-7", name: "zoe")
    try town.store().take(
      [
        .joined(room: "tea@rooms.x.org", nick: "anna"),
        .present(zoe, room: "tea@rooms.x.org"),
      ], of: account)
    anna.look()
    #expect(!anna.say("/msg zoe hello"))
    #expect(anna.printed.last?.contains("zoe is known from a room alone") == true)
    #expect(try anna.store.outbox(of: account.network).isEmpty)
    anna.say("/who")
    #expect(!anna.printed.joined().contains("id-7"))
  }
}
