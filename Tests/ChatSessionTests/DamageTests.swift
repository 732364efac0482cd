// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Foundation
import StoreFixture
import Testing

@testable import ChatSession

@MainActor
@Suite("A damaged store, and a shell")
struct DamageTests {
  @Test("what an unreadable part of the store hides is said once, with the remedy")
  func isSaidOnce() throws {
    let town = try Town()
    let ben = try town.person("ben")
    ben.say("/join tea")
    try damage("name_colour", in: ben.store)
    let anna = try town.person("anna")
    for line in ["/join tea", "/switch #lobby", "/list"] { anna.say(line) }
    anna.wait(10_000)
    #expect(
      anna.printed.filter { $0.contains("is damaged") } == [
        "The store \(town.path) is damaged (database disk image is malformed); keep a copy of it and run `hobnob check --store \(town.path)`."
      ])
    #expect(anna.printed.contains { $0.contains("#tea") })
  }

  @Test("what a command met is not said again")
  func isNotSaidTwice() throws {
    let town = try Town()
    let ben = try town.person("ben")
    for line in ["/join tea", "hello"] { ben.say(line) }
    let anna = try town.person("anna")
    try damage("message_text_data", in: ben.store)
    anna.say("/search hello")
    anna.wait(10_000)
    #expect(anna.printed.count { $0.contains("is damaged") } == 1)
  }

  /// Writes over the first page of a table.
  private func damage(_ table: String, in store: Store) throws {
    try store.db("PRAGMA wal_checkpoint(TRUNCATE)")
    let page = try store.read {
      try $0.database.first("SELECT rootpage FROM sqlite_schema WHERE name = '\(table)'") {
        UInt64($0.int())
      }
    }
    let file = try #require(FileHandle(forWritingAtPath: store.path))
    try file.seek(toOffset: (try #require(page) - 1) * 4096)
    try file.write(contentsOf: Data(repeating: 0xA5, count: 4096))
    try file.close()
  }
}
