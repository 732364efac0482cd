// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Foundation
import Repeatable
import StoreFixture
import Testing

@testable import ChatParts
@testable import ChatSession
@testable import NetworkInbox

/// What anyone who may write a shared store may put into it, and the shell of somebody else.
@MainActor
@Suite("Hostile rows, and a shell", .serialized)
struct HostileRowsSessionAttackTests {
  private static let commands = [
    "/list", "/who", "/history", "/info 1", "/info 2", "/status", "/unread", "/drafts",
    "/search hello", "/outbox", "/set", "/can", "/switch @ben", "/topic", "/quote 1", "/open 1",
    "/reply 1 yes", "/react 1 👍", "/edit 1", "/cancel", "/switch #lobby", "/leave", "/join lobby",
    "/invite cleo", "/nick annie", "/join tea", "/list", "/attach", "/detach all",
  ]

  @Test("no command ends the shell, whatever rows the store has, even twice")
  func everyCommand() throws {
    let base = try Self.base()
    var random = FixedRandom(seed: LongRun.seed)
    for round in 0..<LongRun.rounds(12) {
      let town = try Town()
      try FileManager.default.createDirectory(
        atPath: (town.path as NSString).deletingLastPathComponent,
        withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      try FileManager.default.copyItem(atPath: base.path, toPath: town.path)
      let hostile = HostileStore(path: town.path)
      let what = (0...round % 3).map { _ in hostile.addRows(&random) }.joined(separator: "; ")
      // A trap ends the tests: the last line then says what repeats it.
      if LongRun.factor != nil { print("round \(round): \(what)") }
      do {
        let anna = try town.person("anna")
        anna.type("half a line")
        anna.wait(2000)
        for command in Self.commands { anna.say(command) }
        anna.say("said")
        let ben = try town.person("ben")
        ben.say("hello @anna")
        for person in [anna, ben] {
          person.look()
          person.wait(10_000)
        }
      } catch let error as StoreError {
        #expect(!error.description.isEmpty, "\(what)")
      } catch is RuleError {
      }
    }
  }

  /// A store that knows something of everything that a shell shows.
  private static func base() throws -> Town {
    let town = try Town()
    let (anna, ben) = (try town.person("anna"), try town.person("ben"))
    let account = try anna.added()
    for line in ["hello", "/topic tea", "/me waves", "/reply 1 well", "/away out", "/join tea"] {
      anna.say(line)
    }
    for line in ["hi @anna", "/react 1 🎉", "/msg anna", "psst", "/join tea", "leaves", "/leave"] {
      ben.say(line)
    }
    try anna.store.inbox.apply(
      [
        .messageReceived(
          NetworkMessage(
            name: MessageIDs(origin: "1"), speaker: NetworkUser(identity: "zoe@x.org"), body: "far"),
          in: .direct("zoe@x.org"))
      ], of: account)
    anna.say("/switch #lobby")
    anna.type("a draft")
    anna.wait(2000)
    for person in [anna, ben] { person.store.close() }
    return town
  }

  @Test("a person with two open memberships is listed and counted once, and can leave")
  func twoOpenStays() throws {
    let town = try Town()
    let (anna, ben) = (try town.person("anna"), try town.person("ben"))
    anna.say("hello")
    let hostile = HostileStore(path: town.path)
    #expect(
      hostile.run([
        "INSERT INTO membership SELECT conversation, participant, 0, NULL, 0, '' FROM membership"
      ]))
    _ = anna.news()
    #expect(anna.say("/list"))
    #expect(anna.news().count { $0.contains("#lobby") } == 1)
    #expect(anna.say("/who"))
    #expect(anna.news().count { $0.contains("ben") } == 1)
    ben.look()
    anna.look()
    let message = try #require(anna.session.open.newestOwn)
    let store = try town.store()
    #expect(try store.read { try $0.deliveryCounts(of: message) }.recipients == 1)
    #expect(try store.read { try $0.recipients(of: message.id) }.count == 1)
    anna.say("/leave")
    #expect(try anna.store.read { try $0.joined(by: anna.session.me.id) }.isEmpty)
  }
}
