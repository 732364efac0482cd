// SPDX-License-Identifier: GPL-3.0-or-later
import StoreFixture
import Testing

@testable import Conversations
@testable import NetworkInbox

@Suite("Notices to the owner of an account") struct NoticeTests {
  private let linked: Linked
  private let start: Int64

  init() throws {
    linked = try Linked()
    start = try linked.store.read { try $0.position }
  }

  private func stored() throws -> [String] {
    try linked.store.read {
      try $0.accountNotices(after: 0, upTo: .max, for: linked.anna).map(\.text.text)
    }
  }

  @Test("each is read once, by the owner alone, and is no answer to a request")
  func isReadOnce() throws {
    let ben = try linked.store.writeDurablyIfNeeded { try $0.participant(identity: "ben") }.id
    try linked.hear(.notice("The server restarts."), .notice("Now."))
    let changes = try linked.store.read { try $0.changes(since: start, for: linked.anna) }
    #expect(changes.notices.map(\.text) == ["The server restarts.", "Now."])
    #expect(changes.notices.map(\.kind) == [.plain, .plain])
    #expect(changes.answers.isEmpty && !changes.isEmpty)
    let (after, others) = try linked.store.read {
      (
        try $0.changes(since: changes.position, for: linked.anna),
        try $0.changes(since: start, for: ben)
      )
    }
    #expect(after.isEmpty && others.notices.isEmpty)
  }

  @Test("one that ends a process comes with the release of its lease")
  func comesWithTheRelease() throws {
    let lease = try #require(try linked.lease())
    try lease.release(status: .ended(reason: "refused"), notice: "anna: refused")
    let changes = try linked.store.read { try $0.changes(since: start, for: linked.anna) }
    #expect(changes.notices.map(\.text) == ["anna: refused"] && changes.networkChanged)
  }

  @Test("the newest 200 of an owner stay")
  func keepsTheNewest() throws {
    let other = try linked.store.writeDurablyIfNeeded { try $0.participant(identity: "ben") }.id
    let account = try linked.store.writeDurably {
      try $0.addAccount(owner: other, network: "xmpp:ben@example.org")
    }
    try linked.wire.write { try $0.tell("mine", account) }
    try linked.wire.write { for number in 1...200 { try $0.tell("\(number)", linked.account) } }
    #expect(try stored().first == "1")
    try linked.wire.write { try $0.tell("201", linked.account) }
    #expect(try stored() == (2...201).map { "\($0)" })
    #expect(
      try linked.store.read { try $0.accountNotices(after: 0, upTo: .max, for: other) }.count == 1)
  }

  @Test("one older than a day is removed when the next is written")
  func removesTheOld() throws {
    let day: Milliseconds = 24 * 3_600_000
    try linked.wire.write { try $0.tell("older", linked.account) }
    linked.fixture.now += 120_000
    try linked.wire.write { try $0.tell("younger", linked.account) }
    linked.fixture.now += day - 60_000
    #expect(try stored() == ["older", "younger"])
    try linked.wire.write { try $0.tell("new", linked.account) }
    #expect(try stored() == ["younger", "new"])
  }

  @Test("one older than a day is removed when a shell starts")
  func removesTheOldAtTheStart() throws {
    try linked.wire.write { try $0.tell("older", linked.account) }
    linked.fixture.now += 24 * 3_600_000 - 1
    try linked.wire.write { try $0.tell("younger", linked.account) }
    linked.fixture.now += 2
    _ = try linked.store.shells.attach(linked.anna)
    #expect(try stored() == ["younger"])
  }

  @Test("a kind that only a later version knows is a plain one")
  func readsLaterKinds() throws {
    try linked.wire.write { try $0.tell("you are invited", linked.account, as: .ringing) }
    try linked.wire.database.run("UPDATE account_notice SET kind = 'song'")
    let notices = try linked.store.read {
      try $0.accountNotices(after: 0, upTo: .max, for: linked.anna)
    }
    #expect(notices.map(\.kind) == [.plain])
  }
}
