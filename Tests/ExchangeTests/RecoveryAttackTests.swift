// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import Repeatable
import StoreFixture
import Testing

@testable import Conversations
@testable import Exchange

/// A closed store with something in every table that is recovered, and copies of its file.
private final class Victim {
  static let count = 400
  let fixture = Fixture()
  let bytes: [UInt8]
  /// Of the trees, by name.
  let roots: [String: Int]
  /// The texts on each leaf of `message`.
  let leaves: [Int: Set<String>]
  let inner: [Int]
  let bodies: Set<String>
  var newPath: String { fixture.folder + "/recovered.sqlite" }

  init() throws {
    let store = try fixture.open()
    let anna = try store.writeDurablyIfNeeded { try $0.participant(identity: "anna") }.id
    let ben = try store.writeDurablyIfNeeded { try $0.participant(identity: "ben") }.id
    let lobby = try store.writeDurablyIfNeeded { try $0.makeRoom("lobby") }.id
    for person in [anna, ben] { try store.writeDurablyIfNeeded { try $0.join(person, lobby) } }
    var bodies: Set<String> = []
    for number in 1...Self.count {
      // Some go on over other pages.
      let rest = String(repeating: "long ", count: number % 50 == 0 ? 3000 : 12)
      let body = "message \(number) " + rest
      bodies.insert(body)
      _ = try store.writeDurably {
        try $0.send(body, in: lobby, by: number % 3 == 0 ? ben : anna, typed: "typed")
      }
      if number % 9 == 0, let last = try store.read({ try $0.newest(by: ben, in: lobby) }) {
        try store.writeDurably { try $0.react(last.id, by: anna, with: "🎉") }
      }
    }
    // What was deleted must not come back.
    for _ in 1...20 {
      let message = try store.writeDurably { try $0.send("deleted, all of it", in: lobby, by: ben) }
      _ = try store.writeDurably { try $0.takeBack(message.id, by: ben) }
    }
    try store.writeDurablyIfNeeded {
      try $0.setDraft(Draft(text: "half a", caret: 6), of: anna, in: lobby)
    }
    store.close()
    let database = try Database(path: fixture.path, patience: 0)
    defer { database.close() }
    try database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    roots = Dictionary(
      uniqueKeysWithValues: try database.rows(
        "SELECT name, rootpage FROM sqlite_schema WHERE rootpage > 0"
      ) { ($0.text("name"), $0.int("rootpage")) })
    let pages = try database.rows(
      "SELECT pageno, pagetype FROM dbstat WHERE name = 'message' AND pagetype <> 'overflow'"
    ) { (number: $0.int("pageno"), isLeaf: $0.text("pagetype") == "leaf") }
    inner = pages.filter { !$0.isLeaf }.map(\.number)
    let all = [UInt8](try #require(FileManager.default.contents(atPath: fixture.path)))
    bytes = all
    self.bodies = bodies
    leaves = Dictionary(
      uniqueKeysWithValues: pages.filter(\.isLeaf).map { page in
        let bytes = all[(page.number - 1) * 4096..<page.number * 4096]
        let text = String(decoding: bytes, as: UTF8.self)
        let numbers = text.matches(of: /message (\d+) long/).compactMap { Int($0.1) }
        return (page.number, Set(numbers.filter { $0 % 50 != 0 }.map { "message \($0) " }))
      })
  }

  /// Recovers a damaged copy.
  ///
  /// - Returns: the beginnings of the texts that came, nil where nothing could be read.
  func recovered(_ damaged: [UInt8]) throws -> (report: RecoveryReport, texts: Set<String>)? {
    try Data(damaged).write(to: URL(fileURLWithPath: fixture.path))
    for name in [newPath, newPath + "-wal", newPath + "-shm"] { unlink(name) }
    let report: RecoveryReport
    do {
      report = try Recovery.run(from: fixture.path, to: newPath)
    } catch is StoreError {
      return nil
    }
    let database = try Database(path: newPath, patience: 0)
    defer { database.close() }
    #expect(try database.rows("PRAGMA integrity_check") { $0.text() } == ["ok"])
    #expect(try !database.exists("PRAGMA foreign_key_check"))
    let found = try database.rows("SELECT body FROM message") { $0.text() }
    #expect(!found.contains { $0.contains("deleted, all") })
    let texts = found.compactMap { $0.firstMatch(of: /message \d+\b/).map { $0.0 + " " } }
    return (report, Set(texts.map(String.init)))
  }
}

@Suite("Damage of every kind") struct RecoveryAttackTests {
  private func numbered(_ range: ClosedRange<Int>) -> Set<String> {
    Set(range.map { "message \($0) " })
  }

  @Test("a zeroed byte, or a whole zeroed page, above the leaves costs nothing")
  func aboveTheLeaves() throws {
    let victim = try Victim()
    let all = numbered(1...Victim.count)
    // Those of one page only hold rows themselves.
    let isAbove = [.innerIndex, .innerTable] as [TreePage.PageType]
    for (name, root) in victim.roots where root > 1 {
      let page = Array(victim.bytes[(root - 1) * 4096..<root * 4096])
      guard let kind = TreePage(page, number: root, size: 4096)?.kind, isAbove.contains(kind) else {
        continue
      }
      for length in [1, 12, 4096] {
        var damaged = victim.bytes
        for place in 0..<length { damaged[(root - 1) * 4096 + place] = 0 }
        let (report, texts) = try #require(try victim.recovered(damaged), "\(name)")
        #expect(texts == all, "\(name): \(all.subtracting(texts).count) lost")
        #expect(!report.isMeagre && report["message"]?.lost == 0, "\(name)")
      }
    }
    #expect(!victim.inner.isEmpty)
  }

  @Test("a damaged first page, which lists the others, costs nothing", arguments: [0, 0xA5, 13])
  func firstPage(byte: UInt8) throws {
    let victim = try Victim()
    for range in [0..<4096, 0..<100, 100..<4096, 16..<18, 60..<64, 68..<72, 100..<101] {
      var damaged = victim.bytes
      for place in range { damaged[place] = byte }
      let texts = try #require(try victim.recovered(damaged), "\(range)").texts
      #expect(texts == numbered(1...Victim.count), "\(range)")
    }
  }

  @Test("without the page map and inner pages, rows still say whose they are")
  func byShape() throws {
    let victim = try Victim()
    var damaged = victim.bytes
    for page in [2] + victim.inner {
      for place in 0..<4096 { damaged[(page - 1) * 4096 + place] = 0 }
    }
    #expect(try victim.recovered(damaged)?.texts == numbered(1...Victim.count))
  }

  @Test("the write-ahead log beside the file counts, up to its first damage")
  func log() throws {
    let fixture = Fixture()
    let store = try fixture.open()
    let anna = try store.writeDurablyIfNeeded { try $0.participant(identity: "anna") }.id
    let lobby = try store.writeDurablyIfNeeded { try $0.makeRoom("lobby") }.id
    try store.writeDurablyIfNeeded { try $0.join(anna, lobby) }
    for number in 1...50 {
      try store.writeDurably { try $0.send("\(number)", in: lobby, by: anna) }
    }
    // Copied while it is open, so that everything stands in the log only.
    let copy = fixture.folder + "/copy.sqlite"
    for ending in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: fixture.path + ending, toPath: copy + ending)
    }
    let whole = try Recovery.run(from: copy, to: fixture.folder + "/1.sqlite")
    #expect(whole["message"]?.got == 50 && whole.lost == 0)
    var log = [UInt8](try #require(FileManager.default.contents(atPath: copy + "-wal")))
    log[log.count - 3000] ^= 1
    try Data(log).write(to: URL(fileURLWithPath: copy + "-wal"))
    let damaged = try Recovery.run(from: copy, to: fixture.folder + "/2.sqlite")
    #expect(damaged["message"]?.got == 49)
  }

  @Test("a recovery that brings less than a tenth says so")
  func meagre() throws {
    let victim = try Victim()
    var random = FixedRandom(seed: 1)
    var damaged = victim.bytes
    for place in 4096..<damaged.count * 97 / 100 {
      damaged[place] = UInt8.random(in: 0...255, using: &random)
    }
    if let report = try victim.recovered(damaged)?.report { #expect(report.isMeagre) }
    // All the leaves, but not the indexes, which tell how many there were.
    damaged = victim.bytes
    for page in victim.leaves.keys {
      for place in 0..<4096 { damaged[(page - 1) * 4096 + place] = 0xA5 }
    }
    let report = try #require(try victim.recovered(damaged)).report
    #expect(report.isMeagre && report["message"]?.got == 0)
    #expect(report["message"]?.lost ?? 0 >= Victim.count)
    // What is cut off is no longer there to be read.
    let cut = try victim.recovered(Array(victim.bytes.prefix(victim.bytes.count / 20)))
    #expect(cut?.report.isMeagre ?? true)
  }

  @Test("bytes flipped, zeroed and cut anywhere: no crash, and whole leaves are recovered")
  func anywhere() throws {
    let victim = try Victim()
    // The first makes one message's number that of another.
    for seed in [777_152] + (0..<LongRun.rounds(12)).map({ LongRun.seed &+ UInt64($0) }) {
      var random = FixedRandom(seed: seed)
      var damaged = victim.bytes
      var touched: Set<Int> = []
      for _ in 0..<(1 + random.below(8)) {
        let place = random.below(damaged.count)
        let length = [1, 1, 1, 16, 4096][random.below(5)]
        for place in place..<min(damaged.count, place + length) {
          damaged[place] = length == 16 ? 0 : UInt8(random.below(256))
          touched.insert(place / 4096 + 1)
        }
      }
      if random.below(6) == 0 { damaged.removeLast(random.below(damaged.count)) }
      let present = damaged.count / 4096
      let found = try victim.recovered(damaged)?.texts ?? []
      // With the map and the pages above gone, only the rows are left to tell.
      for (page, texts) in victim.leaves where page <= present && !touched.contains(page) {
        let lost = texts.subtracting(found)
        #expect(
          lost.isEmpty,
          """
          HOBNOB_SEED=\(seed): page \(page) is whole, touched \(touched.sorted())
          """)
      }
    }
  }
}
