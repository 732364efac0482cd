// SPDX-License-Identifier: GPL-3.0-or-later
import ChatCommands
import Conversations
import Foundation
import Glibc
import Platform
import StyledText
import Testing

@testable import ChatParts
@testable import ChatSession

/// Another process that repairs the index of the log, so that nobody can read the store.
private final class Repair {
  private let index: Int32
  private var header = [UInt8](repeating: 0, count: 96)
  /// F_OFD_SETLK, which the C library's module does not show.
  private static let setLock: Int32 = 37

  init(_ path: String) throws {
    index = open(path + "-shm", O_RDWR | O_CLOEXEC)
    try #require(index >= 0 && pread(index, &header, header.count, 0) == header.count)
    // The locks of those who write and of those who repair (https://www.sqlite.org/walformat.html).
    try #require(setLocks(F_WRLCK))
    let invalid = header.map { ~$0 }
    pwrite(index, invalid, invalid.count, 0)
  }

  /// - Returns: whether all of them are set.
  private func setLocks(_ type: Int32) -> Bool {
    [120, 122].allSatisfy { (place: off_t) in
      // The lock belongs to this descriptor, not to this process, which has the store open.
      var lock = flock()
      (lock.l_type, lock.l_whence) = (Int16(type), Int16(SEEK_SET))
      (lock.l_start, lock.l_len) = (place, 1)
      return fcntl(index, Self.setLock, &lock) == 0
    }
  }

  func end() {
    pwrite(index, header, header.count, 0)
    // A child that another test has just forked may still have the descriptor.
    _ = setLocks(F_UNLCK)
    close(index)
  }
}

@MainActor @Suite("1.2: While the store cannot be read")
struct UnreadableStoreTests {
  let town: Town
  let anna: Person

  init() throws {
    town = try Town()
    anna = try town.person("anna")
  }

  @Test("what is due waits, without a word or a busy loop, and is done afterwards")
  func dueThings() throws {
    anna.type("a draft")
    _ = anna.news()
    let repair = try Repair(town.path)
    var ticks = 0
    let end = anna.now + 5_000
    while let deadline = anna.session.deadline, deadline <= end, ticks < 1_000 {
      anna.now = max(anna.now, deadline)
      _ = anna.press(.tick)
      ticks += 1
    }
    #expect(ticks < 200)
    #expect(anna.news() == [])
    repair.end()
    anna.wait(1_000)
    let lobby = try #require(anna.session.open.id)
    let draft = try anna.store.read { try $0.draft(of: anna.session.me.id, in: lobby) }
    #expect(draft?.text == "a draft")
  }

  @Test("its bell is not forgotten: the message is printed afterwards, once")
  func bell() throws {
    let ben = try town.person("ben")
    anna.look()
    ben.say("hello")
    _ = anna.news()
    let repair = try Repair(town.path)
    anna.look()
    anna.wait(500)
    #expect(anna.news() == [])
    repair.end()
    anna.wait(100)
    #expect(anna.news().filter { $0.hasSuffix("ben: hello") }.count == 1)
    anna.wait(1_000)
    #expect(anna.news() == [])
  }

  @Test("keys are answered, and why they cannot do more is said once")
  func keys() throws {
    let repair = try Repair(town.path)
    _ = anna.news()
    for text in ["h", "he", "hel"] { anna.type(text) }
    #expect(anna.news().filter { $0.contains("locked") }.count == 1)
    repair.end()
    anna.wait(100)
    #expect(anna.say("hello"))
  }

  @Test("effects that need the store wait in order, and are done by the next try")
  func postponed() throws {
    let committer = Committer(anna.store, isInteractive: true)
    let context = Committer.Context(
      me: anna.session.me.id, knownDrafts: [:], accounts: anna.session.accounts,
      widths: Widths())
    committer.plan(.first([], then: [.reloadHistory]))
    func next() -> [Effect]? { committer.next(context, at: 0) }
    let effects = try #require(next())
    committer.noteUnreadable(at: 0)
    committer.postpone(effects)
    #expect(next() == nil)
    #expect(committer.deadline != nil)
    var isDone = false
    _ = committer.retry(at: 10) { isDone = next()?.count == 1 }
    #expect(isDone && committer.deadline == nil)
  }
}
