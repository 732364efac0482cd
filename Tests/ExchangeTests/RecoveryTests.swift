// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import Platform
import Repeatable
import Sentences
import StoreFixture
import Testing

@testable import Conversations
@testable import Exchange

/// A store with 2,000 messages, an edit, a reaction, a draft and history, closed.
private final class Grown {
  let fixture = Fixture()
  let count = 2_000
  let pageSize = 4096
  var newPath: String { fixture.folder + "/recovered.sqlite" }
  private(set) var bodies: [String] = []

  init() throws {
    let store = try fixture.open()
    let anna = try store.writeDurablyIfNeeded { try $0.participant(identity: "anna") }.id
    let ben = try store.writeDurablyIfNeeded { try $0.participant(identity: "ben") }.id
    let lobby = try store.writeDurablyIfNeeded { try $0.makeRoom("lobby") }.id
    try store.writeDurablyIfNeeded { try $0.join(anna, lobby) }
    try store.writeDurablyIfNeeded { try $0.join(ben, lobby) }
    for number in 1...count {
      let body = "message \(number) with some more words, so that a page holds a few of them only"
      bodies.append(body)
      _ = try store.writeDurably {
        try $0.send(body, in: lobby, by: number % 3 == 0 ? ben : anna, typed: body)
      }
    }
    let last = try #require(try store.read { try $0.newest(by: anna, in: lobby) })
    try store.writeDurably { try $0.react(last.id, by: ben, with: "🎉") }
    try store.writeDurablyIfNeeded {
      try $0.setDraft(Draft(text: "half a", caret: 6), of: anna, in: lobby)
    }
    store.close()
  }

  func pages() throws -> Int {
    Int(try #require(fileStatus(fixture.path)).st_size) / pageSize
  }

  func spoil(page: Int, seed: UInt64) throws {
    var random = FixedRandom(seed: seed)
    let noise = (0..<pageSize).map { _ in UInt8.random(in: 0...255, using: &random) }
    let file = try #require(FileHandle(forWritingAtPath: fixture.path))
    try file.seek(toOffset: UInt64((page - 1) * pageSize))
    try file.write(contentsOf: Data(noise))
    try file.close()
  }

  /// The pages that hold rows of a table, by SQLite's own account, and how many are on each.
  func rows(onPagesOf table: String) throws -> [(page: Int, rows: Int)] {
    let database = try Database(path: fixture.path, patience: 0)
    defer { database.close() }
    return try database.rows(
      "SELECT pageno, ncell FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY pageno", table
    ) { (page: $0.int("pageno"), rows: $0.int("ncell")) }
  }

  func pages(of table: String) throws -> [Int] { try rows(onPagesOf: table).map(\.page) }
}

@Suite("Recovery of a damaged store") struct RecoveryTests {
  private func contents(_ path: String) -> Data? { FileManager.default.contents(atPath: path) }

  @Test func aWholeFileIsCopiedWhole() throws {
    let grown = try Grown()
    let before = contents(grown.fixture.path)
    let report = try Recovery.run(from: grown.fixture.path, to: grown.newPath)
    #expect(report.lost == 0)
    #expect(report["message"] == .init(name: "message", got: 2_000, lost: 0, isExact: true))
    #expect(
      report["message"].map { filled($0.sentence) } == "message: 2000 of 2000 rows recovered")
    #expect(contents(grown.fixture.path) == before)
    let (old, new) = (try grown.fixture.open(), try grown.fixture.open("recovered.sqlite"))
    #expect(try new.upkeep.check().allSatisfy { $0.severity == .fine })
    let anna = try new.writeDurablyIfNeeded { try $0.participant(identity: "anna") }.id
    let lobby = try #require(try new.read { try $0.room("lobby") }).id
    func everything(_ store: Store) throws -> [Message] {
      try store.read { try $0.messages(in: lobby, limit: 9_999, for: anna) }
    }
    #expect(try everything(old) == everything(new))
    #expect(
      try old.read { try $0.draft(of: anna, in: lobby) }
        == new.read { try $0.draft(of: anna, in: lobby) })
    #expect(
      try old.read { try $0.inputHistory(of: anna, shell: "x", limit: 9_999) }
        == new.read { try $0.inputHistory(of: anna, shell: "x", limit: 9_999) })
    #expect(
      try new.read { try $0.reactions(of: try #require(try $0.newest(by: anna, in: lobby)).id) }
        .count == 1)
    #expect(
      try new.read { try $0.search(SearchQuery(terms: [.init("1234")]), for: anna) }.count == 1)
    #expect(try old.read { try $0.position } == new.read { try $0.position })
    #expect(try new.writeDurably { try $0.send("next", in: lobby, by: anna) }.number == 2_001)
    #expect(grown.fixture.mode("recovered.sqlite") == 0o600)
  }

  @Test(
    "Rows that are older than their table's last columns are recovered, too",
    arguments: [false, true])
  func olderRows(isUpgraded: Bool) throws {
    let grown = try Grown()
    let store = try grown.fixture.open()
    try store.goBackBeforeEncryption()
    store.close()
    if isUpgraded { try grown.fixture.open().close() }
    let report = try Recovery.run(from: grown.fixture.path, to: grown.newPath)
    #expect(report.lost == 0)
    #expect(report["message"]?.got == grown.count)
    let new = try grown.fixture.open("recovered.sqlite")
    #expect(try new.upkeep.check().allSatisfy { $0.severity == .fine })
  }

  @Test("Pages of noise cost the messages on them", arguments: [1, 2, 5])
  func noise(count: Int) throws {
    let grown = try Grown()
    let leaves = try grown.pages(of: "message")
    try #require(leaves.count > 20)
    for index in 0..<count {
      try grown.spoil(page: leaves[3 + index * 4], seed: UInt64(index))
    }
    let before = contents(grown.fixture.path)
    let report = try Recovery.run(from: grown.fixture.path, to: grown.newPath)
    #expect(contents(grown.fixture.path) == before)
    let table = try #require(report["message"])
    #expect(table.isExact && table.got + table.lost == 2_000)
    #expect(table.lost > 0 && table.lost <= count * 60, "\(table)")
    let new = try grown.fixture.open("recovered.sqlite")
    #expect(try new.upkeep.check().allSatisfy { $0.severity == .fine })
    let anna = try new.writeDurablyIfNeeded { try $0.participant(identity: "anna") }.id
    let lobby = try #require(try new.read { try $0.room("lobby") }).id
    let messages = try new.read { try $0.messages(in: lobby, limit: 9_999, for: anna) }
    #expect(messages.count == table.got)
    #expect(messages.allSatisfy { $0.body == grown.bodies[$0.number - 1] })
    #expect(try new.writeDurably { try $0.send("next", in: lobby, by: anna) }.number == 2_001)
  }

  @Test("Whichever page is noise, the result is a whole store")
  func anyPage() throws {
    let pristine = try Grown()
    let count = try pristine.pages()
    let original = try #require(contents(pristine.fixture.path))
    var got: [Int] = []
    for page in stride(from: 2, through: count, by: max(1, count / 24)) {
      try original.write(to: URL(fileURLWithPath: pristine.fixture.path))
      try pristine.spoil(page: page, seed: UInt64(page))
      do {
        let report = try Recovery.run(from: pristine.fixture.path, to: pristine.newPath)
        got.append(report["message"]?.got ?? 0)
        let new = try pristine.fixture.open("recovered.sqlite")
        #expect(try new.upkeep.check().allSatisfy { $0.severity == .fine }, "page \(page)")
        new.close()
        for name in ["recovered.sqlite", "recovered.sqlite-wal", "recovered.sqlite-shm"] {
          unlink(pristine.fixture.folder + "/" + name)
        }
      } catch is StoreError {
        #expect(fileStatus(pristine.newPath) == nil, "page \(page)")
      }
    }
    // Only few pages lead to many others.
    #expect(got.filter { $0 > 1_800 }.count > got.count * 3 / 4, "\(got)")
  }

  @Test("A truncated file gives what is left of it", arguments: [0.9, 0.6, 0.4])
  func cutOff(part: Double) throws {
    let grown = try Grown()
    let last = Int(Double(try grown.pages()) * part)
    let leaves = try grown.rows(onPagesOf: "message")
    // In the middle of a page, as a disk that was full leaves it.
    truncate(grown.fixture.path, last * grown.pageSize + 1000)
    #expect(throws: StoreError.self) { try grown.fixture.open().upkeep.check() }
    let report = try Recovery.run(from: grown.fixture.path, to: grown.newPath)
    let table = try #require(report["message"])
    let whole = leaves.filter { $0.page <= last }.map(\.rows).reduce(0, +)
    let cut = leaves.first { $0.page == last + 1 }?.rows ?? 0
    #expect(
      whole >= 100 && (whole...whole + cut).contains(table.got), "\(table), \(whole) + \(cut)")
    #expect(report.lost > 0)
    let new = try grown.fixture.open("recovered.sqlite")
    #expect(try new.upkeep.check().allSatisfy { $0.severity == .fine })
    let someone = try #require(try new.read { try $0.participants() }.first)
    let lobby = try #require(try new.read { try $0.listing(for: someone.id) }.first).conversation.id
    let messages = try new.read { try $0.messages(in: lobby, limit: 9_999, for: someone.id) }
    #expect(messages.count == table.got)
    // The message that the end of the file goes through has lost the end of its text.
    let damaged = messages.count { $0.body != grown.bodies[$0.number - 1] }
    #expect(damaged <= 1)
  }

  @Test("Imported messages with long gaps are recovered around damaged pages")
  func imported() throws {
    let fixture = Fixture()
    let store = try fixture.open()
    let lines = (0..<3000).map { number in
      let time =
        "\(2000 + number / 120)-\(10 + number / 60 % 2)-\(10 + number % 20) 10:00:0\(number % 10)"
      return
        "\(time)\tben\tmessage \(number) with some more words, so that a page holds few of them"
    }
    try store.take([lines.joined(separator: "\n")], into: "tea")
    store.close()
    let database = try Database(path: fixture.path, patience: 0)
    let leaves = try database.rows(
      "SELECT pageno FROM dbstat WHERE name = 'message' AND pagetype = 'leaf' ORDER BY path"
    ) { $0.int() }
    database.close()
    let file = try #require(FileHandle(forWritingAtPath: fixture.path))
    let spoiled = stride(from: 5, to: leaves.count - 5, by: 7).map { leaves[$0] }
    try #require(spoiled.count > 4)
    for page in spoiled {
      try file.seek(toOffset: UInt64((page - 1) * 4096))
      try file.write(contentsOf: Data(repeating: 0xA5, count: 4096))
    }
    try file.close()
    let report = try Recovery.run(from: fixture.path, to: fixture.folder + "/new.sqlite")
    let table = try #require(report["message"])
    #expect(table.got + table.lost == 3000)
    #expect(table.lost <= spoiled.count * 60, "\(table), \(spoiled.count) pages")
  }

  @Test func messagesOutliveTheirRoomAndPeople() throws {
    let grown = try Grown()
    for table in ["conversation", "participant"] {
      for page in try grown.pages(of: table) { try grown.spoil(page: page, seed: 1) }
    }
    let report = try Recovery.run(from: grown.fixture.path, to: grown.newPath)
    #expect(report["message"]?.lost == 0)
    let new = try grown.fixture.open("recovered.sqlite")
    #expect(try new.upkeep.check().allSatisfy { $0.severity == .fine })
    let someone = try #require(try new.read { try $0.find(participant: "lost-1") })
    let listing = try new.read { try $0.listing(for: someone.id) }
    #expect(listing.map(\.conversation.lastNumber) == [2_000])
    #expect(listing.map(\.conversation.name) == ["@lost-2"])
  }

  @Test func neverOverAFileThatExists() throws {
    let grown = try Grown()
    try Data("mine".utf8).write(to: URL(fileURLWithPath: grown.newPath))
    for target in [grown.newPath, grown.fixture.path] {
      let before = contents(target)
      #expect(throws: StoreError.self) {
        try Recovery.run(from: grown.fixture.path, to: target)
      }
      #expect(contents(target) == before)
    }
    let store = try grown.fixture.open()
    #expect(throws: StoreError.self) { try store.upkeep.backup(to: grown.newPath) }
    #expect(contents(grown.newPath) == Data("mine".utf8))
  }

  @Test func hopelessFilesLeaveNothing() throws {
    let grown = try Grown()
    for page in 1...(try grown.pages()) { try grown.spoil(page: page, seed: UInt64(page)) }
    #expect(throws: StoreError.self) {
      try Recovery.run(from: grown.fixture.path, to: grown.newPath)
    }
    #expect(throws: StoreError.self) {
      try Recovery.run(from: grown.fixture.folder + "/nothing", to: grown.newPath)
    }
    #expect(fileStatus(grown.newPath) == nil)
  }
}

@Suite("Backup") struct BackupTests {
  @Test func whileOthersWrite() throws {
    let lobby = try Lobby()
    let fixture = lobby.fixture
    for number in 1...500 { try lobby.says("message \(number)") }
    let (path, room, ben) = (fixture.path, lobby.lobby, lobby.ben)
    let (started, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let writer = Thread {
      let store = try? Store(path: path)
      for number in 1...300 {
        _ = try? store?.writeDurably { try $0.send("\(number)", in: room, by: ben) }
        if number == 20 { started.signal() }
      }
      done.signal()
    }
    writer.start()
    started.wait()
    try lobby.store.upkeep.backup(to: fixture.folder + "/backup.sqlite")
    done.wait()
    let copy = try fixture.open("backup.sqlite")
    #expect(try copy.upkeep.check().allSatisfy { $0.severity == .fine })
    #expect(fixture.mode("backup.sqlite") == 0o600)
    let messages = try copy.read { try $0.messages(in: room, limit: 9_999, for: lobby.anna) }
    #expect(messages.count >= 520)
    #expect(messages.map(\.number) == Array(1...messages.count))
    #expect(
      try lobby.store.read { try $0.messages(in: room, limit: 9_999, for: lobby.anna) }.count == 800
    )
    try lobby.says("goes on")
  }

  @Test("a shared store's copy in a private folder is private, in a shared one shared")
  func ofASharedStore() throws {
    let fixture = Fixture()
    let team = try fixture.open("team/store.sqlite", options: .init(shared: true, patience: 0))
    let anna = try team.writeDurablyIfNeeded { try $0.participant(identity: "anna") }.id
    try team.writeDurably {
      try $0.send(
        "hello", in: $0.makeRoom("lobby").id, by: anna,
        requireMembership: false)
    }
    try team.upkeep.backup(to: fixture.folder + "/copy.sqlite")
    try team.upkeep.backup(to: fixture.folder + "/team/copy.sqlite")
    for (name, mode, isShared) in [
      ("copy.sqlite", 0o600 as mode_t, false), ("team/copy.sqlite", 0o660, true),
    ] {
      #expect(fixture.mode(name) == mode)
      let copy = try fixture.open(name)
      #expect(copy.isShared == isShared)
      #expect(try copy.upkeep.check().allSatisfy { $0.severity == .fine })
    }
    // And back.
    let copy = try fixture.open("copy.sqlite")
    try copy.upkeep.backup(to: fixture.folder + "/team/back.sqlite", shared: true)
    #expect(try fixture.open("team/back.sqlite").isShared)
    #expect(fixture.mode("team/back.sqlite") == 0o660)
  }

  @Test("a private store is recovered as private, whatever its mark says")
  func damagedMark() throws {
    let grown = try Grown()
    let database = try Database(path: grown.fixture.path, patience: 0)
    try database.execute("UPDATE meta SET shared = 77")
    database.close()
    let report = try Recovery.run(from: grown.fixture.path, to: grown.newPath)
    #expect(report["message"]?.got == 2_000)
    #expect(try !grown.fixture.open("recovered.sqlite").isShared)
    #expect(grown.fixture.mode("recovered.sqlite") == 0o600)
  }
}

@Suite("Unfinished files") struct NewFileTests {
  @Test("have no name or another one, are removed when no one writes them, and replace nothing")
  func names() throws {
    let fixture = Fixture()
    func names() throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: fixture.folder).sorted()
    }
    // As a killed process leaves them, and what is another's.
    for name in [".hobnob-1.new", ".hobnob-1.new-wal", ".hobnob-mine", "notes.new"] {
      try Data("x".utf8).write(to: URL(fileURLWithPath: fixture.folder + "/" + name))
    }
    let running = try NewFile("running", in: fixture.folder, hasPath: true)
    let new = try NewFile("export.jsonl", in: fixture.folder)
    var during: [String] = []
    try new.finished {
      try new.write(Array("text".utf8))
      during = try names()
    }
    let path = try #require(running.path)
    // A killed process leaves nothing of the one without a path.
    #expect(
      during == [".hobnob-mine", (path as NSString).lastPathComponent, "notes.new"].sorted())
    let after = try names()
    #expect(after.count == 4 && after.contains("export.jsonl"))
    #expect(after.filter { !$0.hasPrefix(".hobnob-") } == ["export.jsonl", "notes.new"])
    #expect(after.contains(".hobnob-mine"))
    try Data("taken".utf8).write(to: URL(fileURLWithPath: fixture.folder + "/running"))
    #expect(throws: SystemFailure.self) { try running.finished {} }
    #expect(try String(contentsOfFile: fixture.folder + "/running", encoding: .utf8) == "taken")
  }

  @Test("leftovers of a killed --recover, --backup or export are removed by the next one")
  func next() throws {
    let grown = try Grown()
    let folder = grown.fixture.folder
    func leave() throws {
      for ending in ["", "-wal", "-shm", ".bell"] {
        try Data().write(to: URL(fileURLWithPath: folder + "/.hobnob-left.new" + ending))
      }
    }
    func left() throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasPrefix(".") }
    }
    try leave()
    _ = try Recovery.run(from: grown.fixture.path, to: grown.newPath)
    #expect(try left() == [])
    let store = try grown.fixture.open()
    try leave()
    try store.upkeep.backup(to: folder + "/backup.sqlite")
    #expect(try left() == [])
    try leave()
    try Export(of: store).write(to: folder + "/export.jsonl")
    #expect(try left() == [])
  }
}

extension RecoveryReport {
  /// What was recovered of one table.
  subscript(table: String) -> Table? { tables.first { $0.name == table } }
}
