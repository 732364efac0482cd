// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc
import StoreFixture
import Testing

@testable import Conversations
@testable import NetworkInbox

@Suite("An account on a network") struct AccountStoreTests {
  @Test func isTheOwners() throws {
    let fixture = Fixture()
    let store = try fixture.open()
    let anna = try store.writeDurablyIfNeeded { try $0.participant(identity: "anna") }.id
    let made = try store.writeDurably {
      try $0.addAccount(owner: anna, network: "xmpp:anna@example.org")
    }
    #expect((made.kind, made.address) == ("xmpp", "anna@example.org"))
    #expect(try store.read { try $0.accounts(of: anna) } == [made])
    #expect(try fixture.open().read { try $0.account(network: "xmpp:anna@example.org") } == made)
    #expect(throws: RuleError.accountExists("anna@example.org")) {
      try store.writeDurably { try $0.addAccount(owner: anna, network: "xmpp:anna@example.org") }
    }
    for bad in ["xmpp", "xmpp:", ":anna@example.org", ""] {
      #expect(throws: RuleError.badName(bad)) {
        try store.writeDurably { try $0.addAccount(owner: anna, network: bad) }
      }
    }
  }

  @Test func belongsToOneOfAStore() throws {
    let linked = try Linked()
    let ben = try linked.store.writeDurablyIfNeeded { try $0.participant(identity: "ben") }.id
    #expect(throws: RuleError.accountTaken("anna@example.org")) {
      try linked.store.writeDurably {
        try $0.addAccount(owner: ben, network: linked.account.network)
      }
    }
    try linked.store.writeDurably { try $0.removeAccount(linked.account) }
    // What was said on it is still anna's.
    #expect(throws: RuleError.accountTaken("anna@example.org")) {
      try linked.store.writeDurably {
        try $0.addAccount(owner: ben, network: linked.account.network)
      }
    }
    #expect(try linked.store.read { try $0.accounts(of: ben) }.isEmpty)
  }

  @Test func leavesWhatWasSaidToItsOwnerAndFailsWhatWaits() throws {
    let linked = try Linked()
    try linked.join()
    try linked.say("hello")
    let waiting = try linked.send("too late").message
    let request = try linked.store.writeDurably {
      try $0.ask(.join, target: "x", of: linked.account)
    }
    try linked.store.writeDurably { try $0.removeAccount(linked.account) }
    #expect(try linked.store.read { try $0.accounts(of: linked.anna) }.isEmpty)
    #expect(try linked.bodies() == ["hello", "too late"])
    let failed = try #require(
      try linked.store.read { try $0.message(waiting.id, for: linked.anna) })
    #expect(failed.state == .failed)
    #expect(failed.failure == "the account anna@example.org was removed")
    #expect(try linked.outbox().isEmpty)
    #expect(try linked.store.read { try $0.requests(of: linked.account) } == [])
    let gone = RuleError.noSuchAccount("xmpp:anna@example.org")
    #expect(throws: gone) { try linked.send("more") }
    #expect(throws: gone) {
      try linked.store.writeDurably { try $0.retry(waiting.id, by: linked.anna) }
    }
    #expect(throws: gone) { try linked.say("more") }
    #expect(throws: gone) {
      try linked.store.writeDurably { try $0.ask(.leave, target: "x", of: linked.account) }
    }
    #expect(throws: gone) { try linked.store.writeDurably { try $0.removeAccount(linked.account) } }
    #expect(throws: gone) { try AccountLease.acquire(linked.account, in: linked.wire) }
    let ben = try linked.store.writeDurablyIfNeeded { try $0.participant(identity: "ben") }.id
    #expect(try linked.store.read { try $0.rooms(for: ben) }.isEmpty)

    let again = try linked.store.writeDurably {
      try $0.addAccount(owner: linked.anna, network: linked.account.network)
    }
    #expect(again.id == linked.account.id)
    #expect(
      try linked.store.writeDurably { try $0.retry(waiting.id, by: linked.anna) }.state == .sending)
    #expect(request.verb == .join)
  }

  @Test("only its owner's shells hear of its state")
  func status() throws {
    let linked = try Linked()
    let ben = try linked.store.writeDurablyIfNeeded { try $0.participant(identity: "ben") }.id
    let position = try linked.store.read { try $0.position }
    let status = AccountStatus.connected([.catchingUp(received: 1_204, percent: nil)])
    try linked.wire.writeIfNeeded { try $0.setStatus(of: linked.account, status) }
    #expect(
      try linked.store.read { try $0.changes(since: position, for: linked.anna) }.networkChanged)
    #expect(try !linked.store.read { try $0.changes(since: position, for: ben) }.networkChanged)
    #expect(try linked.store.read { try $0.accounts(of: linked.anna) }[0].status == status)
    let after = try linked.store.read { try $0.position }
    try linked.wire.writeIfNeeded { try $0.setStatus(of: linked.account, status) }
    #expect(try linked.store.read { try $0.position } == after)
  }

  @Test("a request is answered once, to its owner")
  func requests() throws {
    let linked = try Linked()
    let ben = try linked.store.writeDurablyIfNeeded { try $0.participant(identity: "ben") }.id
    let first = try linked.store.writeDurably {
      try $0.ask(.join, target: "tea@x", text: "anna", of: linked.account)
    }
    let second = try linked.store.writeDurably {
      try $0.ask(.history, target: "tea@x", of: linked.account)
    }
    #expect(try linked.wire.read { try $0.requests(of: linked.account) } == [first, second])
    let position = try linked.store.read { try $0.position }
    try linked.hear(.answered(first, "tea@x lets members in only"))
    #expect(try linked.wire.read { try $0.requests(of: linked.account) } == [second])
    let changes = try linked.store.read { try $0.changes(since: position, for: linked.anna) }
    #expect(changes.answers.map(\.text) == ["tea@x lets members in only"])
    #expect(changes.answers.map(\.request) == [first])
    #expect(!changes.isEmpty)
    #expect(try linked.store.read { try $0.changes(since: position, for: ben) }.answers.isEmpty)
    let after = try linked.store.read { try $0.position }
    try linked.hear(.answered(first, "again"))
    #expect(
      try linked.store.read { try $0.changes(since: after, for: linked.anna) }.answers.isEmpty)
  }
}

@Suite("One process at a time serves an account") struct LeaseTests {
  @Test func theSecondWaitsUntilTheFirstEnds() throws {
    let linked = try Linked()
    let other = try linked.fixture.open()
    func isServed() throws -> Bool {
      try linked.store.read { try $0.hasProcess(of: linked.account) }
    }
    #expect(try !isServed())
    let first = try #require(try linked.lease())
    #expect(try AccountLease.acquire(linked.account, in: other) == nil)
    #expect(try linked.lease() == nil)
    #expect(try isServed() && first.isHeld)
    try first.release()
    #expect(try !isServed() && !first.isHeld)
    try first.release()
    var second = try AccountLease.acquire(linked.account, in: other)
    #expect(try second?.isHeld == true)
    second = nil
    #expect(try !isServed())
    #expect(try linked.lease() != nil)
  }

  @Test("only the holder of the lease stores why its process ended, with the release")
  func saysWhyItEnds() throws {
    let linked = try Linked()
    let first = try #require(try linked.lease())
    try linked.store.write {
      try $0.removeHolder("another", of: linked.account, status: .ended(reason: "not mine"))
    }
    func statuses() throws -> [AccountStatus] {
      try linked.store.read { try $0.accounts(of: linked.anna) }.map(\.status)
    }
    #expect(try statuses() == [.connecting])
    #expect(try linked.store.read { try $0.hasProcess(of: linked.account) })
    let status = AccountStatus.ended(reason: "needs its password (/connect)")
    try first.release(status: status)
    #expect(try statuses() == [status])
    #expect(try linked.store.read { try $0.holderID(of: linked.account) } == nil)
  }

  @Test("a killed process leaves no outdated state behind")
  func killed() throws {
    let linked = try Linked()
    let other = try linked.fixture.open()
    let lease = try #require(try linked.lease())
    try lease.setStatus(.connected([]))
    try linked.hear(.contact(linked.ben, isOnline: true, away: "lunch"))
    try linked.say("hi", by: linked.ben, in: linked.direct)
    try linked.hear(.typing(linked.ben, in: linked.direct, true))
    let place = try linked.conversation(linked.direct)
    func ben() throws -> Presence? {
      try linked.store.read { try $0.people(in: place) }.first {
        $0.participant.identity == "ben@example.org"
      }
    }
    #expect(try ben()?.isHere == true && ben()?.typingSince != nil && ben()?.away == "lunch")
    // As the kernel does it; a child that another test starts may hold a copy until it runs.
    flock(lease.lock, LOCK_UN)
    #expect(try !linked.store.read { try $0.hasProcess(of: linked.account) })
    #expect(try linked.store.shells.reapStale())
    #expect(try linked.store.read { try $0.accounts(of: linked.anna) }[0].status == .notRunning)
    #expect(try ben()?.isHere == false && ben()?.typingSince == nil && ben()?.away == nil)
    #expect(try !linked.store.shells.reapStale())
    #expect(try AccountLease.acquire(linked.account, in: other) != nil)
  }

  @Test func isNoShellOfTheOwner() throws {
    let linked = try Linked()
    let lobby = try linked.store.writeDurablyIfNeeded { try $0.makeRoom("lobby") }.id
    try linked.store.writeDurablyIfNeeded { try $0.join(linked.anna, lobby) }
    let ben = try linked.store.writeDurablyIfNeeded { try $0.participant(identity: "ben") }.id
    let lease = try #require(try linked.lease())
    #expect(try linked.store.read { try $0.people(in: lobby) }.map(\.isHere) == [false])
    #expect(try linked.store.read { try $0.othersHere(in: lobby, than: ben) } == 0)
    #expect(try !linked.store.shells.reapStale())
    #expect(try lease.isHeld)
  }

  @Test("a lost lock file is made again, or the lease goes to another process")
  func lostLock() throws {
    let linked = try Linked()
    let other = try linked.fixture.open()
    let lease = try #require(try linked.lease())
    let path = linked.wire.files.shells + "/" + lease.holder.rawValue
    unlink(path)
    try lease.reapStaleShells()
    #expect(try AccountLease.acquire(linked.account, in: other) == nil)
    unlink(path)
    let second = try #require(try AccountLease.acquire(linked.account, in: other))
    #expect(try !lease.isHeld)
    try lease.reapStaleShells()
    #expect(try !lease.isHeld)
    #expect(try second.isHeld)
  }
}

extension AccountLease {
  /// Whether this process still serves the account.
  fileprivate var isHeld: Bool {
    get throws { try waiting(since: 0) != nil }
  }
}
