// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import Platform
import Sentences
import StoreFixture
import Testing

@testable import Bridge
@testable import Conversations
@testable import NetworkInbox
@testable import Networks

/// A program of which the test says what it writes.
@MainActor
private final class PlayedProgram: LineChannel {
  var received: (_ line: [UInt8]) -> Void = { _ in }
  var ended: (_ reason: Remark) -> Void = { _ in }
  var isReading = true {
    didSet { if isReading != oldValue { pass() } }
  }
  let backlog = 0
  /// What hobnob wrote to it.
  private(set) var written: [String] = []
  private(set) var isStopped = false
  private var unread: [String] = []

  func write(_ line: [UInt8]) { written.append(String(decoding: line, as: UTF8.self)) }
  func stop() { isStopped = true }

  func say(_ lines: String...) {
    unread += lines
    pass()
  }

  private func pass() {
    while isReading, !isStopped, !unread.isEmpty { received(Array(unread.removeFirst().utf8)) }
  }
}

/// An account without a password, which its owner wants to be connected.
@MainActor
private final class WantedAccount: AccountSource, NameSource {
  var ended: () -> Void = {}
  func settings(_ then: @escaping (Result<AccountSettings?, PasswordFailure>) -> Void) {
    then(.success(AccountSettings(values: [:])))
  }
  func password(_ then: @escaping (Result<String, PasswordFailure>) -> Void) { then(.success("")) }
  func services(_ name: String, _ then: @escaping ([ServiceRecord]) -> Void) { then([]) }
  func addresses(
    of host: String, _ then: @escaping (Result<[String], UnknownHost>) -> Void
  ) { then(.success([])) }
}

@MainActor
@Suite("The connection of an account by a program")
final class BridgeWireTests {
  private static func message(_ id: String, _ more: String = "") -> String {
    #"{"type":"message",\#(BridgeTalk.tea),"id":"\#(id)","sender":"ben","text":"x"\#(more)}"#
  }

  private let fixture = Fixture()
  private let store: Store
  private let lease: AccountLease
  private let loop: EventLoop
  private let time = Time()
  private let folder: String
  private let wire: BridgeWire
  /// The programs that were started.
  private var programs: [PlayedProgram] = []
  private var reports: [WireReport] = []
  private var onStart: (PlayedProgram) -> Void = { _ in }

  /// The loop's clock, which a test can put on.
  private final class Time {
    var ahead: Int64 = 0
  }

  init() throws {
    loop = EventLoop { [time] in Clock.steady() + time.ahead }
    folder = fixture.folder + "/program"
    for path in [folder, folder + "-2"] {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }
    store = try fixture.open()
    let account = try store.writeDurably {
      try $0.addAccount(
        owner: $0.participant(identity: "anna").id, network: "test:anna")
    }
    lease = try #require(try AccountLease.acquire(account, in: fixture.open()))
    var start: () -> PlayedProgram = { PlayedProgram() }
    wire = try BridgeWire(lease, loop: loop, folder: folder) { start() }
    start = { [weak self] in
      let program = PlayedProgram()
      self?.programs.append(program)
      self?.onStart(program)
      return program
    }
    wire.report = { [weak self] in self?.reports.append($0) }
  }

  private var events: [NetworkEvent] {
    reports.flatMap { report -> [NetworkEvent] in
      if case .events(let events) = report { events } else { [] }
    }
  }

  private var messages: [NetworkMessage] {
    events.compactMap { if case .messageReceived(let message, _) = $0 { message } else { nil } }
  }

  private var notices: [String] {
    events.compactMap { if case .notice(let remark) = $0 { remark.text } else { nil } }
  }

  /// Starts a program, which says these lines first.
  @discardableResult
  private func start(
    _ lines: [String] = [BridgeTalk.hello, #"{"type":"up"}"#], secret: String = "",
    facts: [String: String] = [:]
  ) throws -> PlayedProgram {
    wire.connect(secret: secret, settings: [:], facts: facts)
    let program = try #require(programs.last)
    for line in lines { program.say(line) }
    return program
  }

  /// Runs what is due at a later time.
  private func pass(_ milliseconds: Int64) {
    time.ahead += milliseconds
    loop.after(milliseconds: 0) { [loop] in loop.stop() }
    loop.run()
  }

  /// Ends the loop at a time that no computer takes, by the real clock.
  private func giveUp(at end: MonotonicTime) {
    loop.after(milliseconds: Int(max(1_000, end - Clock.steady()))) { [weak self] in
      guard let self else { return }
      if Clock.steady() < end { return giveUp(at: end) }
      Issue.record("it never came")
      loop.stop()
    }
  }

  // MARK: What is read, and when

  @Test("14.13: while the store cannot be written, no line of a program counts, also of a new one")
  func readsNothing() throws {
    let program = try start()
    wire.isReading = false
    program.say(Self.message("1"), Self.message("2"))
    #expect(!program.isReading && messages.isEmpty)
    wire.isReading = true
    #expect(messages.compactMap(\.name.archive) == ["1", "2"])
    wire.isReading = false
    let next = try start()
    #expect(!next.isReading && next.written.isEmpty)
    wire.isReading = true
    #expect(next.written.contains { $0.contains(#""type":"start""#) })
  }

  @Test("of more lines than a second may have outside of batches, the rest waits")
  func limitsLines() throws {
    let program = try start()
    var count = 0
    while program.isReading, count < 50_000 {
      program.say(#"{"type":"notice","text":"x"}"#)
      count += 1
    }
    #expect(!program.isReading && count >= BridgeLimits.lines - 2)
    program.say(Self.message("1"))
    // The store has nothing to do with it.
    wire.isReading = false
    wire.isReading = true
    #expect(!program.isReading && messages.isEmpty)
    pass(1_000)
    #expect(messages.count == 1 && notices.count == count)
  }

  @Test("12.7: a program brings files of its own folder only, and not through a link either")
  func takesOwnFiles() throws {
    let secret = fixture.folder + "/secret"
    for path in [secret, folder + "/own", folder + "-2/other"] {
      try path.write(toFile: path, atomically: true, encoding: .utf8)
    }
    for (name, target) in [("link", secret), ("inner", "own")] {
      try FileManager.default.createSymbolicLink(
        atPath: folder + "/" + name, withDestinationPath: target)
    }
    let program = try start()
    for path in ["own", "inner", "link", "../secret", "../program-2/other", "none", ""] {
      program.say(
        Self.message(path.isEmpty ? "-" : path, #","files":[{"path":"\#(folder)/\#(path)"}]"#))
    }
    program.say(Self.message("whole", #","files":[{"path":"\#(secret)"}]"#))
    let taken = messages.filter { !$0.files.isEmpty }
    #expect(messages.count == 8 && taken.compactMap(\.name.archive) == ["own", "inner"])
    #expect(notices.count { $0.contains("is not in the program's folder") } == 6)
    let folder = fixture.folder + "/store.attachments"
    let copies = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
    let texts = copies.compactMap {
      try? String(contentsOfFile: folder + "/" + $0, encoding: .utf8)
    }
    #expect(texts == [self.folder + "/own"])
  }

  // MARK: The first line

  @Test(
    "a first line that is no hello is told, and another try follows",
    arguments: [
      ("Warning: old library", "“Warning: old library” is not a line of JSON"),
      (#"{"type":"up"}"#, "the first line is “up” instead of “hello”"),
    ])
  func triesAgain(line: String, reason: String) throws {
    let program = try start([line])
    guard case .down(let told, isFinal: false)? = reports.last else {
      Issue.record("\(reports)")
      return
    }
    #expect(told.text == reason && program.isStopped)
  }

  @Test("a program that needs a password after all gets one, though it was known to need none")
  func needsAPassword() throws {
    let hello = BridgeTalk.hello.replacing(#""secret":false,"#, with: "")
    let known = [PasswordNeed.fact.name: PasswordNeed.fact.value]
    let program = try start([hello], facts: known)
    guard case .passwordRefused(PasswordFailure.none.sentence)? = reports.last else {
      Issue.record("\(reports)")
      return
    }
    #expect(program.isStopped && !program.written.contains { $0.contains("start") })
    // The owner has typed it meanwhile.
    let next = try start([hello], secret: "sesame", facts: known)
    #expect(next.written.contains { $0.contains("sesame") })
    // Without a password since ever, the program may do without.
    #expect(try start([hello]).written.contains { $0.contains(#""type":"start""#) })
  }

  // MARK: What it keeps

  @Test("14.2: a batch is not acknowledged while a value in it cannot be kept")
  func acknowledgesWhatIsKept() throws {
    let files = AccountFiles(environment: ["HOME": fixture.folder])
    let state = fixture.folder + "/.local/state/hobnob"
    try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
    var status: AccountStatus?
    onStart = { [self] program in
      let isFirst = programs.count == 1
      // No folder can be made there.
      if isFirst { _ = FileManager.default.createFile(atPath: state + "/servers", contents: nil) }
      loop.after(milliseconds: 0) { [self] in
        program.say(BridgeTalk.hello, #"{"type":"up"}"#)
        guard isFirst else { return loop.stop() }
        program.say(
          #"{"type":"begin"}"#, #"{"type":"keep","name":"token","value":"t1"}"#,
          #"{"type":"commit","batch":7}"#)
        status = try? store.read { try $0.account(network: lease.account.network) }?.status
        // As long as it cannot be written, the program does not start: it would get the value.
        time.ahead += 60_000
        loop.after(milliseconds: 0) { [self] in
          loop.after(milliseconds: 0) { [self] in
            #expect(programs.count == 1)
            try? FileManager.default.removeItem(atPath: state + "/servers")
            time.ahead += 600_000
          }
        }
      }
    }
    giveUp(at: Clock.steady() + 20_000)
    let process = try NetworkProcess(
      lease, AccountSettings(values: [:]), over: wire, loop: loop, source: WantedAccount(),
      files: files, typed: "", stays: true, random: { 0 })
    #expect(try process.run() == nil)
    try #require(programs.count == 2)
    #expect(programs[0].isStopped)
    #expect(!programs[0].written.contains { $0.contains("stored") })
    guard case .offline(let reason, _)? = status else {
      Issue.record("\(String(describing: status))")
      return
    }
    #expect(reason.text.contains(state + "/servers/") && reason.text.contains("Free some space"))
    #expect(programs[1].written.contains { $0.contains(#""kept":{"token":"t1"}"#) })
    let kept = try files.facts(of: lease.account, inStoreAt: store.path)
    #expect(kept["kept.token"] == #""t1""#)
  }
}
