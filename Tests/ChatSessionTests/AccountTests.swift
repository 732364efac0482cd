// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
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

  @Test("without one, /account says in three lines how to get one")
  func saysHow() {
    let before = anna.printed.count
    anna.say("/account")
    #expect(anna.printed.count == before + 3)
    #expect(anna.printed.last?.contains("hobnob account register") == true)
  }

  @Test("adding one keeps what it was told, asks for the password, and tells nobody else")
  func adds() throws {
    let account = try anna.added()
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
    let account = try anna.added()
    let process = try town.store()
    try process.setStatus(of: account, "catching up 1,204")
    anna.look()
    #expect(anna.status().contains("xmpp: catching up 1,204"))
    try process.setStatus(of: account, "uploading a.png 45 %")
    anna.look()
    #expect(anna.status().contains("xmpp: uploading a.png ████░░░░░░ 45 %"))
    try process.setStatus(of: account, "at 700 %")
    anna.look()
    #expect(anna.status().contains("xmpp: at 700 %"))
    anna.say("/status")
    #expect(anna.printed.contains("The account anna@x.org: at 700 %."))
    try process.setStatus(of: account, "")
    anna.look()
    #expect(!anna.status().contains("xmpp"))
    // Where it matters that it is not connected that is said.
    anna.say("/disconnect")
    #expect(!anna.status().contains("xmpp"))
    anna.say("/msg ben@x.org")
    #expect(anna.status().contains("xmpp: disconnected"))
  }

  @Test("a shell starts what is wanted; what ended with a reason is started by a new one only")
  func startsTheProcess() throws {
    let account = try anna.added()
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

  @Test("1.12: a line with a password is carried out, and enters no history")
  func keepsPasswordsOutOfTheHistory() throws {
    let account = try anna.added()
    let before = anna.history
    anna.say("/join tea@rooms.x.org --password sesame")
    #expect(anna.picture[0].hasPrefix("#tea@rooms.x.org"))
    #expect(try anna.store.requests(of: account).map(\.secret) == ["sesame"])
    #expect(!anna.say("/account add anna@y.org --password sesame"))
    #expect(!anna.say("/account set anna@x.org password sesame"))
    #expect(!anna.say("/join cake --password sesame"))
    #expect(anna.printed.last?.contains("have no password") == true)
    #expect(anna.history == before)
    let lines = try anna.store.history(
      of: anna.session.me.id, shell: try #require(anna.session.shellID), limit: 10)
    #expect(!lines.joined().contains("sesame"))
    // Once it is answered the store has it no more.
    try town.store().take(
      [.answered(try #require(try anna.store.requests(of: account).first), "")], of: account)
    let database = try Database(path: town.path, patience: 0)
    #expect(try !database.exists("SELECT 1 FROM request WHERE secret <> ''"))
  }

  @Test("/history goes on into the network's archive, before the oldest that is here")
  func historyGoesOn() throws {
    let account = try anna.added()
    anna.say("/join tea@rooms.x.org")
    let zoe = Speaker(identity: "id-7", name: "zoe")
    let place = NetworkPlace.room("tea@rooms.x.org")
    let said = (1...25).map { number in
      NetworkNews.said(
        NetworkMessage(
          name: MessageName(archive: "a\(number)"), speaker: zoe, body: "\(number)",
          time: Int64(number) * 1000, isPast: true), in: place)
    }
    let network = try town.store()
    let joined = NetworkNews.joined(room: "tea@rooms.x.org", nick: "anna")
    try network.take([joined] + said.reversed(), of: account)
    anna.look()
    let before = try anna.store.requests(of: account).count
    anna.say("/history")
    #expect(try anna.store.requests(of: account).count == before)
    anna.say("/history 50")
    let asked = try #require(try anna.store.requests(of: account).last)
    #expect(asked.verb == .history && asked.target == "tea@rooms.x.org" && asked.text == "a1")
    #expect(anna.notice.contains("Older messages are being fetched"))
    try network.take([.answered(asked, "There is nothing older.")], of: account)
    anna.look()
    #expect(anna.notice.isEmpty && anna.printed.last == "There is nothing older.")
  }

  @Test("being away is told to the networks that are wanted")
  func awayOnNetworks() throws {
    let account = try anna.added()
    anna.say("/away lunch")
    anna.say("/back")
    anna.say("/disconnect")
    anna.say("/away tea")
    let asked = try anna.store.requests(of: account)
    #expect(asked.map(\.verb) == [.presence, .presence])
    #expect(asked.map(\.target) == ["away", ""])
    #expect(asked.map(\.text) == ["lunch", ""])
  }

  @Test("a room of a network says how many are there once that is known")
  func countsThoseThere() throws {
    let account = try anna.added()
    anna.say("/join tea@rooms.x.org")
    let entrance = try #require(anna.printed.last { $0.contains("#tea@rooms.x.org") })
    #expect(!entrance.contains("here"))
    try town.store().take(
      [
        .joined(room: "tea@rooms.x.org", nick: "anna"),
        .present(Speaker(identity: "id-8", name: "kim"), room: "tea@rooms.x.org"),
      ], of: account)
    anna.look()
    anna.say("/switch #lobby")
    anna.say("/switch #tea@rooms.x.org")
    #expect(anna.printed.last { $0.contains("#tea@rooms.x.org") }?.contains("1 other here") == true)
  }

  /// An account that is connected, and its process's store.
  private func connected() throws -> (account: Account, process: Store) {
    let (account, process) = (try anna.added(), try town.store())
    try #require(try process.takeLease(of: account))
    try process.setStatus(of: account, "")
    anna.look()
    return (account, process)
  }

  @Test("14.1: that a network is away is told where it matters, and no half of a reason")
  func offline() throws {
    let (account, process) = try connected()
    let short = "xmpp: offline, next try 12:04"
    let reason = "the certificate of h.x.org is not valid before Saturday, 21 November 2026"
    try process.setStatus(of: account, "offline, next try 12:04: " + reason)
    anna.look()
    #expect(!anna.status().contains("xmpp"))
    anna.say("/msg ben@x.org")
    #expect(anna.status().contains(short) && !anna.status().contains("certificate"))
    #expect(anna.status(columns: 240).contains(short + ": " + reason))
    anna.say("hello")
    anna.say("/switch lobby")
    #expect(anna.status().contains(short))
  }

  @Test("14.1: presence that cannot be known is not shown, and how to know it is said once")
  func presence() throws {
    let (account, process) = try connected()
    anna.say("/msg ben@x.org")
    #expect(anna.notice == "/contact add ben shows when ben is online")
    #expect(anna.status() == "anna")
    anna.say("/switch lobby")
    anna.say("/set timestamps off")
    anna.say("/switch -")
    #expect(!anna.notice.contains("/contact"))
    let ben = Speaker(identity: "ben@x.org", name: "ben")
    try process.take([.contact(ben, isOnline: nil, away: nil)], of: account)
    anna.look()
    #expect(anna.status() == "anna")
    try process.take([.contact(ben, isOnline: false, away: nil)], of: account)
    anna.look()
    #expect(anna.status() == "ben is not online")
    try process.take([.contact(ben, isOnline: true, away: nil)], of: account)
    anna.look()
    #expect(anna.status() == "anna, with 1 other here")
    try process.take([.stranger(ben)], of: account)
    anna.look()
    #expect(anna.status() == "anna")
  }

  @Test("who was asked for is welcomed once connected, with where to go")
  func welcomes() throws {
    let account = try anna.added()
    let process = try town.store()
    try #require(try process.takeLease(of: account))
    anna.look()
    #expect(anna.status().contains("xmpp: connecting"))
    try process.set(account, settings: ["rooms": "rooms.x.org"])
    try process.setStatus(of: account, "")
    anna.look()
    #expect(anna.printed.last?.contains("/join room@rooms.x.org enters a room") == true)
    let told = anna.printed.count
    try process.setStatus(of: account, "offline, next try in 1 s")
    try process.setStatus(of: account, "")
    anna.look()
    #expect(anna.printed.count == told)
    anna.say("/join tea@rooms.x.org")
    anna.say("/connect")
    #expect(anna.status().contains("xmpp: connecting"))
    try process.setStatus(of: account, "")
    anna.look()
    #expect(anna.printed.last == "anna@x.org is connected; /list shows what is there.")
  }

  @Test("an answer of the network is told in every shell of its owner, and to nobody else")
  func tellsAnswers() throws {
    let account = try anna.added()
    let (second, ben) = (try town.person("anna"), try town.person("ben"))
    anna.say("/join tea@rooms.x.org")
    let asked = try #require(try anna.store.requests(of: account).first)
    try town.store().take([.answered(asked, "You are banned from tea.")], of: account)
    for shell in [anna, second, ben] { shell.look() }
    #expect(anna.printed.contains("You are banned from tea."))
    #expect(second.printed.contains("You are banned from tea."))
    #expect(!ben.printed.contains("You are banned from tea."))
  }
}
