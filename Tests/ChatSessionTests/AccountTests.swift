// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import Platform
import StoreFixture
import StyledText
import Testing

@testable import ChatParts
@testable import ChatPreferences
@testable import ChatRendering
@testable import ChatSession
@testable import Conversations
@testable import NetworkInbox

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

  @Test("without an account, /account says in three lines how to get one")
  func saysHow() {
    let before = anna.printed.count
    anna.say("/account")
    #expect(anna.printed.count == before + 3)
    #expect(anna.printed.last?.contains("hobnob account register") == true)
  }

  @Test("10: /help account is broken at words where its rows end, and nowhere else")
  func help() {
    _ = anna.rows()
    anna.say("/help account")
    let rows = anna.rows()
    let start = rows.firstIndex { $0.contains("add ADDRESS [--OPTION") } ?? 0
    #expect(rows[start].hasSuffix("asks for its"), "\(rows)")
    #expect(
      rows[start + 1]
        == "    password, connects it and shows its rooms and people.")
  }

  @Test("adding an account stores its settings, asks for the password, and tells nobody else")
  func adds() throws {
    let account = try anna.added()
    #expect(account.network == "xmpp:anna@x.org")
    #expect(try anna.settings(of: account) == AccountSettings(values: ["host": "h.x.org"]))
    #expect(anna.connected.map(\.network) == ["xmpp:anna@x.org"])
    #expect(anna.connected.map(\.asks) == [true])
    let ben = try town.person("ben")
    ben.say("/account list")
    #expect(ben.printed.last == "You have no account.")
    ben.say("/account add anna@x.org")
    #expect(ben.printed.last?.contains("anna@x.org") == true)
    #expect(ben.connected.isEmpty)
  }

  @Test("an address may name its network, which must be installed")
  func namesTheNetwork() throws {
    #expect(!anna.say("/account add irc:anna@x.org"))
    #expect(
      anna.printed.last?.contains(
        "This hobnob has no network irc (there is no program hobnob-irc); it has xmpp.") == true)
    #expect(anna.say("/account add XMPP:Anna@x.org"))
    #expect(try anna.account().network == "xmpp:anna@x.org")
    for name in ["anna@x.org", "xmpp:anna@x.org"] {
      #expect(anna.say("/disconnect \(name)"), "\(name)")
    }
    #expect(!anna.say("/disconnect irc:anna@x.org"))
  }

  @Test("with several networks, a bare address asks which one unless only one is possible")
  func choosesAmongNetworks() throws {
    try town.install("irc")
    #expect(!anna.say("/account add anna@x.org"))
    #expect(
      anna.printed.last?.contains("Write irc:anna@x.org or xmpp:anna@x.org.") == true)
    #expect(anna.say("/account add irc:anna@x.org"))
    #expect(anna.say("/disconnect anna@x.org"))
    #expect(anna.say("/account add xmpp:anna@x.org"))
    #expect(!anna.say("/disconnect anna@x.org"))
    #expect(
      anna.printed.last?.contains(
        "Which account? Type one of these: irc:anna@x.org or xmpp:anna@x.org.")
        == true)
    #expect(anna.say("/disconnect xmpp:anna@x.org"))
  }

  @Test("the network's program decides what is an address and how it is written")
  func addsOtherAddresses() throws {
    try town.install("signal")
    try town.install("fax", addresses: "[0-9]*")
    #expect(!anna.say("/account add fax:anna"))
    #expect(anna.printed.last?.contains("anna is not an address; one looks like [0-9]*.") == true)
    for name in ["signal:", "signal:+49/1", "xmpp:+491", "xmpp:@x.org"] {
      #expect(!anna.say("/account add " + name), "\(name)")
      #expect(anna.printed.last?.contains("is not an address") == true)
    }
    #expect(anna.say("/account add Signal:+49Ab"))
    #expect(try anna.account().network == "signal:+49Ab")
    #expect(anna.say("/disconnect +49Ab"))
    #expect(!anna.say("/disconnect +49ab"))
  }

  @Test("only executables named hobnob-KIND are networks, and the benchmark is not one")
  func findsNetworks() throws {
    for name in ["bench", "bar-example", "IRC", "xmpp.product"] { try town.install(name) }
    #expect(NetworkPrograms(in: ["/nowhere", town.programs]).kinds == ["xmpp"])
    #expect(throws: Refusal.self) { try NetworkPrograms(in: []).kind(of: AccountName("a@x")) }
  }

  @Test(
    "a shared library that a network's program lacks is named, with Debian's package",
    arguments: [
      ("libcurl.so.4", "libcurl4"), ("libsqlite3.so.0", "libsqlite3-0"),
      ("libcares.so.2", "libc-ares2"),
      ("libcrypto.so.3", "libssl3"), ("libgcc_s.so.1", "libgcc-s1"),
      ("libstdc++.so.6", "libstdc++6"),
    ])
  func namesAMissingLibrary(library: String, package: String) {
    let complaint =
      "/h/hobnob-xmpp: error while loading shared libraries: \(library): cannot open shared object"
    #expect(
      NetworkPrograms.missingLibrary(complaint, of: "/h/hobnob-xmpp")?.string
        == "hobnob-xmpp needs \(library), which is not installed; in Debian, the package \(package) has it."
    )
  }

  @Test("a network's program that does not answer is killed")
  func killsAHangingProgram() throws {
    let fixture = Fixture()
    let program = fixture.file("hobnob-slow", "#!/bin/sh\nexec sleep 1000\n")
    fixture.chmod(0o700, "hobnob-slow")
    #expect(try NetworkPrograms.sandbox(of: program, patience: 50) == nil)
  }

  @Test("a library that is too old is named by the version that it lacks, and no other failure is")
  func namesAnOldLibrary() {
    let complaint =
      "/h/hobnob-xmpp: /lib/libc.so.6: version `GLIBC_2.35' not found (required by /h/hobnob-xmpp)"
    #expect(
      NetworkPrograms.missingLibrary(complaint, of: "/h/hobnob-xmpp")?.string
        == "hobnob-xmpp needs GLIBC_2.35; the libraries of this system are too old.")
    #expect(NetworkPrograms.missingLibrary("The disk is full.", of: "/h/hobnob-xmpp") == nil)
  }

  @Test("a process that lacks a library is reported by that, here and in /account")
  func reportsAMissingLibrary() throws {
    let account = try anna.added()
    let sentence = "hobnob-xmpp needs libcurl.so.4"
    anna.tell(
      .networkProcessEnded(account.id, status: 127, missing: SafeText(line: sentence)))
    #expect(anna.printed.count { $0.contains(sentence) } == 1)
    #expect(!anna.printed.contains { $0.contains("ended with status") })
    anna.say("/account")
    #expect(anna.printed.contains { $0.contains("offline: " + sentence) })
  }

  @Test("an account with a password command never asks for a password")
  func asksNobody() {
    anna.say("/account add anna@x.org --password-command 'pass show x'")
    #expect(anna.connected.map(\.asks) == [false])
  }

  @Test(
    "what cannot be an account is refused with a sentence, and the line stays",
    arguments: [
      ("/account add anna", "is not an address"), ("/account add a@b@c", "is not an address"),
      ("/account add anna@x.org --shoe 4", "shoe cannot be 4"),
      ("/account add anna@x.org --port 0", "A port is a number"),
      ("/account add anna@x.org --ca /nonexistent", "/nonexistent cannot be read (No such file"),
      ("/account remove ben@x.org", "You have no account yet"),
      ("/connect ben@x.org", "You have no account yet; to add one, type /account add you@"),
      ("/account sing", "Usage"),
    ])
  func refuses(line: String, sentence: String) throws {
    #expect(!anna.say(line))
    #expect(anna.printed.last?.contains(sentence) == true, "\(anna.printed.last ?? "")")
    #expect(try anna.store.read { try $0.accounts(of: anna.session.me.id) }.isEmpty)
    #expect(anna.connected.isEmpty)
  }

  @Test("a new nickname applies from the next connection, to rooms without one of their own")
  func changesTheNickname() throws {
    let account = try anna.added()
    let process = try town.store()
    try process.inbox.apply(
      [.joined(room: "tea@rooms.x.org", nick: "anna"), .joined(room: "b@x.org", nick: "queen")],
      of: account)
    func nicks(_ usual: String) -> [String: String] {
      ["tea@rooms.x.org": usual, "b@x.org": "queen"]
    }
    let lease = try town.serve(account, process)
    anna.say("/account set anna@x.org nick bo")
    anna.say("/account set anna@x.org nick ann")
    // So they call her until then.
    #expect(try process.read { try $0.roomsJoined(of: account) } == nicks("anna"))
    anna.say("/connect")
    #expect(try process.read { try $0.roomsJoined(of: account) } == nicks("ann"))
    #expect(anna.session.me.nicknames.values.sorted() == ["ann", "queen"])
    anna.say("/account set anna@x.org nick")
    try lease.release()
    #expect(try anna.store.read { try $0.roomsJoined(of: account) } == nicks("ann"))
    // Whatever starts the next process.
    _ = try town.person("anna")
    #expect(try anna.store.read { try $0.roomsJoined(of: account) } == nicks("anna"))
    #expect(try anna.settings(of: account) == AccountSettings(values: ["host": "h.x.org"]))
  }

  @Test("a person's address has two parts")
  func refusesHalfAddresses() throws {
    _ = try anna.added()
    for name in ["@", "a@b@c", "@@b", "ben@"] {
      #expect(!anna.say("/msg " + name), "\(name)")
      #expect(anna.printed.last?.contains("\(name) is not an address") == true)
    }
  }

  @Test("the status line shows what the network process is doing, and nothing once all is well")
  func showsTheStatus() throws {
    let account = try anna.added()
    let process = try town.store()
    try process.writeIfNeeded {
      try $0.setStatus(of: account, .connected([.catchingUp(received: 1_204, percent: nil)]))
    }
    anna.look()
    #expect(anna.status().contains("xmpp: catching up 1,204"))
    try process.writeIfNeeded {
      try $0.setStatus(of: account, .connected([.uploading("a.png", percent: 45)]))
    }
    anna.look()
    #expect(anna.status().contains("xmpp: uploading a.png ████░░░░░░ 45 %"))
    anna.say("/status")
    #expect(anna.printed.contains("Account anna@x.org: uploading a.png 45 %."))
    try process.writeIfNeeded { try $0.setStatus(of: account, .connected([])) }
    anna.look()
    #expect(!anna.status().contains("xmpp"))
    // Where it matters that it is not connected that is said.
    anna.say("/disconnect")
    #expect(!anna.status().contains("xmpp"))
    anna.say("/msg ben@x.org")
    #expect(anna.status().contains("xmpp: disconnected"))
  }

  @Test("10: without a connection, what only the network can do waits, and this is said")
  func waitsForTheConnection() throws {
    let account = try anna.added()
    let process = try town.store()
    anna.say("/join tea@rooms.x.org")
    let sentence = "anna@x.org is not connected; hobnob does this as soon as it is."
    for (status, says) in [
      (AccountStatus.connected([]), false), (.offline(reason: "gone", nextTry: nil), true),
    ] {
      try process.writeIfNeeded { try $0.setStatus(of: account, status) }
      anna.look()
      _ = anna.news()
      anna.say("/topic green tea")
      #expect((anna.news().last == sentence) == says)
      anna.say("/join milk@rooms.x.org")
      #expect(anna.news().last != sentence)
      anna.say("/switch -")
    }
  }

  @Test("a shell starts what it needs; only a new shell restarts a process that gave a reason")
  func startsTheProcess() throws {
    let account = try anna.added()
    let process = try town.store()
    let lease = try town.serve(account, process)
    anna.wait(20_000)
    anna.tell(.bellRang(.processExited))
    #expect(anna.connected.count == 1)
    #expect(try town.person("anna").connected.isEmpty)
    try lease.release()
    anna.tell(.bellRang(.processExited))
    #expect(anna.connected.count == 2)
    #expect(anna.connected.last?.asks == false)
    anna.tell(.bellRang(.processExited))
    #expect(anna.connected.count == 2)
    // One that dies at once is started again, but not without a pause.
    anna.wait(20_000)
    #expect(anna.connected.count == 3)
    let other = try town.store()
    try other.writeIfNeeded {
      try $0.setStatus(of: account, .ended(reason: "needs its password; /connect asks for it"))
    }
    anna.wait(20_000)
    anna.tell(.bellRang(.processExited))
    #expect(anna.connected.count == 3)
    #expect(try town.person("anna").connected.count == 1)
  }

  @Test(
    "14.11: a process that had connected its account is started again within 30 s, others later")
  func restartsWhatWorked() throws {
    let account = try anna.added()
    let process = try town.store()
    /// How many seconds pass from the end of the process to the next one.
    func pause() -> Int {
      let before = anna.connected.count
      anna.tell(.bellRang(.processExited))
      return (0...400).first { second in
        if second > 0 { anna.wait(1_000) }
        return anna.connected.count > before
      } ?? 400
    }
    anna.wait(120_000)
    // It never gets as far as a connection.
    for _ in 1...9 { _ = pause() }
    #expect(pause() == 300)
    for _ in 1...5 {
      let lease = try town.serve(account, process)
      try process.writeIfNeeded { try $0.setStatus(of: account, .connected([])) }
      anna.look()
      try lease.release()
      #expect((28...30).contains(pause()))
    }
  }

  @Test("/connect alone asks for every account that waits for its password, one after the other")
  func connectsAllThatWait() throws {
    for name in ["anna", "bea", "cleo"] { anna.say("/account add \(name)@x.org") }
    let accounts = try anna.store.read { try $0.accounts(of: anna.session.me.id) }
    let process = try town.store()
    func give(_ statuses: [AccountStatus]) throws {
      for (account, status) in zip(accounts, statuses) {
        try process.writeIfNeeded { try $0.setStatus(of: account, status) }
      }
      anna.look()
    }
    /// What `/connect` starts.
    func started() -> [String] {
      let before = anna.connected.count
      anna.say("/connect")
      return anna.connected.dropFirst(before).filter(\.asks).map(\.network)
    }
    let ended = AccountStatus.ended(reason: "needs its password (/connect)")
    try town.serve(accounts[1], process)
    try give([ended, .connected([]), ended])
    #expect(started() == ["xmpp:anna@x.org", "xmpp:cleo@x.org"])
    // Also where another account's conversation is open, which needs nothing.
    anna.say("/msg bea@x.org")
    try give([ended, .connected([]), ended])
    anna.say("/disconnect anna@x.org")
    #expect(started() == ["xmpp:cleo@x.org"])
    func reconnects() throws -> Bool {
      try anna.store.read { try $0.requests(of: accounts[1]) }.contains { $0.verb == .reconnect }
    }
    #expect(try !reconnects())
    // If it is offline, it may be meant as well.
    try give([ended, .offline(reason: "the server went away", nextTry: nil), ended])
    #expect(started() == ["xmpp:cleo@x.org"])
    #expect(try reconnects())
    // Nobody waits: the open conversation's account is meant.
    anna.say("/switch lobby")
    try give([.notRunning, .connected([]), .notRunning])
    #expect(started() == [])
    #expect(anna.printed.last?.hasPrefix("Which account? You have ") == true)
  }

  @Test("12.7: an account in the store alone starts nothing; the owner's file has to list it")
  func storeStartsNothing() throws {
    let account = try anna.added()
    let host = try anna.settings(of: account)?["host"]
    #expect(host == "h.x.org")
    try town.accounts.set(nil, of: account, inStoreAt: anna.store.path)
    let (other, batch) = (try town.person("anna"), try town.person("anna", outputMode: .batch))
    #expect(other.connected.isEmpty && batch.connected.isEmpty)
    #expect(!batch.say("/connect"))
    #expect(batch.printed.last?.contains("has no entry for xmpp:anna@x.org in this store") == true)
    // Listed for another store it is not connected here.
    try town.accounts.set(AccountSettings(), of: account, inStoreAt: "/tmp/other.sqlite")
    #expect(try town.person("anna").connected.isEmpty)
    // Its owner sets it up.
    anna.say("/account add anna@x.org --port 7")
    #expect(try anna.settings(of: account) == AccountSettings(values: ["port": "7"]))
    #expect(anna.connected.last?.network == account.network)
  }

  @Test(
    "a process that ends before it serves its account is reported once and started again")
  func startsOneAgainThatNeverServed() throws {
    let account = try anna.added()
    let starts = anna.connected.count
    let complaint = "hobnob-xmpp, which serves anna@x.org, ended with status 127"
    func complaints() -> Int { anna.printed.count { $0.contains(complaint) } }
    anna.tell(.networkProcessEnded(account.id, status: 127))
    #expect(complaints() == 1)
    anna.say("/account")
    #expect(anna.printed.contains { $0.contains("offline: hobnob-xmpp ended with status 127") })
    anna.wait(4_000)
    #expect(anna.connected.count == starts + 1)
    // Not one that found another serving the account.
    anna.tell(.networkProcessEnded(account.id, status: 75))
    anna.wait(60_000)
    #expect(anna.connected.count == starts + 1)
    anna.tell(.networkProcessEnded(account.id, status: 127))
    anna.wait(10_000)
    #expect(anna.connected.count == starts + 2 && complaints() == 1)
  }

  @Test("12.7: an account file that others may write to is not used, which is reported once")
  func refusesAnOpenFile() throws {
    _ = try anna.added()
    let file = town.accounts.path
    try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: file)
    let other = try town.person("anna")
    #expect(other.connected.isEmpty)
    other.look()
    other.say("/account")
    #expect(other.printed.count { $0.contains("thers may write to \(file)") } == 1)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
    #expect(try town.person("anna").connected.count == 1)
  }

  @Test("a password command keeps its quotes, and may be one quoted word")
  func keepsQuotes() throws {
    let account = try anna.added()
    anna.say("/account set anna@x.org password-command sh -c 'pass show x | head -1'")
    #expect(
      try anna.settings(of: account)?["password-command"] == "sh -c 'pass show x | head -1'")
    anna.say("/account set anna@x.org password-command 'pass show x'")
    #expect(try anna.settings(of: account)?["password-command"] == "pass show x")
    anna.say("/account set anna@x.org password-command")
    #expect(try anna.settings(of: account)?.values == ["host": "h.x.org"])
  }

  @Test("what is remembered of a server's login is forgotten on request, and nothing else")
  func forgetsTheLogin() throws {
    let account = try anna.added()
    try anna.learn(["scram": "SCRAM-SHA-512", "sandbox": "3"], of: account)
    anna.say("/account set anna@x.org scram")
    #expect(
      try town.accounts.facts(of: account, inStoreAt: anna.store.path) == ["sandbox": "3"])
    #expect(!anna.say("/account set anna@x.org scram SCRAM-SHA-1"))
  }

  @Test("an account is refused at once if its store shares its folder")
  func needsAFolder() throws {
    _ = FileManager.default.createFile(atPath: town.folder.path + "/data/.profile", contents: nil)
    #expect(!anna.say("/account add anna@x.org"))
    #expect(anna.printed.last?.contains("a folder of its own") == true)
    #expect(try anna.store.read { try $0.accounts(of: anna.session.me.id) }.isEmpty)
  }

  @Test(
    "a crashed process is started again while the store is locked, with growing pauses")
  func startsACrashedOneAgain() throws {
    let account = try anna.added()
    let process = try town.store()
    try town.serve(account, process)
    try process.writeIfNeeded {
      try $0.setStatus(of: account, .offline(reason: "the server went away", nextTry: nil))
    }
    anna.wait(100_000)
    // As after a crash: its file is not locked any more, and nobody can write down that it is gone.
    for name in try FileManager.default.contentsOfDirectory(atPath: process.files.shells)
    where name == (try database().first("SELECT holder FROM account") { $0.text() }) {
      try FileManager.default.removeItem(atPath: process.files.shells + "/" + name)
    }
    let lock = try Lock(town.path)
    let before = anna.connected.count
    anna.tell(.bellRang(.processExited))
    #expect(anna.connected.count == before + 1)
    var starts = [anna.now]
    for _ in 0..<400 where starts.count < 5 {
      let count = anna.connected.count
      anna.wait(1_000)
      anna.tell(.bellRang(.processExited))
      if anna.connected.count > count { starts.append(anna.now) }
    }
    let pauses = zip(starts.dropFirst(), starts).map { $0 - $1 }
    #expect(pauses.count == 4)
    #expect(zip(pauses.dropFirst(), pauses).allSatisfy { $0 > $1 })
    withExtendedLifetime(lock) {}
  }

  @Test("14.6: the pauses between starts grow to five minutes, until a process has run for a while")
  func pausesGrow() throws {
    _ = try anna.added()
    var pauses: [Int64] = []
    for _ in 0..<11 {
      let (start, count) = (anna.now, anna.connected.count)
      anna.tell(.bellRang(.processExited))
      let deadline = try #require(anna.session.accounts.deadline)
      anna.wait(deadline - anna.now)
      #expect(anna.connected.count == count + 1)
      pauses.append(anna.now - start)
    }
    #expect(pauses == [3, 6, 12, 24, 48, 96, 192, 300, 300, 300, 300].map { $0 * 1000 })
    let count = anna.connected.count
    anna.wait(360_000)
    anna.tell(.bellRang(.processExited))
    #expect(anna.connected.count == count + 1)
    anna.tell(.bellRang(.processExited))
    #expect(anna.session.accounts.deadline == anna.now + 3_000)
  }

  private func database() throws -> Database { try Database(path: town.path, patience: 0) }

  @Test("1.12: a line with a password is carried out, and enters no history")
  func keepsPasswordsOutOfTheHistory() throws {
    let account = try anna.added()
    let before = anna.history
    anna.say("/join tea@rooms.x.org --password sesame")
    #expect(anna.picture[0].hasPrefix("#tea@rooms.x.org"))
    #expect(try anna.store.read { try $0.requests(of: account) }.map(\.secret) == ["sesame"])
    #expect(!anna.say("/account add anna@y.org --password sesame"))
    #expect(!anna.say("/account set anna@x.org password sesame"))
    #expect(!anna.say("/account set anna@x.org password=sesame"))
    #expect(!anna.say("/join tea@rooms.x.org --password=sesame"))
    #expect(!anna.say("/join cake --password sesame"))
    #expect(anna.printed.last?.contains("have no password") == true)
    #expect(anna.history == before)
    let lines = try anna.store.read {
      try $0.inputHistory(
        of: anna.session.me.id, shell: try #require(anna.session.shellID), limit: 10)
    }
    #expect(!lines.joined().contains("sesame"))
    // Once it is answered the store has it no more.
    try town.store().inbox.apply(
      [.answered(try #require(try anna.store.read { try $0.requests(of: account) }.first), "")],
      of: account)
    let database = try Database(path: town.path, patience: 0)
    #expect(try !database.exists("SELECT 1 FROM request WHERE secret <> ''"))
  }

  @Test("14.7: /history goes on into the network's archive, before the oldest message in the store")
  func historyGoesOn() throws {
    let account = try connected().account
    anna.say("/join tea@rooms.x.org")
    let zoe = NetworkUser(identity: "id-7", name: "zoe")
    let place = ConversationAddress.room("tea@rooms.x.org")
    let said = (1...25).map { number in
      NetworkEvent.messageReceived(
        NetworkMessage(
          name: MessageIDs(archive: "a\(number)"), speaker: zoe, body: "\(number)",
          time: Int64(number) * 1000, isPast: true), in: place)
    }
    let network = try town.store()
    let joined = NetworkEvent.joined(room: "tea@rooms.x.org", nick: "anna")
    try network.inbox.apply([joined] + said.reversed(), of: account)
    anna.look()
    let before = try anna.store.read { try $0.requests(of: account) }.count
    anna.say("/history")
    #expect(try anna.store.read { try $0.requests(of: account) }.count == before)
    anna.say("/history 50")
    let asked = try #require(try anna.store.read { try $0.requests(of: account) }.last)
    #expect(asked.verb == .history && asked.target == "tea@rooms.x.org")
    #expect(asked.count == 25 && asked.text == "a1")
    #expect(anna.notice.contains("hobnob is fetching older messages"))
    // Who asks twice is not answered twice.
    anna.say("/history 60")
    #expect(try anna.store.read { try $0.requests(of: account) }.last == asked)
    try network.inbox.apply(
      [
        .page(of: place, from: "", until: "a1"), .answered(asked, "There is nothing older."),
      ], of: account)
    anna.look()
    #expect(anna.notice.isEmpty && anna.printed.last == "There is nothing older.")
    anna.say("/history 50")
    #expect(
      try anna.store.read { try $0.requests(of: account) }.count == before && anna.notice.isEmpty)
  }

  @Test("being away is sent to the networks that should know")
  func awayOnNetworks() throws {
    let account = try anna.added()
    anna.say("/away lunch")
    anna.say("/back")
    anna.say("/disconnect")
    anna.say("/away tea")
    let asked = try anna.store.read { try $0.requests(of: account) }
    #expect(asked.map(\.verb) == [.presence, .presence])
    #expect(asked.map(\.target) == ["away", ""])
    #expect(asked.map(\.text) == ["lunch", ""])
  }

  @Test("a network room shows how many people it has once that is known")
  func countsThoseThere() throws {
    let account = try anna.added()
    anna.say("/join tea@rooms.x.org")
    let entrance = try #require(anna.printed.last { $0.contains("#tea@rooms.x.org") })
    #expect(!entrance.contains("here"))
    try town.store().inbox.apply(
      [
        .joined(room: "tea@rooms.x.org", nick: "anna"),
        .present(NetworkUser(identity: "id-8", name: "kim"), room: "tea@rooms.x.org"),
      ], of: account)
    anna.look()
    anna.say("/switch #lobby")
    anna.say("/switch #tea@rooms.x.org")
    #expect(anna.printed.last { $0.contains("#tea@rooms.x.org") }?.contains("1 other here") == true)
  }

  /// An account that is connected, and its process's store.
  private func connected() throws -> (account: Account, process: Store) {
    let (account, process) = (try anna.added(), try town.store())
    try town.serve(account, process)
    try process.writeIfNeeded { try $0.setStatus(of: account, .connected([])) }
    anna.look()
    return (account, process)
  }

  @Test("14.1: that a network is offline is shown where it matters, with a whole reason or none")
  func offline() throws {
    let (account, process) = try connected()
    let nextTry = Clock.wall() + 3_600_000
    let short = "xmpp: offline until " + LocalTime.clock(nextTry).string
    let reason = "the certificate of h.x.org is not valid before Saturday, 21 November 2026"
    try process.writeIfNeeded {
      try $0.setStatus(of: account, .offline(reason: "\(reason)", nextTry: nextTry))
    }
    anna.look()
    #expect(!anna.status().contains("xmpp"))
    anna.say("/msg ben@x.org")
    #expect(anna.status().contains(short) && !anna.status().contains("certificate"))
    #expect(anna.status(columns: 240).contains(short + ": " + reason))
    anna.say("hello")
    anna.say("/switch lobby")
    #expect(anna.status().contains(short))
    // The time is there as a whole or not at all.
    for columns in 24...80 {
      let status = anna.status(columns: columns)
      #expect(
        status.contains(short) || !status.contains("offline,") && !status.contains("offline…"),
        "\(columns): \(status)")
    }
    #expect(anna.status(columns: 60).contains("xmpp: offline"))
  }

  @Test("14.1: unknown presence is not shown, and one hint says how to learn it")
  func presence() throws {
    let (account, process) = try connected()
    anna.say("/msg ben@x.org")
    #expect(anna.notice == "to see when ben is online: /contact add ben")
    #expect(anna.status() == "anna")
    anna.say("/switch lobby")
    anna.say("/set timestamps off")
    anna.say("/switch -")
    #expect(!anna.notice.contains("/contact"))
    let ben = NetworkUser(identity: "ben@x.org", name: "ben")
    try process.inbox.apply([.contact(ben, isOnline: nil, away: nil)], of: account)
    anna.look()
    #expect(anna.status() == "anna")
    try process.inbox.apply([.contact(ben, isOnline: false, away: nil)], of: account)
    anna.look()
    #expect(anna.status() == "ben is not online")
    try process.inbox.apply([.contact(ben, isOnline: true, away: nil)], of: account)
    anna.look()
    #expect(anna.status() == "anna, with 1 other here")
    try process.inbox.apply([.contactRemoved(ben)], of: account)
    anna.look()
    #expect(anna.status() == "anna")
  }

  @Test("a contact who was requested is announced once connected, with the way to reach them")
  func welcomes() throws {
    let account = try anna.added()
    let process = try town.store()
    try town.serve(account, process)
    anna.look()
    #expect(anna.status().contains("xmpp: connecting"))
    try anna.learn(rooms: "rooms.x.org", of: account)
    try process.writeIfNeeded { try $0.setStatus(of: account, .connected([])) }
    anna.look()
    #expect(anna.printed.last?.contains("/join tea@rooms.x.org enters a room") == true)
    let told = anna.printed.count
    try process.writeIfNeeded {
      try $0.setStatus(of: account, .offline(reason: "the server went away", nextTry: nil))
    }
    try process.writeIfNeeded { try $0.setStatus(of: account, .connected([])) }
    anna.look()
    #expect(anna.printed.count == told)
    anna.say("/join tea@rooms.x.org")
    anna.say("/connect")
    #expect(anna.status().contains("xmpp: connecting"))
    try process.writeIfNeeded { try $0.setStatus(of: account, .connected([])) }
    anna.look()
    #expect(anna.printed.last == "anna@x.org is connected; /list shows its rooms and chats.")
  }

  @Test("11.2: what hobnob suggests once connected works where it is printed")
  func welcomesWithWhatWorks() throws {
    let account = try anna.added()
    let process = try town.store()
    try town.serve(account, process)
    func connect() throws {
      try process.writeIfNeeded { try $0.setStatus(of: account, .connected([])) }
      anna.look()
    }
    try connect()
    #expect(
      anna.printed.last == "anna@x.org is connected. /msg ben@x.org opens a direct chat.")
    try anna.provide(
      AddressRules(roomSigns: "#", folding: .rfc1459, identityScope: .network), for: account)
    anna.say("/connect")
    try connect()
    #expect(
      anna.printed.last
        == "anna@x.org is connected. /join #tea@x.org enters a room, /msg ben@x.org opens a direct chat."
    )
    let ben = try town.person("ben")
    ben.say("/account add ben@x.org --host h.x.org")
    let his = try ben.account()
    try town.serve(his, process)
    try process.writeIfNeeded { try $0.setStatus(of: his, .connected([])) }
    ben.look()
    #expect(ben.printed.last == "ben@x.org is connected. /msg anna@x.org opens a direct chat.")
    anna.say("/join #tea@x.org")
    let room = try #require(anna.session.open.conversation)
    #expect(room.network == account.network && room.kind == .room)
    anna.say("/switch #lobby")
    anna.say("/msg ben@x.org")
    let chat = try #require(anna.session.open.conversation)
    #expect(chat.network == account.network && chat.kind == .direct)
  }

  @Test("a network's answer appears in every shell of its owner, and nowhere else")
  func tellsAnswers() throws {
    let account = try anna.added()
    let (second, ben) = (try town.person("anna"), try town.person("ben"))
    anna.say("/join tea@rooms.x.org")
    let asked = try #require(try anna.store.read { try $0.requests(of: account) }.first)
    try town.store().inbox.apply([.answered(asked, "You are banned from tea.")], of: account)
    for shell in [anna, second, ben] { shell.look() }
    #expect(anna.printed.contains("You are banned from tea."))
    #expect(second.printed.contains("You are banned from tea."))
    #expect(!ben.printed.contains("You are banned from tea."))
  }
  @Test("a notice is shown once in every shell of its owner that is open, and in no later one")
  func showsNotices() throws {
    let account = try anna.added()
    let (second, ben) = (try town.person("anna"), try town.person("ben"))
    let sentence = "The server restarts."
    try town.store().inbox.apply([.notice("\(sentence)")], of: account)
    let later = try town.person("anna")
    for _ in 1...2 { for shell in [anna, second, ben, later] { shell.look() } }
    #expect(
      [anna, second, ben, later].map { shell in shell.printed.count { $0 == sentence } }
        == [1, 1, 0, 0])
  }
}
