// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import StyledText
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

  /// Hears messages that arrive at once, each with a text or with the reason why it has none.
  private func hear(
    _ messages: [(body: String, encryption: Message.Encryption)], at times: [Milliseconds] = [],
    to person: Person? = nil
  ) throws {
    let ben = NetworkUser(identity: "ben@y.org", name: "ben")
    try anna.store.inbox.apply(
      messages.enumerated().map { index, heard in
        var message = NetworkMessage(
          name: MessageIDs(archive: times.isEmpty ? nil : "\(index)"), speaker: ben,
          body: heard.body, kind: heard.body.isEmpty ? .unreadable : .text,
          time: times.isEmpty ? nil : times[index])
        message.encryption = heard.encryption
        return .messageReceived(message, in: .direct("ben@y.org"))
      }, of: account)
    (person ?? anna).look()
  }

  /// From the number on, the lines for messages that this device cannot read, and the texts.
  private func shown(_ lines: [String]) -> [String] {
    lines.compactMap { line in
      line.firstMatch(of: /(\d+ +|\[\d+\] )([·-] ben wrote .*|ben: hello)$/).map {
        String($0.output.0)
      }
    }
  }

  private static let early = "that this device cannot read: sent before it was added"
  private static let broken = "that this device cannot read: the keys do not fit"
  private static let forOthers = "that this device cannot read: not encrypted for it"

  @Test("with a known reason, a run of them is one dim line that counts them and has the reason")
  func reasons() throws {
    anna.say("/msg ben@y.org")
    _ = anna.news()
    try hear([
      ("", .tooEarly), ("", .tooEarly), ("", .tooEarly), ("", .notForUs), ("hello", .encrypted),
      ("", .broken),
    ])
    let lines = [
      "1      · ben wrote 3 messages " + Self.early,
      "4      · ben wrote a message " + Self.forOthers, "5 ben: hello",
      "6      · ben wrote a message " + Self.broken,
    ]
    let dim = anna.lines.filter { $0.runs.last?.style == .dim }
    #expect(dim.count { $0.plain.string.contains("· ben wrote") } == 3)
    #expect(shown(anna.news()) == lines)
    // A printed line stays as it is.
    try hear([("", .broken), ("", .broken)])
    #expect(shown(anna.news()) == ["7      · ben wrote 2 messages " + Self.broken])
    anna.say("/history")
    let all = shown(anna.news())
    #expect(all == lines.dropLast() + ["6      · ben wrote 3 messages " + Self.broken])
    anna.say("/info 6")
    let body = "(unreadable on this device: the keys do not fit)"
    #expect(anna.news().contains { $0.hasSuffix(body) })
    anna.say("/reply 6 pardon?")
    #expect(anna.news().contains { $0.contains("[6] ben: (unreadable on this device: ") })
  }

  @Test("others, a reaction, a new day and the rule above new messages divide a run")
  func divisions() throws {
    anna.say("/msg ben@y.org")
    let day: Milliseconds = 86_400_000
    try hear(
      [("", .tooEarly), ("", .tooEarly), ("", .tooEarly)], at: [100 * day, 100 * day, 103 * day])
    let numbers = { [anna] in
      self.shown(anna.news()).compactMap { $0.firstMatch(of: /^(\d+).*wrote (\w+)/) }
        .map { "\($0.1): \($0.2)" }
    }
    #expect(numbers() == ["1: 2", "3: a"])
    anna.say("/react 1 👍")
    _ = anna.news()
    anna.say("/history")
    #expect(numbers() == ["1: a", "2: a", "3: a"])
    anna.say("/switch #lobby")
    try hear([("", .notForUs), ("", .notForUs)])
    anna.say("/switch @ben")
    try hear([("hello", .encrypted), ("", .notForUs)])
    _ = anna.news()
    anna.say("/switch #lobby")
    try hear([("", .notForUs), ("", .notForUs)])
    anna.say("/switch @ben")
    #expect(numbers().suffix(2) == ["7: a", "8: 2"])
  }

  @Test("missed ones are counted below their heading")
  func missed() throws {
    anna.say("/msg ben@y.org")
    try hear([("hello", .encrypted)])
    try anna.store.inbox.apply([.missing(in: .direct("ben@y.org"))], of: account)
    try hear([("hello", .encrypted)])
    _ = anna.news()
    try hear([("", .tooEarly), ("", .tooEarly)], at: [1_000, 1_000])
    let news = anna.news()
    #expect(news.contains { $0.contains("missed") })
    #expect(shown(news) == ["3      · ben wrote 2 messages " + Self.early])
  }

  @Test("on entering, a run takes one line of the screen, however long it is")
  func longRun() throws {
    try hear(Array(repeating: ("", .tooEarly), count: 60))
    anna.say("/msg ben@y.org")
    let shown = shown(anna.news())
    #expect(shown == ["18      · ben wrote 43 messages " + Self.early])
  }

  @Test("in plain mode, the line has the number before it")
  func plainReasons() throws {
    let cem = try town.person("anna", outputMode: .plain)
    cem.say("/msg ben@y.org")
    _ = cem.news()
    try hear([("", .tooEarly), ("", .tooEarly), ("hello", .verified)], to: cem)
    #expect(
      shown(cem.news()) == ["[1] - ben wrote 2 messages " + Self.early, "[3] ben: hello"])
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
