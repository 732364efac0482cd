// SPDX-License-Identifier: GPL-3.0-or-later
import Testing

@testable import Conversations

@Suite("The state of an account's connection, as the store keeps it")
struct AccountStatusTests {
  private static let each: [(AccountStatus, stored: String)] = [
    (.notRunning, ""), (.connecting, "connecting"), (.connected([]), "connected"),
    (.connected([.catchingUp(received: 1_204, percent: nil)]), "connected\ncatching-up 1204 -"),
    (
      .connected([.catchingUp(received: 9, percent: 0), .uploading("my cup.png", percent: 45)]),
      "connected\ncatching-up 9 0\nuploading 45 my cup.png"
    ),
    (.connected([.entering(rooms: 2)]), "connected\nentering 2"),
    (.connected([.exploring]), "connected\nexploring"),
    (.connected([.fetching(" a", percent: nil)]), "connected\nfetching -  a"),
    (.connected([.fetching("a", percent: 100)]), "connected\nfetching 100 a"),
    (.connected([.fetchingSeveral(files: 3)]), "connected\nfetching-several 3"),
    (.storeIsFull, "store-full"),
    (.offline(reason: "The host is gone", nextTry: nil), "offline\nreason The host is gone"),
    (.offline(reason: "gone", nextTry: 12), "offline\nreason gone\nnext 12"),
    (.offline(reason: "", nextTry: 12), "offline\nreason \nnext 12"),
    (.ended(reason: "needs its password"), "ended\nreason needs its password"),
  ]

  @Test("each status has a form of its own, which stays as it is", arguments: each)
  func roundTrips(status: AccountStatus, stored: String) {
    #expect(status.storedForm == stored)
    #expect(AccountStatus(storedForm: stored) == status)
  }

  @Test("a text that hobnob does not know is a status that decides nothing")
  func readsAnyText() {
    for text in [
      "offline until 12:04: gone", "ready", "ended-well", " connected", "\n", "?\n1",
    ] {
      #expect(AccountStatus(storedForm: text) == .notRunning, "\(text)")
    }
    for line in ["juggling 3", "entering", "entering x", "catching-up", ""] {
      #expect(AccountStatus(storedForm: "connected\n" + line) == .connected([]), "\(line)")
    }
    #expect(
      AccountStatus(storedForm: "connected\nuploading 700 a\nfetching")
        == .connected([.uploading("a", percent: nil), .fetching("", percent: nil)]))
    #expect(AccountStatus(storedForm: "offline\nnext soon") == .offline(reason: "", nextTry: nil))
  }

  @Test("an impossible time of the next try becomes the nearest possible one")
  func limitsTimes() {
    for (stored, time) in [
      (Int64.min, Message.times.lowerBound), (.max, Message.times.upperBound),
    ] {
      #expect(
        AccountStatus(storedForm: "offline\nnext \(stored)")
          == .offline(reason: "", nextTry: time))
    }
  }

  @Test("a text from elsewhere stays on its line")
  func keepsToTheLine() {
    let status = AccountStatus.offline(reason: "gone\nnext 7\r\n\u{2028}", nextTry: nil)
    #expect(
      AccountStatus(storedForm: status.storedForm) == .offline(reason: "gone next 7", nextTry: nil))
    let file = AccountStatus.connected([.fetching("a\nentering 3", percent: 1)])
    #expect(
      AccountStatus(storedForm: file.storedForm)
        == .connected([.fetching("a entering 3", percent: 1)]))
  }

  @Test("files on their way do not count as catching up")
  func settles() {
    let settled = Self.each.map(\.0).filter(\.isSettled)
    #expect(
      settled == [
        .connected([]), .connected([.fetching(" a", percent: nil)]),
        .connected([.fetching("a", percent: 100)]), .connected([.fetchingSeveral(files: 3)]),
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
