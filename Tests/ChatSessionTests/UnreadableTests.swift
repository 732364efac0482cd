// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import Testing

@testable import ChatParts
@testable import ChatRendering
@testable import ChatSession
@testable import NetworkInbox

@MainActor
@Suite("14.10: A message that hobnob cannot read")
struct UnreadableTests {
  private let town: Town
  private let anna: Person
  private let account: Account
  private let sentence = "(encrypted end to end; hobnob cannot read it)"

  init() throws {
    town = try Town()
    anna = try town.person("anna")
    account = try anna.added()
    try anna.store.inbox.apply(
      [.contact(NetworkUser(identity: "ben@y.org", name: "ben"), isOnline: nil, away: nil)],
      of: account)
    anna.look()
  }

  private func hear(_ body: String?, to person: Person? = nil) throws {
    let ben = NetworkUser(identity: "ben@y.org", name: "ben")
    try anna.store.inbox.apply(
      [
        .messageReceived(
          NetworkMessage(speaker: ben, body: body ?? "", kind: body == nil ? .unreadable : .text),
          in: .direct("ben@y.org"))
      ], of: account)
    (person ?? anna).look()
  }

  @Test("a run of them rings once, and counts as unread")
  func rings() throws {
    for _ in 1...3 { try hear(nil) }
    #expect(anna.bells == 1 && anna.notified.map { $0[2] } == [sentence])
    #expect(anna.session.navigator.otherConversations.unread.map(\.count) == [3])
    try hear("hello")
    try hear(nil)
    #expect(anna.bells == 3 && anna.notified.count == 3)
  }

  @Test("a run of them is one sentence, live and in the history; others and a new day end it")
  func sentences() throws {
    anna.say("/msg ben@y.org")
    _ = anna.news()
    for body in [nil, nil, "hello", nil, nil] { try hear(body) }
    let shown = ["1 ben: " + sentence, "3      hello", "4      " + sentence]
    func texts(_ lines: [String]) -> [String] {
      lines.compactMap { line in shown.first { line.hasSuffix($0) } ?? nil }
    }
    #expect(texts(anna.news()) == shown)
    anna.say("/history")
    #expect(anna.news().count { $0.contains(sentence) } == 2)
    // It can be named, and what is shown is what hobnob says.
    anna.say("/info 2")
    #expect(anna.news().contains { $0.contains(sentence) })
    anna.say("/reply 1 pardon?")
    #expect(anna.news().contains { $0.contains("[1] ben: " + sentence) })
  }

  @Test("in plain mode too")
  func plain() throws {
    let cem = try town.person("anna", outputMode: .plain)
    cem.say("/msg ben@y.org")
    _ = cem.news()
    for _ in 1...2 { try hear(nil, to: cem) }
    #expect(cem.news().map { $0.hasSuffix("[1] ben: " + sentence) } == [true])
  }
}
