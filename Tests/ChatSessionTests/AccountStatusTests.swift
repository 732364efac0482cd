// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import StyledText
import Testing

@testable import ChatRendering
@testable import ChatSession

@Suite("The state of an account's connection in words")
struct AccountStatusWordsTests {
  @Test(
    "each status and each activity has its words",
    arguments: [
      (.notRunning, "not running"), (.connecting, "connecting"), (.connected([]), "connected"),
      (.connected([.catchingUp(received: 1_204, percent: nil)]), "catching up 1,204"),
      (
        .connected([.catchingUp(received: 9, percent: 0), .uploading("a.png", percent: 45)]),
        "catching up 9 0 %, uploading a.png 45 %"
      ),
      (.connected([.entering(rooms: 1)]), "entering a room"),
      (.connected([.entering(rooms: 2)]), "entering 2 rooms"),
      (.connected([.exploring]), "listing the server's rooms"),
      (.connected([.fetching("a.png", percent: nil)]), "fetching a.png"),
      (.connected([.fetchingSeveral(files: 3)]), "fetching 3 files"),
      (.storeIsFull, "cannot write to the store; hobnob receives nothing until it can"),
      (.offline(reason: "The server went away", nextTry: nil), "offline: The server went away"),
      (.offline(reason: "The server went away.", nextTry: nil), "offline: The server went away"),
      (
        .ended(reason: "needs its password; /connect asks for it"),
        "needs its password; /connect asks for it"
      ),
    ] as [(AccountStatus, String)])
  func words(status: AccountStatus, words: String) {
    #expect(status.words(now: 0).string == words)
  }

  @Test("what waits for an answer is told with the time since when")
  func unanswered() {
    func words(_ entries: Int) -> String {
      AccountStatus.connected([.unanswered(entries: entries, since: 60_000)]).words(now: 0).string
    }
    #expect(words(1).hasPrefix("the program has not answered a message since "))
    #expect(words(2).hasPrefix("the program has not answered 2 messages since "))
    #expect(words(2).hasSuffix(":01"))
  }

  @Test("the next try is a time of day, with seconds where it is near")
  func nextTry() {
    func words(_ pause: Milliseconds) -> String {
      AccountStatus.offline(reason: "gone", nextTry: pause).words(.withTime, now: 0).string
    }
    let soon = words(11_500)
    #expect(soon.hasPrefix("offline until ") && soon.hasSuffix(":00:11"))
    let later = words(60_000)
    #expect(later.hasSuffix(":01") && later.utf8.count == soon.utf8.count - 3)
  }

  @Test("what would be cut off is left out, and a bar shows a percentage")
  func details() {
    let offline = AccountStatus.offline(reason: "gone", nextTry: 60_000)
    let time = offline.words(.withTime, now: 0)
    #expect(offline.words(.whole, now: 0).string == time.string + ": gone")
    #expect(offline.words(.word, now: 0).string == "offline")
    let file = AccountStatus.connected([.uploading("a%1.png", percent: 45)])
    #expect(
      file.words(bars: .unicode, now: 0).string == "uploading a%1.png ████░░░░░░ 45 %")
  }
}
