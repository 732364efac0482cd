// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import Networks
import Platform
import StoreFixture
import Testing

@testable import Conversations
@testable import NetworkInbox

/// A wire that does what the test says, and notes what it is given.
@MainActor
private final class ToldWire: Wire {
  var report: (WireReport) -> Void = { _ in }
  var isReading = true {
    didSet { if isReading { wasClosedBeforeReading = isClosed } }
  }
  /// Whether it was closed when it last began to read.
  private(set) var wasClosedBeforeReading = false
  var outboxes: [[String]] = []
  var requests: [NetworkRequest.Verb] = []
  var isClosed = false
  let server: String? = "127.0.0.1"
  var connects = 0
  var secrets: [String] = []
  var settings: [String: String] = [:]
  var facts: [String: String] = [:]
  /// What happens when it is to connect, by how often it was.
  var onConnect: (ToldWire, Int) -> Void = { wire, _ in wire.report(.up) }
  var onOutbox: (ToldWire, [OutboxEntry]) -> Void = { _, _ in }

  func connect(secret: String, settings: [String: String], facts: [String: String]) {
    connects += 1
    secrets.append(secret)
    (self.settings, self.facts) = (settings, facts)
    onConnect(self, connects)
  }

  func deliver(
    outbox: [OutboxEntry], requests: [NetworkRequest], signals: [NetworkSignal],
    noteTried: (Set<OutboxEntry.ID>) throws -> Void
  ) throws {
    try noteTried(Set(outbox.map(\.id)))
    if !outbox.isEmpty { outboxes.append(outbox.map(\.message.body)) }
    self.requests += requests.map(\.verb)
    onOutbox(self, outbox)
  }

  func close() { isClosed = true }
}

/// An owner's settings and password as the test says.
@MainActor
private final class ToldSource: AccountSource, NameSource {
  var ended: () -> Void = {}

  var now: AccountSettings?
  var isListed = true
  var passwords: [Result<String, PasswordFailure>] = []
  private(set) var asked = 0

  func settings(_ then: @escaping (Result<AccountSettings?, PasswordFailure>) -> Void) {
    then(.success(isListed ? now : nil))
  }

  func services(_ name: String, _ then: @escaping ([ServiceRecord]) -> Void) { then([]) }

  func addresses(
    of host: String, _ then: @escaping (Result<[String], UnknownHost>) -> Void
  ) { then(.success(["127.0.0.1"])) }

  func password(_ then: @escaping (Result<String, PasswordFailure>) -> Void) {
    asked += 1
    then(passwords.isEmpty ? .failure(.none) : passwords.removeFirst())
  }
}

@MainActor
@Suite("A network process")
final class NetworkProcessTests {
  private let folder: String
  private let store: Store
  private let mine: Store
  private let anna: Participant
  private let account: Account
  private let room: Conversation
  private let wire = ToldWire()
  private let source = ToldSource()
  private let files: AccountFiles
  private let loop: EventLoop
  private let time = Time()

  /// The loop's clock, which a test can put on.
  private final class Time {
    var ahead: Int64 = 0
  }

  init() throws {
    loop = EventLoop { [time] in Clock.steady() + time.ahead }
    folder = FileManager.default.temporaryDirectory.path + "/hobnob-test-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    files = AccountFiles(environment: ["HOME": folder])
    mine = try Store(path: folder + "/store.sqlite")
    (anna, account) = try mine.writeDurably {
      let anna = try $0.participant(identity: "anna")
      let account = try $0.addAccount(owner: anna.id, network: "stub:anna@irc.x.org")
      return (anna, account)
    }
    // Of the other sort than XMPP.
    try mine.inbox.apply(
      [
        .rules(AddressRules(roomSigns: "#", folding: .rfc1459, identityScope: .network)),
        .abilities(NetworkAbilities(rooms: .ofIRC)),
      ], of: account)
    room = try mine.writeDurably { [anna, account] in
      let room = try $0.networkRoom("##tea", network: account.network)
      try $0.join(anna.id, room.id)
      return room
    }
    store = try Store(path: folder + "/store.sqlite")
  }

  isolated deinit {
    lease = nil
    store.close()
    mine.close()
    try? FileManager.default.removeItem(atPath: folder)
  }

  private var lease: AccountLease?

  private func process(
    stays: Bool = true, settings: [String: String] = [:], typed: String? = "s",
    passwordNeed: @escaping PasswordNeed.Rule = { _, _ in .needed }
  ) throws -> NetworkProcess {
    // The one before lets it go.
    lease = nil
    lease = try AccountLease.acquire(account, in: store)
    source.now = source.now ?? AccountSettings(values: settings)
    return try NetworkProcess(
      #require(lease), AccountSettings(values: settings), over: wire, loop: loop,
      source: source, files: files, typed: typed, passwordNeed: passwordNeed, stays: stays,
      stayAfterLastShell: 0, random: { 0 })
  }

  /// What Ben says in the room.
  private let said = NetworkEvent.messageReceived(
    NetworkMessage(
      name: MessageIDs(origin: "1", archive: "a1"),
      speaker: NetworkUser(identity: "ben", name: "ben"), body: "hello"),
    in: .room("##tea"))

  private var texts: [String] {
    get throws {
      try mine.read { try $0.messages(in: room.id, limit: 9, for: anna.id) }.map(\.body)
    }
  }

  /// Ends the loop, at the latest after a time that no computer takes.
  private func stop(when isDone: @escaping () -> Bool) {
    loop.endOfTurn { [loop] in if isDone() { loop.stop() } }
    _ = loop.after(milliseconds: 20_000) { [loop] in
      Issue.record("it never came")
      loop.stop()
    }
  }

  @Test("14.2: the wire gets what was sent before and after it connected")
  func givesTheOutbox() throws {
    try mine.writeDurably { try $0.send("one", in: room.id, by: anna.id) }
    wire.onConnect = { [self] wire, _ in
      wire.report(.up)
      _ = try? mine.writeDurably { try $0.send("two", in: room.id, by: anna.id) }
    }
    stop { self.wire.outboxes.last?.contains("two") == true }
    #expect(try process().run() == nil)
    #expect(wire.outboxes.first == ["one"])
    #expect(wire.outboxes.last == ["one", "two"])
    #expect(wire.isClosed)
  }

  @Test("a process whose store was deleted ends")
  func endsWithItsStore() throws {
    wire.onConnect = { [folder] wire, _ in
      wire.report(.up)
      try? FileManager.default.removeItem(atPath: folder)
    }
    stop { false }
    #expect(try process().run() == nil)
  }

  @Test("nothing is given to a wire that is not logged in")
  func waitsForTheLogin() throws {
    try mine.writeDurably { try $0.send("one", in: room.id, by: anna.id) }
    wire.onConnect = { [self] _, _ in
      _ = try? mine.writeDurably { try $0.send("two", in: room.id, by: anna.id) }
      _ = loop.after(milliseconds: 50) { self.loop.stop() }
    }
    #expect(try process().run() == nil)
    #expect(wire.outboxes.isEmpty)
  }

  @Test("14.2: after a lost connection it says so, connects again, and sends the outbox anew")
  func connectsAgain() throws {
    try mine.writeDurably { try $0.send("one", in: room.id, by: anna.id) }
    var said: AccountStatus?
    let before = Clock.wall()
    wire.onConnect = { [self] wire, count in
      if count == 1 {
        wire.report(.up)
        wire.report(.down(reason: "The server went away.", isFinal: false))
        said = try? mine.read { try $0.accounts(of: anna.id) }.first?.status
      } else {
        wire.report(.up)
      }
    }
    stop { self.wire.outboxes.count == 2 }
    #expect(try process().run() == nil)
    guard case .offline("The server went away.", let nextTry?) = said else {
      Issue.record("\(String(describing: said))")
      return
    }
    #expect((before...Clock.wall() + 1_000).contains(nextTry))
    #expect(wire.outboxes == [["one"], ["one"]])
  }

  @Test("14.6: a connection that ends right after each login is retried with growing pauses")
  func waitsLongerForAConnectionThatDoesNotLast() throws {
    var pauses: [Int64] = []
    var wentDown: MonotonicTime?
    wire.onConnect = { [self] wire, count in
      if let wentDown { pauses.append(loop.now - wentDown) }
      wire.report(.up)
      if count == 5 { return loop.stop() }
      loop.after(milliseconds: 0) { [self] in
        // The fourth one lasts.
        if count == 4 { time.ahead += 60_000 }
        wire.report(.down(reason: "too long", isFinal: false))
        wentDown = loop.now
        letTimePass(until: count + 1)
      }
    }
    #expect(try process().run() == nil)
    try #require(pauses.count == 4)
    #expect(pauses[0] < pauses[1] && pauses[1] < pauses[2] && pauses[3] < pauses[1], "\(pauses)")
  }

  /// The clock goes on until there were so many connections.
  private func letTimePass(until count: Int) {
    guard wire.connects < count else { return }
    time.ahead += 100
    loop.after(milliseconds: 0) { [self] in letTimePass(until: count) }
  }

  @Test("a permanent refusal ends it with the reason")
  func endsAtARefusal() throws {
    wire.onConnect = { wire, _ in wire.report(.down(reason: "wrong password", isFinal: true)) }
    #expect(try process().run() == "wrong password")
    #expect(wire.connects == 1)
  }

  @Test("what it receives is stored; while the store cannot be written it reads no more")
  func storesWhatItHears() throws {
    var wasReading = true
    wire.onConnect = { [self] wire, _ in
      wire.report(.up)
      // Somebody holds the store while the message comes.
      try? mine.holding {
        wire.report(.events([said]))
        wasReading = wire.isReading
      }
    }
    stop {
      (try? self.mine.read { try $0.messages(in: self.room.id, limit: 9, for: self.anna.id) }.count)
        == 1
        && self.wire.isReading
    }
    #expect(try process().run() == nil)
    #expect(!wasReading)
    #expect(
      try mine.read { try $0.messages(in: room.id, limit: 9, for: anna.id) }.map(\.body) == [
        "hello"
      ])
  }

  @Test("14.2: a wire that does not read is given nothing: after a break it would count as sent")
  func givesNothingToAPausedWire() throws {
    var wasReading = true
    var given: [[String]] = []
    var wasTried: Bool?
    wire.onConnect = { [self] wire, _ in
      wire.report(.up)
      try? mine.holding { wire.report(.events([said])) }
      wasReading = wire.isReading
      _ = try? mine.writeDurably { try $0.send("one", in: room.id, by: anna.id) }
      wire.report(.wantsOutbox)
      given = wire.outboxes
      wasTried = try? mine.read { try $0.outbox(of: account.network) }.first?.wasTried
    }
    stop { self.wire.outboxes == [["one"]] }
    #expect(try process().run() == nil)
    #expect(!wasReading && given.isEmpty && wasTried == false)
    #expect(wire.isReading)
  }

  @Test("facts that cannot be written keep no message waiting, and are written later")
  func storesMessagesBeforeFacts() throws {
    let state = folder + "/.local/state/hobnob"
    try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
    var (wasReading, stored) = (false, [String]())
    wire.onConnect = { [self] wire, _ in
      wire.report(.up)
      // No folder can be made there.
      _ = FileManager.default.createFile(atPath: state + "/servers", contents: nil)
      wire.report(.learned("scram", "seen"))
      wire.report(.events([said]))
      (wasReading, stored) = (wire.isReading, (try? texts) ?? [])
      try? FileManager.default.removeItem(atPath: state + "/servers")
      time.ahead += Retry.fullStore.pause
    }
    stop { (try? self.facts) == ["scram": "seen"] }
    #expect(try process().run() == nil)
    #expect(wasReading && stored == ["hello"])
  }

  @Test("a wire that waited goes on only if what its program asked to keep is written")
  func closesAWireThatCannotKeep() throws {
    let state = folder + "/.local/state/hobnob"
    try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
    wire.onConnect = { [self] wire, _ in
      wire.report(.up)
      // No folder can be made there.
      _ = FileManager.default.createFile(atPath: state + "/servers", contents: nil)
      try? mine.holding {
        wire.report(.events([said]))
        wire.report(.learned("kept.token", "\"t\""))
      }
      #expect(!wire.isReading && !wire.isClosed)
    }
    stop { self.wire.isReading }
    #expect(try process().run() == nil)
    #expect(wire.wasClosedBeforeReading && wire.connects == 1)
    #expect(try texts == ["hello"])
  }

  @Test("what was learned last is written at the end")
  func learnsAtTheEnd() throws {
    let state = folder + "/.local/state/hobnob"
    try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
    wire.onConnect = { wire, _ in
      _ = FileManager.default.createFile(atPath: state + "/servers", contents: nil)
      wire.report(.learned("scram", "seen"))
      try? FileManager.default.removeItem(atPath: state + "/servers")
      wire.report(.down(reason: "wrong password", isFinal: true))
    }
    #expect(try process().run() == "wrong password")
    #expect(try facts == ["scram": "seen"])
  }

  @Test("what could not be stored is stored at the end")
  func storesAtTheEnd() throws {
    wire.onConnect = { [self] wire, _ in
      wire.report(.up)
      try? mine.holding { wire.report(.events([said])) }
      wire.report(.down(reason: "wrong password", isFinal: true))
    }
    #expect(try process().run() == "wrong password")
    #expect(
      try mine.read { try $0.messages(in: room.id, limit: 9, for: anna.id) }.map(\.body) == [
        "hello"
      ])
  }

  @Test("14.6: events that cannot be stored are skipped, the rest stored, and the owner told once")
  func leavesOutWhatCannotBeStored() throws {
    func said(_ number: Int, by identity: String = "ben") -> NetworkEvent {
      .messageReceived(
        NetworkMessage(
          name: MessageIDs(origin: "\(number)", archive: "a\(number)"),
          speaker: NetworkUser(identity: identity, name: "ben"), body: "\(number)"),
        in: .room("##tea"))
    }
    try mine.forbid(body: "2")
    let position = try mine.read { try $0.position }
    wire.onConnect = { wire, _ in
      wire.report(.up)
      wire.report(.events([said(1), said(2), said(3), said(4, by: ""), said(5)]))
      wire.report(.events([said(6, by: ""), said(7)]))
    }
    stop {
      (try? self.mine.read { try $0.messages(in: self.room.id, limit: 9, for: self.anna.id) }.count)
        == 4
    }
    #expect(try process().run() == nil)
    #expect(
      try mine.read { try $0.messages(in: room.id, limit: 9, for: anna.id) }.map(\.body) == [
        "1", "3", "5", "7",
      ])
    #expect(wire.isReading)
    let told = try mine.read { try $0.changes(since: position, for: anna.id) }.notices.map(\.text)
    #expect(told.count == 1)
    #expect(told[0].text.hasPrefix("hobnob skipped something that the network sent"))
  }

  @Test("facts about a network are stored even while the store is locked")
  func storesWhatIsLearned() throws {
    wire.onConnect = { [self] wire, _ in
      wire.report(.up)
      try? mine.holding { wire.report(.learned("scram", "seen")) }
      _ = loop.after(milliseconds: 0) {}
    }
    let facts = { [self] in (try? files.facts(of: account, inStoreAt: mine.path)) ?? [:] }
    stop { facts()["scram"] == "seen" }
    #expect(try process().run() == nil)
    #expect(facts() == ["scram": "seen"])
    // It is nobody's setting, and the store has none of it (12.7).
    #expect(try files.settings(of: account, inStoreAt: mine.path) == nil)
    // The next process gives it to the wire, apart from what the owner has set.
    stop { [self] in wire.connects > 1 }
    #expect(try process().run() == nil)
    #expect(wire.facts == ["scram": "seen"] && wire.settings["scram"] == nil)
  }

  @Test("while the disk is full it says so, and no longer afterwards")
  func saysThatTheStoreIsFull() throws {
    let said = NetworkEvent.messageReceived(
      NetworkMessage(
        name: MessageIDs(origin: "1", archive: "a1"),
        speaker: NetworkUser(identity: "ben", name: "ben"),
        body: String(repeating: "hello ", count: 10_000)),
      in: .room("##tea"))
    var full: AccountStatus?
    let status = { [self] in try? mine.read { try $0.accounts(of: anna.id) }.first?.status }
    wire.onConnect = { [self] wire, _ in
      wire.report(.up)
      wire.report(.status(.connected([])))
      try? store.limit(pages: 1)
      wire.report(.events([said]))
      full = status()
      try? store.limit(pages: 1_000_000)
      // Behind another one, which is stored at once.
      wire.report(.events([said]))
    }
    stop {
      (try? self.mine.read { try $0.messages(in: self.room.id, limit: 9, for: self.anna.id) }.count)
        == 1
    }
    #expect(try process().run() == nil)
    #expect(full == .storeIsFull)
    #expect(status() == .connected([]))
    #expect(wire.isReading)
  }

  @Test(
    "the password is asked for if no one typed one, and again at /connect from a command")
  func asksForThePassword() throws {
    let command = ["password-command": "pass show x"]
    source.passwords = [.success("one"), .success("two")]
    source.now = AccountSettings(values: command)
    wire.onConnect = { [self] wire, count in
      // A break alone asks for none.
      if count == 1 { wire.report(.down(reason: "the server went away", isFinal: false)) }
      if count == 2 { _ = try? mine.writeDurably { try $0.ask(.reconnect, of: account) } }
      if count == 3 { loop.stop() }
    }
    #expect(try process(settings: command, typed: nil).run() == nil)
    #expect(wire.secrets == ["one", "one", "two"])
  }

  /// As on a network where an account may have no password, unless a setting says that it has one.
  private func passwordNeed(
    _ settings: [String: String], _ facts: [String: String]
  ) -> PasswordNeed {
    if settings["login"] != nil { return .needed }
    return PasswordNeed.isKnownToBeNone(facts) ? .unneeded : .optional
  }

  private var facts: [String: String] {
    get throws { try files.facts(of: account, inStoreAt: mine.path) }
  }

  @Test("without a password it connects with an empty one, now and later, and asks nobody")
  func connectsWithoutAPassword() throws {
    wire.onConnect = { [loop] _, _ in loop.after(milliseconds: 0) { loop.stop() } }
    #expect(try process(typed: "", passwordNeed: passwordNeed).run() == nil)
    #expect(try facts == ["password": "none"])
    #expect(try process(typed: nil, passwordNeed: passwordNeed).run() == nil)
    #expect(wire.secrets == ["", ""] && source.asked == 0)
    // Another setting may say that it has one.
    source.now = AccountSettings(values: ["login": "plain"])
    source.passwords = [.success("one")]
    let settings = ["login": "plain"]
    #expect(
      try process(settings: settings, typed: nil, passwordNeed: passwordNeed).run() == nil)
    #expect(wire.secrets.last == "one" && source.asked == 1)
    #expect(try facts == [:])
  }

  @Test("a server that wants a password after all makes it forget that there is none")
  func forgetsThatThereIsNone() throws {
    try files.learn(["password": "none"], of: account, inStoreAt: mine.path)
    wire.onConnect = { wire, _ in wire.report(.passwordRefused(reason: "no")) }
    #expect(try process(typed: nil, passwordNeed: passwordNeed).run() == "no")
    #expect(wire.secrets == [""])
    #expect(try facts == [:])
    #expect(
      try process(typed: nil, passwordNeed: passwordNeed).run() == "needs its password (/connect)")
    #expect(wire.connects == 1 && source.asked == 1)
  }

  @Test("if the server refuses the password from a command, /connect runs the command again")
  func refusesTheCommandsPassword() throws {
    wire.onConnect = { wire, _ in wire.report(.passwordRefused(reason: "no")) }
    source.passwords = [.success("one")]
    #expect(
      try process(settings: ["password-command": "pass show x"], typed: nil).run()
        == "The server does not accept the password from password-command; /connect runs the command again."
    )
  }

  @Test("at /connect it looks for a password that the account may have now")
  func findsANewPassword() throws {
    source.passwords = [.success("one")]
    wire.onConnect = { [self] _, count in
      if count == 2 {
        loop.after(milliseconds: 0) { [loop] in loop.stop() }
        return
      }
      source.now?.values["login"] = "plain"
      _ = try? mine.writeDurably { try $0.ask(.reconnect, of: account) }
    }
    #expect(try process(typed: "", passwordNeed: passwordNeed).run() == nil)
    #expect(wire.secrets == ["", "one"])
  }

  @Test(
    "a missing password is explained, and nothing is connected",
    arguments: [
      (PasswordFailure.none, "needs its password (/connect)"),
      (.command("pass", status: 3), "no password: pass ended with status 3; /connect tries again"),
      (
        .tooSlow("sleep"),
        "no password: sleep was stopped after a minute; /connect tries again"
      ), (.settings("others may write to it"), "others may write to it"),
    ])
  func saysWhyThereIsNoPassword(failure: PasswordFailure, sentence: String) throws {
    source.passwords = [.failure(failure)]
    #expect(try process(typed: nil).run()?.text == sentence)
    #expect(wire.connects == 0)
  }

  @Test("12.7: it connects with its owner's file, and leaves when that no longer lists it")
  func readsTheOwnersFile() throws {
    wire.onConnect = { [self] wire, count in
      source.now?.values["nick"] = "anne"
      if count == 1 { _ = try? mine.writeDurably { try $0.ask(.reconnect, of: account) } }
      if count == 2 {
        source.isListed = false
        _ = try? mine.writeDurably { try $0.ask(.readSettings, of: account) }
      }
    }
    #expect(try process(settings: ["host": "h.x.org"]).run() == nil)
    #expect(wire.settings == ["host": "h.x.org", "nick": "anne"])
    #expect(try mine.read { try $0.requests(of: account) }.isEmpty)
  }

  @Test("new certificates need a new process, also when it would connect again by itself")
  func needsAProcessForNewCertificates() throws {
    func tryAgain() {
      // Once it has read the settings.
      if (try? mine.read { try $0.requests(of: account).isEmpty }) == true {
        letTimePass(until: 2)
      } else {
        loop.after(milliseconds: 0) { tryAgain() }
      }
    }
    var answers: [Bool] = []
    wire.onConnect = { [self] wire, count in
      guard count == 1 else { return loop.stop() }
      source.now?.values["ca"] = "/new.crt"
      _ = try? mine.writeDurably { try $0.ask(.readSettings, of: account) }
      wire.report(.down(reason: "gone", isFinal: false))
      tryAgain()
    }
    let process = try process(settings: ["ca": "/old.crt"])
    process.firstTryEnded = { answers.append($0) }
    #expect(try process.run()?.text.contains("/connect") == true)
    #expect(wire.connects == 1 && answers == [false])
  }

  @Test("a message makes it look at no shell's lock file; the end of a shell does")
  func clearsAwayWhenAShellEnds() throws {
    let database = try Database(path: folder + "/store.sqlite", patience: 5_000)
    let count = {
      (try? database.first("SELECT count(*) FROM shell WHERE id = 'gone'") { $0.int() }) ?? nil
    }
    var before: Int?
    wire.onConnect = { [self] wire, _ in
      wire.report(.up)
      _ = loop.after(milliseconds: 0) { [self] in
        try? database.run(
          "INSERT INTO shell(id, participant) VALUES ('gone', ?)", anna.id)
        _ = try? mine.writeDurably { try $0.send("one", in: room.id, by: anna.id) }
      }
    }
    wire.onOutbox = { [self] _, entries in
      guard !entries.isEmpty, before == nil else { return }
      before = count()
      let lock = folder + "/store.shells/zz"
      _ = FileManager.default.createFile(atPath: lock, contents: nil)
      try? FileManager.default.removeItem(atPath: lock)
    }
    stop { before != nil && count() == 0 }
    #expect(try process().run() == nil)
    #expect(before == 1)
  }

  @Test("without the process that reads settings and looks names up, it ends as in a crash")
  func endsWithItsHelper() throws {
    wire.onConnect = { [self] wire, _ in
      wire.report(.up)
      source.ended()
    }
    let serving = try process()
    #expect(throws: HelperIsGone.self) { try serving.run() }
    #expect(wire.isClosed)
  }

  @Test("it leaves when its owner has no shell, and at /disconnect")
  func leavesWhenNobodyIsThere() throws {
    #expect(try process(stays: false).run() == nil)
    #expect(wire.isClosed)
    wire.onConnect = { [self] wire, _ in
      wire.report(.up)
      source.now?.isWanted = false
      _ = try? mine.writeDurably { try $0.ask(.readSettings, of: account) }
    }
    #expect(try process().run() == nil)
  }

  @Test("it leaves when a program of another version has taken over the store")
  func leavesAnotherVersion() throws {
    wire.onConnect = { [self] wire, _ in
      try? mine.db("PRAGMA user_version=1000")
      wire.report(.up)
      wire.report(
        .events([
          .messageReceived(
            NetworkMessage(
              name: MessageIDs(origin: "o"), speaker: NetworkUser(identity: "zoe"), body: "x"),
            in: .room("##tea"))
        ]))
    }
    _ = loop.after(milliseconds: 20_000) { [loop] in
      Issue.record("it stayed")
      loop.stop()
    }
    _ = try process().run()
    #expect(wire.isClosed)
  }

  @Test("it leaves when another process has the account, and sends nothing more")
  func leavesWithoutTheLease() throws {
    var next: AccountLease?
    wire.onConnect = { [self] wire, _ in
      // Somebody clears the lock files away, and the next one finds the account free.
      let shells = folder + "/store.shells"
      for name in (try? FileManager.default.contentsOfDirectory(atPath: shells)) ?? [] {
        try? FileManager.default.removeItem(atPath: shells + "/" + name)
      }
      next = try? AccountLease.acquire(account, in: mine)
      #expect(next != nil)
      _ = try? mine.writeDurably { try $0.send("one", in: room.id, by: anna.id) }
      wire.report(.up)
    }
    _ = loop.after(milliseconds: 20_000) { [loop] in
      Issue.record("it stayed")
      loop.stop()
    }
    #expect(try process().run() == nil)
    #expect(wire.outboxes.isEmpty)
  }

  // MARK: Files

  /// A message in the room, and what is asked for about it.
  private func ask(_ verb: NetworkRequest.Verb, _ link: String) throws -> Message {
    let message = try mine.writeDurably { try $0.send("look\n" + link, in: room.id, by: anna.id) }
    try mine.writeDurably {
      try $0.ask(verb, target: String(message.id.rawValue), text: link, of: account)
    }
    return message
  }

  private func answers(since position: Int64) throws -> [String] {
    try mine.read { try $0.changes(since: position, for: anna.id) }.answers.map(\.text.text)
  }

  /// Runs a process of the account as it is now until nothing is asked for any more.
  private func runUntilAnswered(_ settings: [String: String]) throws {
    stop { (try? self.mine.read { try $0.requests(of: self.account) }.isEmpty) == true }
    _ = try process(settings: settings).run()
    #expect(wire.requests.isEmpty)
  }

  @Test("a requested file is downloaded into the store, under its name and byte for byte")
  func fetches() throws {
    let web = try WebServer()
    let position = try mine.read { try $0.position }
    let link = web.address("/300000/..%2fplan%20b.bin?key=1#end")
    let message = try ask(.fetch, link)
    try runUntilAnswered(["ca": web.authority])
    #expect(try answers(since: position) == [""])
    let file = try #require(try mine.read { try $0.files(of: message.id) }.first)
    #expect(file.name == "plan b.bin" && file.bytes == 300_000)
    #expect(
      FileManager.default.contents(atPath: mine.attachmentFolder.path(of: file.hash))
        == WebServer.bytes(300_000))
  }

  @Test("a failed one is reported where it was requested, and leaves nothing behind")
  func tellsWhatCannotBeFetched() throws {
    let web = try WebServer()
    let position = try mine.read { try $0.position }
    let message = try ask(.fetch, web.address("/code/404/a.png"))
    _ = try ask(.fetchUnasked, web.address("/code/404/b.png"))
    // A contact's may not be as large.
    _ = try ask(.fetchUnasked, web.address("/1000001/c"))
    try runUntilAnswered(["ca": web.authority, "fetch": "1"])
    #expect(
      try answers(since: position).sorted() == [
        "", "", "a.png could not be fetched: it does not exist, or no longer does (404).",
      ])
    #expect(try mine.read { try $0.files(of: message.id) }.isEmpty)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder + "/store.attachments")
    #expect(names.isEmpty, "\(names)")
  }

  /// Runs a process until only so many requests wait.
  private func run(until count: Int, _ settings: [String: String]) throws {
    loop.endOfTurn { [self] in
      if (try? mine.read { try $0.requests(of: account) }.count) == count { loop.stop() }
    }
    _ = loop.after(milliseconds: 200_000) { [loop] in
      Issue.record("it never came")
      loop.stop()
    }
    _ = try process(settings: settings).run()
  }

  @Test("slow downloads make room for others, and go on beside them")
  func slowOnesHoldNothingUp() throws {
    let web = try WebServer()
    for name in ["a", "b", "c"] {
      _ = try ask(.fetch, web.address("/slow/\(name)"))
    }
    let message = try ask(.fetch, web.address("/10/d"))
    // Before 30 s there is no telling.
    var early: Int?
    loop.after(milliseconds: 200) { [self] in
      time.ahead += 29_000
      loop.after(milliseconds: 200) { [self] in
        early = try? mine.read { try $0.requests(of: account) }.count
        time.ahead += 1_000
        loop.after(milliseconds: 0) {}
      }
    }
    try run(until: 3, ["ca": web.authority])
    #expect(early == 4)
    #expect(try mine.read { try $0.files(of: message.id) }.map(\.name) == ["d"])
  }

  @Test("the owner's requests do not wait for automatic downloads")
  func askedForComesFirst() throws {
    let web = try WebServer()
    for name in ["a", "b", "c", "d"] {
      _ = try ask(.fetchUnasked, web.address("/slow/\(name)"))
    }
    _ = try ask(.fetchUnasked, web.address("/10/e"))
    let message = try ask(.fetch, web.address("/10/f"))
    try run(until: 5, ["ca": web.authority])
    #expect(try mine.read { try $0.files(of: message.id) }.map(\.name) == ["f"])
    #expect(time.ahead == 0)
  }

  @Test("one process at a time has the account, then the next one")
  func oneAtATime() throws {
    let first = try #require(try AccountLease.acquire(account, in: store))
    #expect(try AccountLease.acquire(account, in: mine) == nil)
    try first.release()
    #expect(try AccountLease.acquire(account, in: mine) != nil)
  }
}

extension Store {
  /// Lets it grow no further than to so many pages, as on a full disk.
  fileprivate func limit(pages: Int) throws {
    try database.execute("PRAGMA max_page_count=\(pages)")
  }

  /// A message of that text contradicts something.
  fileprivate func forbid(body: String) throws {
    try database.execute(
      """
      CREATE TRIGGER forbidden BEFORE INSERT ON message WHEN new.body = '\(body)'
      BEGIN SELECT RAISE(ABORT, 'constraint'); END
      """)
  }

  /// Keeps all others from writing meanwhile.
  fileprivate func holding(_ body: () -> Void) throws {
    try write { _ in body() }
  }
}
