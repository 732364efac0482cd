// SPDX-License-Identifier: GPL-3.0-or-later
import Testing

@testable import Conversations

@Suite("The state of an account's connection, as the store keeps it")
struct AccountStatusTests {
  private static let each: [(AccountStatus, stored: String)] = [
    (.connecting, #"{"state":"connecting"}"#),
    (.connected([]), #"{"activities":[],"state":"connected"}"#),
    (
      .connected([.catchingUp(received: 9, percent: 0), .uploading("my cup.png", percent: 45)]),
      #"{"activities":[{"activity":"catching-up","percent":0,"received":9},"#
        + #"{"activity":"uploading","file":"my cup.png","percent":45}],"state":"connected"}"#
    ),
    (
      .connected([.entering(rooms: 2), .exploring]),
      #"{"activities":[{"activity":"entering","rooms":2},{"activity":"exploring"}],"#
        + #""state":"connected"}"#
    ),
    (
      .connected([.fetching(" a\nb", percent: nil), .fetchingSeveral(files: 3)]),
      #"{"activities":[{"activity":"fetching","file":" a\u000ab"},"#
        + #"{"activity":"fetching-several","files":3}],"state":"connected"}"#
    ),
    (
      .connected([.throttled(lines: 4)]),
      #"{"activities":[{"activity":"throttled","lines":4}],"state":"connected"}"#
    ),
    (
      .connected([.unanswered(entries: 2, since: 12)]),
      #"{"activities":[{"activity":"unanswered","entries":2,"since":12}],"state":"connected"}"#
    ),
    (.storeIsFull, #"{"state":"store-full"}"#),
    (.offline(reason: "", nextTry: nil), #"{"reason":"","state":"offline"}"#),
    (
      .offline(reason: "\"gone\"", nextTry: 12),
      #"{"next":12,"reason":"\"gone\"","state":"offline"}"#
    ),
    (.ended(reason: "needs its password"), #"{"reason":"needs its password","state":"ended"}"#),
  ]

  private let database = try! Database(path: ":memory:", patience: 0)

  private func read(_ stored: String?) throws -> AccountStatus {
    AccountStatus(try stored.flatMap { try JSON($0, database) } ?? .null)
  }

  @Test("each status has a form of its own, which stays as it is", arguments: each)
  func roundTrips(status: AccountStatus, stored: String) throws {
    #expect(status.json.line == stored)
    #expect(try read(stored) == status)
  }

  @Test("what hobnob does not know is a status that decides nothing")
  func readsAnything() throws {
    for text in [
      nil, "", "offline", "[]", "7", #"{"state":7}"#, #"{"state":"ready"}"#, #"["state"]"#,
    ] {
      #expect(try read(text) == .notRunning, "\(text ?? "NULL")")
    }
    for activity in [
      #"{"activity":"juggling"}"#, #"{"activity":"entering"}"#, "3", "null",
      #"{"activity":"entering","rooms":"x"}"#, #"{"activity":"catching-up","percent":3}"#,
      #"{"activity":"unanswered","entries":3}"#,
      #"{"activity":"unanswered","entries":3,"since":9223372036854775807}"#,
    ] {
      #expect(
        try read(#"{"state":"connected","activities":[\#(activity)]}"#) == .connected([]),
        "\(activity)")
    }
    #expect(
      try read(
        #"{"state":"connected","activities":[{"activity":"uploading","file":"a","percent":700}]}"#)
        == .connected([.uploading("a", percent: nil)]))
    #expect(
      try read(#"{"state":"offline","next":"soon"}"#) == .offline(reason: "", nextTry: nil))
  }

  @Test("an impossible time of the next try becomes the nearest possible one")
  func limitsTimes() throws {
    for (stored, time) in [
      (Int64.min, Message.times.lowerBound), (.max, Message.times.upperBound),
    ] {
      #expect(
        try read(#"{"state":"offline","next":\#(stored)}"#) == .offline(reason: "", nextTry: time))
    }
  }

  @Test("files on their way do not count as catching up")
  func settles() {
    let settled = Self.each.map(\.0).filter(\.isSettled)
    #expect(
      settled == [
        .connected([]), .connected([.fetching(" a\nb", percent: nil), .fetchingSeveral(files: 3)]),
        .connected([.throttled(lines: 4)]), .connected([.unanswered(entries: 2, since: 12)]),
      ])
    #expect(Self.each.map(\.0).filter(\.hasEnded) == [.ended(reason: "needs its password")])
  }

  @Test("an activity is added only to a connection")
  func adds() {
    let file = AccountStatus.Activity.fetching("a", percent: 5)
    #expect(AccountStatus.connected([.exploring]).adding(file) == .connected([.exploring, file]))
    #expect(AccountStatus.connected([]).adding(nil) == .connected([]))
    #expect(AccountStatus.connecting.adding(file) == .connecting)
  }
}
