// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import Foundation
import StoreFixture
import StyledText
import Testing

@testable import ChatParts
@testable import ChatPreferences
@testable import ChatRendering
@testable import ChatSession
@testable import NetworkInbox

/// A conversation in which much is impossible, as those at the prompt meet it.
@MainActor
@Suite("What a conversation can do, at the prompt")
struct AbilitiesTests {
  private let town: Town
  private let anna: Person
  private let account: Account

  init() throws {
    town = try Town()
    anna = try town.person("anna")
    account = try anna.addedOnIRC()
    try anna.provide(NetworkAbilities(rooms: .ofIRC), for: account)
    anna.say("/join ##tea")
    try anna.store.inbox.apply([.joined(room: "##tea", nick: "anna")], of: account)
    anna.look()
  }

  /// The network has the message that waits.
  private func accept() throws {
    let entry = try #require(try anna.store.read { try $0.outbox(of: account.network) }.first)
    try anna.store.inbox.apply([.accepted(entry, archive: "a")], of: account)
    anna.look()
  }

  private func provide(_ change: (inout Abilities) -> Void) throws {
    var abilities = Abilities.ofIRC
    change(&abilities)
    try anna.provide(NetworkAbilities(rooms: abilities), for: account)
  }

  @Test("/retry all sends what the network still takes, and says why the rest stays")
  func retriesTheRest() throws {
    for text in [String(repeating: "x", count: 300), "short"] { anna.say(text) }
    try anna.store.inbox.apply(
      try anna.store.read { try $0.outbox(of: account.network) }.map {
        .refused($0, reason: "closed")
      },
      of: account)
    anna.look()
    try provide { $0.longestMessage = 200 }
    #expect(anna.say("/retry all"))
    let waiting = try anna.store.read { try $0.outbox(of: account.network) }
    #expect(waiting.map(\.message.body) == ["short"])
    #expect(anna.printed.contains { $0.contains("Sending 1 again.") })
    #expect(anna.printed.contains { $0.contains("has 300 bytes") })
    try anna.store.inbox.apply(waiting.map { .refused($0, reason: "closed") }, of: account)
    anna.look()
    try provide { $0.longestMessage = 2 }
    #expect(!anna.say("/retry all"))
  }

  @Test("3.1: /edit says that nothing sent can change, before the old text is in the line")
  func edits() throws {
    anna.say("one")
    #expect(anna.say("/edit"))
    #expect(anna.text == "one")
    anna.say("/cancel")
    try accept()
    #expect(!anna.say("/edit"))
    #expect(
      anna.printed.last
        == "The network of ##tea does not allow edits; /delete 1 removes the message.")
    #expect(!anna.session.mode.isEditing)
    try provide { $0.editsWithin = 3600 }
    #expect(anna.say("/edit"))
    #expect(anna.session.mode.isEditing)
  }

  @Test("14.2: what may be on the wire is not taken back; /cancel takes the one behind it")
  func onTheWire() throws {
    for text in ["one", "two"] { anna.say(text) }
    let first = try #require(try anna.store.read { try $0.outbox(of: account.network) }.first)
    try anna.store.writeIfNeeded { try $0.noteTried([first]) }
    #expect(anna.say("/cancel") && anna.text == "two")
    #expect(!anna.say("/cancel"))
    #expect(
      anna.printed.last
        == "Others may have message 1 already; /delete 1 retracts it.")
    #expect(!anna.say("/edit"))
    #expect(
      anna.printed.last
        == "The network of ##tea does not allow edits; /delete 1 removes the message.")
    #expect(anna.say("/delete"))
    #expect(anna.printed.contains { $0.contains("anna deleted [1]") })
    #expect(!anna.printed.contains { $0.contains("took [1] back") })
    try anna.store.inbox.apply([.accepted(first, archive: "a")], of: account)
    let waiting = try anna.store.read { try $0.outbox(of: account.network) }
    #expect(waiting.map(\.operation) == [.delete])
  }

  @Test("14.2: a message that failed in doubt is not taken back, but one that was refused is")
  func inDoubt() throws {
    for text in ["one", "two"] { anna.say(text) }
    let waiting = try anna.store.read { try $0.outbox(of: account.network) }
    try anna.store.inbox.apply(
      [
        .refused(waiting[0], reason: "no voice"),
        .refused(waiting[1], reason: "it broke", mayHaveArrived: true),
      ], of: account)
    #expect(anna.say("/cancel") && anna.text == "one")
    #expect(!anna.say("/cancel"))
    #expect(anna.printed.last == "Others may have message 2 already; /delete 2 retracts it.")
    #expect(anna.say("/retry"))
    #expect(try anna.store.read { try $0.outbox(of: account.network) }.map(\.message.number) == [2])
    #expect(anna.say("/delete"))
    #expect(anna.printed.contains { $0.contains("anna deleted [2]") })
  }

  // MARK: What was missed

  /// A message of the room, from the archive if it has a time.
  private func received(_ body: String, at time: Milliseconds? = nil) throws {
    try anna.store.inbox.apply(
      [
        .messageReceived(
          NetworkMessage(
            name: MessageIDs(archive: body), speaker: NetworkUser(identity: "ben", name: "ben"),
            body: body, time: time), in: .room("##tea"))
      ], of: account)
  }

  private func hear(_ events: NetworkEvent...) throws {
    try anna.store.inbox.apply(events, of: account)
  }

  @Test(
    "14.7: what was missed prints under a heading with its span of time, behind what came later")
  func missed() throws {
    try received("before")
    anna.look()
    try hear(.missing(in: .room("##tea")))
    try received("later")
    anna.look()
    _ = anna.news()
    // 14:02 and 14:09 of some day.
    let noon = Date.now.timeIntervalSince1970 - 86_400
    let first = Milliseconds(noon) / 60 * 60_000
    try received("one", at: first)
    try received("two", at: first + 7 * 60_000)
    anna.look()
    let clocks = [first, first + 7 * 60_000].map { LocalTime.clock($0).string }
    let rows = anna.news()
    #expect(rows.first == "── missed \(clocks[0]) to \(clocks[1]) ──", "\(rows)")
    #expect(
      rows.filter { $0.contains("one") || $0.contains("two") }.count == 2
        && !rows.contains { $0.contains("later") })
    try received("now")
    anna.look()
    // It belongs below what was said later, so it shows its name.
    #expect(anna.news().contains { $0.contains("ben: now") })
    anna.say("/history")
    let history = anna.news()
    let places = ["before", "one", "two", "later", "now"].map { text in
      history.firstIndex { $0.hasSuffix(text) } ?? -1
    }
    #expect(!places.contains(-1) && places == places.sorted(), "\(history)")
    #expect(!history.contains { $0.contains("missed") })
  }

  @Test("14.7: also above own lines that moved to make room for it")
  func missedAboveOwn() throws {
    try received("a")
    try hear(.missing(in: .room("##tea")))
    anna.say("one")
    let first = try #require(try anna.store.read { try $0.outbox(of: account.network) }.first)
    try hear(.complete(in: .room("##tea")), .accepted(first, archive: "o"))
    for text in ["two", "three"] { anna.say(text) }
    _ = anna.news()
    try hear(.missing(in: .room("##tea")))
    let time = Milliseconds(Date.now.timeIntervalSince1970) / 60 * 60_000 - 3_600_000
    for (index, text) in ["b", "c", "d"].enumerated() {
      try received(text, at: time + Milliseconds(index) * 60_000)
    }
    anna.look()
    let clocks = [time, time + 120_000].map { LocalTime.clock($0).string }
    #expect(anna.news().first == "── missed \(clocks[0]) to \(clocks[1]) ──")
  }

  @Test("14.7: if nothing was printed since the break, what was missed needs no heading")
  func missedInOrder() throws {
    try received("before")
    try hear(.missing(in: .room("##tea")))
    try received("one", at: Milliseconds(Date.now.timeIntervalSince1970) * 1000)
    anna.look()
    #expect(!anna.news().contains { $0.contains("missed") })
  }

  @Test("14.7: if the history does not answer, the place is marked")
  func marked() throws {
    try received("first")
    try received("before")
    try hear(.missing(in: .room("##tea")))
    try received("later")
    anna.look()
    anna.say("/history")
    #expect(!anna.news().contains { $0.contains("missing") })
    try hear(.unanswered(in: .room("##tea")))
    anna.look()
    let told = "The network has not sent what you missed in ##tea; /history marks the place."
    #expect(anna.news().contains { $0.contains(told) })
    let mark = "── messages may be missing here ──"
    anna.say("/history")
    let rows = anna.news()
    let places = ["before", "here ──", "later"].map { text in
      rows.firstIndex { $0.hasSuffix(text) } ?? -1
    }
    #expect(rows.contains(mark) && places == places.sorted() && !places.contains(-1), "\(rows)")
    // Above, at the end of and below a range that does not reach it.
    for (range, isMarked) in [("1-1", false), ("1-2", true), ("3-3", false), ("2", true)] {
      anna.say("/history \(range)")
      #expect(anna.news().contains(mark) == isMarked, "\(range)")
    }
    anna.say("/switch #lobby")
    _ = anna.news()
    anna.say("/switch ##tea")
    #expect(anna.news().contains(mark))
    try hear(.complete(in: .room("##tea")))
    anna.say("/history")
    #expect(!anna.news().contains(mark))
  }

  @Test("13.9: unread messages that were missed are not passed over, if many came after them")
  func missedElsewhere() throws {
    try received("before")
    try hear(.missing(in: .room("##tea")))
    for number in 1...60 { try received("later \(number)") }
    anna.look()
    anna.say("/switch #lobby")
    for number in 1...30 {
      try received("missed \(number)", at: Milliseconds(Date.now.timeIntervalSince1970) * 1000)
    }
    anna.look()
    _ = anna.news()
    anna.say("/switch ##tea")
    let rows = anna.news()
    #expect(rows.contains("30 more: /history"), "\(rows)")
    #expect(rows.last?.hasSuffix("later 60") == true)
    anna.say("/history")
    #expect(anna.news().count { $0.contains("missed ") } == 30)
  }

  @Test("1.7: a text that is too long stays in the line, with its bytes and the room there is")
  func bytes() throws {
    let long = String(repeating: "é", count: 200)
    #expect(!anna.say(long + "x"))
    #expect(
      anna.printed.last
        == "The message has 401 bytes, but a message in ##tea may have only 400; shorten it, or send it in parts."
    )
    #expect(!anna.say("/me " + long + "x"))
    #expect(anna.say(long))
    #expect(try anna.store.read { try $0.outbox(of: account.network) }.count == 1)
    anna.say("/switch #lobby")
    #expect(anna.say(long + "x"))
  }

  @Test("10: completion leaves out what does not work, and /can names it")
  func offers() throws {
    func offered() -> Set<String> {
      Set(anna.session.candidates(after: .command).map(\.text))
    }
    let all: Set = ["edit", "delete", "react", "reply", "attach", "block"]
    #expect(offered().intersection(all) == ["delete", "react", "reply"])
    #expect(!anna.session.candidates(after: .reaction).isEmpty)
    try provide {
      ($0.deletes, $0.reactionLimit, $0.replies, $0.typing) = (false, .no, false, false)
    }
    // There, a reply names the person.
    #expect(offered().intersection(all) == ["reply"])
    #expect(anna.session.candidates(after: .reaction).isEmpty)
    #expect(anna.session.candidates(after: .emoji).isEmpty == false)
    _ = anna.news()
    anna.say("/can")
    #expect(
      anna.news().prefix(10) == [
        "##tea is on the network stub:anna@irc.x.org.",
        "  edit      no: nobody can change a message that was sent",
        "  recall    /cancel, until the network has it; after that, you cannot take it back",
        "  react     no",
        "  reply     /reply N begins your message with the name of the person whom you answer",
        "  typing    no: nobody sees it",
        "  seen      no: a message stays “sent”",
        "  files     you cannot send files; /save N fetches other people's files",
        "  history   what this store has, and what the network keeps, if anything",
        "  length    a message has room for 400 bytes",
      ])
    // On a narrow terminal, the heading does not continue in the column of the meanings.
    _ = anna.rows()
    anna.tell(.resized(rows: 24, columns: 40))
    anna.say("/can")
    #expect(anna.rows().prefix(2) == ["##tea is on the network", "  stub:anna@irc.x.org."])
    anna.tell(.resized(rows: 24, columns: 80))
    try provide {
      ($0.editsWithin, $0.reactionLimit, $0.delivered, $0.largestFile) = (
        900, .one, true, 2_000_000
      )
    }
    anna.say("/can")
    let words = anna.news()
    for line in [
      "  edit      for 15 minutes after sending, as an edit",
      "  react     one reaction to a message; another takes its place",
      "  seen      no: at best you learn that a message was delivered",
      "  files     up to 2.0 MB, uploaded and sent as links; /save N fetches other people's files",
    ] {
      #expect(words.contains(line), "\(words)")
    }
    anna.say("/switch #lobby")
    #expect(offered().isSuperset(of: all))
  }

  @Test("a network without them gets no replies, reactions and files")
  func refuses() throws {
    try provide { ($0.reactionLimit, $0.replies) = (.no, false) }
    anna.say("one")
    try accept()
    #expect(!anna.say("/reply 1 two"))
    #expect(anna.printed.last?.hasPrefix("The network of ##tea cannot show which") == true)
    #expect(!anna.say("/react 1 👍"))
    #expect(anna.printed.last == "The network of ##tea has no reactions.")
    #expect(!anna.say("+👍"))
    let path = town.folder.path + "/a.txt"
    try Data("four".utf8).write(to: URL(filePath: path))
    #expect(!anna.say("/attach " + path))
    #expect(anna.printed.last == "The network of ##tea takes no files.")
    // A file that another conversation could have taken.
    try provide { $0.largestFile = nil }
    #expect(anna.say("/attach " + path))
    try provide { $0.largestFile = 3 }
    #expect(!anna.say("see"))
    #expect(
      anna.printed.last == "The network of ##tea takes files of up to 3 B; this one has 4 B.")
    #expect(try anna.store.read { try $0.outbox(of: account.network) }.isEmpty)
  }

  @Test("4: nobody is told of typing where nobody can learn of it")
  func typing() throws {
    func signals() throws -> [NetworkSignal] {
      try anna.store.read { try $0.signals(of: account, since: 0) }.0
        .filter { $0 != .open([.room("##tea")]) }
    }
    try provide { $0.typing = false }
    anna.type("hello")
    #expect(try signals().isEmpty)
    try provide { $0.typing = true }
    anna.say("hello")
    // At most one signal in three seconds.
    anna.wait(3100)
    anna.type("again")
    let found = try signals()
    #expect(found == [.typing(.room("##tea"), true)], "\(found)")
  }
}
