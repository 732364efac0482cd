// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Testing

@testable import ChatSession
@testable import NetworkInbox

@MainActor
@Suite("10: Searching, unread messages, and the outbox")
struct FindingTests {
  private let town: Town
  private let anna: Person
  private let ben: Person

  init() throws {
    town = try Town()
    (anna, ben) = (try town.person("anna"), try town.person("ben"))
  }

  /// What a command answers.
  private func answer(_ line: String) -> [String] {
    _ = anna.news()
    anna.say(line)
    return anna.news()
  }

  @Test(
    "10: /search says what it cannot search for",
    arguments: [
      ("since:never", "is not a date"), ("colour:red", "“colour:” is not a filter"),
      ("in:#nowhere x", "There is no room #nowhere"), ("from:nobody x", "There is no one named"),
      ("...", "There is no word to look for"), ("", "Usage: /search"),
    ])
  func refusals(query: String, reason: String) {
    #expect(!anna.say("/search \(query)"))
    #expect(anna.printed.joined(separator: " ").contains(reason))
  }

  @Test("10: of many hits the newest twenty are shown, and /search alone shows the next")
  func pagesOfHits() {
    for number in 1...45 { anna.say("tea \(number).") }
    func shown(_ line: String) -> [Int] {
      answer(line).flatMap { $0.matches(of: /tea (\d+)\./).compactMap { Int($0.1) } }
    }
    #expect(shown("/search tea") == Array(26...45))
    #expect(shown("/search") == Array(6...25))
    #expect(shown("/search") == Array(1...5))
    for _ in 1...2 { #expect(answer("/search") == ["There are no older matches."]) }
    #expect(answer("/search coffee").last == "No messages match.")
  }

  @Test("7.3: searching marks nothing as seen")
  func searchSeesNothing() {
    anna.say("/join tea")
    ben.say("look here")
    anna.look()
    #expect(answer("/search look").contains { $0.hasSuffix("[1] ben: look here") })
    ben.look()
    #expect(ben.picture[1].hasSuffix("[1] ✓✓ delivered"))
    #expect(answer("/unread").contains { $0.contains("#lobby  1 unread") })
  }

  @Test("10: /unread lists, /next goes to mentions of me first, then to the oldest")
  func unreadAndNext() {
    for room in ["one", "two", "three"] { anna.say("/join \(room)") }
    #expect(answer("/next") == ["Nothing is unread elsewhere."])
    #expect(answer("/unread") == ["Nothing is unread."])
    for (room, texts) in [
      ("one", ["hi @anna"]), ("two", ["hello", "again"]), ("lobby", ["news"]),
    ] {
      ben.say("/join \(room)")
      for text in texts { ben.say(text) }
    }
    anna.look()
    #expect(anna.picture[1].hasSuffix("#one 1!, #two 2, #lobby 1"))
    let listed = answer("/unread").joined(separator: "\n")
    for part in ["#lobby  1 unread", "#one    1 unread  1 mention", "#two    2 unread"] {
      #expect(listed.contains(part), "\(listed)")
    }
    for room in ["one", "two", "lobby"] {
      #expect(answer("/next").contains { $0.contains("new ──") }, "#\(room)")
      #expect(anna.picture[0] == "#\(room)> |")
    }
    #expect(answer("/next") == ["Nothing is unread elsewhere."])
  }
}

/// A conversation of this machine never shows `sending` or `failed`; here the test is the network.
@MainActor
@Suite("7.2: A network that answers late or never")
struct LateNetworkTests {
  private let town: Town
  private let anna: Person
  private let account: Account

  init() throws {
    town = try Town()
    anna = try town.person("anna")
    account = try anna.added()
    for room in ["far", "away"] { anna.say("/join \(room)@rooms.x.org") }
    anna.say("/switch #far@rooms.x.org")
    _ = anna.news()
  }

  private var status: String {
    anna.look()
    return anna.status(columns: 120)
  }

  /// The network's answer to all that waits.
  private func finish(as state: OutboxEntry.Outcome) throws {
    for entry in try anna.store.read({ try $0.outbox(of: account.network) }) {
      try anna.store.writeDurably { try $0.finish(entry, as: state) }
    }
    anna.look()
  }

  private func answer(_ line: String) -> String {
    _ = anna.news()
    anna.say(line)
    return anna.news().joined(separator: "\n")
  }

  @Test("7.2: sending, sent, failed with its reason, and /retry")
  func states() throws {
    anna.say("one")
    #expect(status.contains("[1] … sending"))
    try finish(as: .sent)
    #expect(status.contains("[1] ✓ sent"))
    anna.say("two")
    try finish(as: .failed("the room is closed\u{1B}[31m"))
    #expect(anna.printed.contains { $0.hasSuffix("✗ [2] not sent: the room is closed^[[31m") })
    anna.say("three")
    // What is not sent stands next to the prompt, failed before sending (7.1).
    let listed = answer("/history")
    let order = ["one", "two", "three"].compactMap { listed.firstRange(of: $0)?.lowerBound }
    #expect(order.count == 3 && order == order.sorted(), "\(listed)")
    anna.say("/retry 2")
    let waiting = try anna.store.read { try $0.outbox(of: account.network) }.map(\.message.body)
    #expect(waiting.sorted() == ["three", "two"])
    try finish(as: .sent)
    #expect(status.contains("✓ sent"))
  }

  @Test("7.2: /retry of a message that is not there says so, also counted from the newest")
  func retryingNothing() {
    anna.say("one")
    #expect(answer("/retry -9").contains("no message here to send again"))
    #expect(answer("/retry 9").contains("no message 9"))
    #expect(answer("/edit -9").contains("no message here to edit"))
    #expect(answer("/delete -9").contains("no message here to delete"))
  }

  @Test("7.2: a failure without a reason is shown without a colon")
  func failsWithoutReason() throws {
    anna.say("one")
    try finish(as: .failed(""))
    #expect(anna.printed.contains { $0.hasSuffix("✗ [1] not sent") })
    #expect(answer("/outbox").contains("one  ✗ not sent"))
    #expect(!anna.printed.contains { $0.contains("not sent:") })
  }

  @Test("3.7: a message that the network does not have yet can be taken back")
  func takingBack() throws {
    anna.say("too early")
    anna.say("/cancel")
    #expect(anna.text == "too early")
    #expect(try anna.store.read { try $0.outbox(of: account.network) }.isEmpty)
  }

  @Test("7.2, 7.4: /outbox lists what waits and what failed, everywhere; /retry all retries it")
  func outbox() throws {
    #expect(answer("/outbox").contains("No messages wait to be sent."))
    anna.say("one")
    try finish(as: .failed("closed\u{1B}[31m"))
    #expect(status.contains("[1] ✗ failed"))
    anna.say("two")
    #expect(status.contains("1 failed"))
    anna.say("/switch #away@rooms.x.org")
    anna.say("three")
    #expect(status.contains("1 failed · 2 waiting"))
    let listed = answer("/outbox")
    for row in ["[1] one  ✗ not sent: closed^[[31m", "[2] two  … sending", "[1] three  … sending"] {
      #expect(listed.contains(row), "\(listed)")
    }
    #expect(answer("/retry").contains("None of your messages here failed"))
    #expect(answer("/retry all").contains("Sending 1 again."))
    #expect(status.contains("3 waiting"))
    try finish(as: .sent)
    #expect(!status.contains("waiting"))
    #expect(answer("/outbox").contains("No messages wait to be sent."))
  }
}
