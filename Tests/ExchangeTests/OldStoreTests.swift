// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import StoreFixture
import Testing

@testable import Conversations
@testable import Exchange
@testable import NetworkInbox

/// A store that the program made before messages had one order (schema 20, commit fec9537), and what
/// that program showed of it. Both are made by running there
///
///     HOBNOB_OLD_STORE=$PWD/Tests/ExchangeTests/OldStore swift test --filter OldStoreTests
@Suite("A store from before messages had one order") struct OldStoreTests {
  private static let folder =
    URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .path + "/OldStore"

  @Test(
    "makes the store and prints what is shown of it",
    .enabled(if: ProcessInfo.processInfo.environment["HOBNOB_OLD_STORE"] != nil))
  func make() throws {
    let folder = try #require(ProcessInfo.processInfo.environment["HOBNOB_OLD_STORE"])
    let fixture = Fixture()
    let store = try fixture.open()
    try OldStore(fixture, store).fill()
    let shown = try Self.shown(store)
    try store.upkeep.compact()
    store.close()
    try Self.gzip("gzip -9nc '\(fixture.path)' > '\(folder)/store.sqlite.gz'")
    try (shown.joined(separator: "\n") + "\n").write(
      toFile: folder + "/shown.txt", atomically: true, encoding: .utf8)
  }

  @Test("7.1, 7.7: shows the order, numbers, states, unread and found messages it showed before")
  func shows() throws {
    let fixture = Fixture()
    try Self.gzip("gzip -dc '\(Self.folder)/store.sqlite.gz' > '\(fixture.path)'")
    fixture.chmod(0o600, "store.sqlite")
    fixture.now = OldStore.end
    let store = try fixture.open()
    let wanted = try String(contentsOfFile: Self.folder + "/shown.txt", encoding: .utf8)
      .split(separator: "\n").map(String.init)
    let shown = try Self.shown(store)
    for (old, new) in zip(wanted, shown) {
      // What is found is the same; it was shown by the way it came in, and is shown by time now.
      if let (old, new) = try? (hits(old), hits(new)) {
        #expect(old == new)
      } else if old != new {
        Issue.record("was \(old), is \(new)")
      }
    }
    #expect(wanted.count == shown.count)
    #expect(try store.upkeep.check().map(\.severity).max() == .fine)
  }

  private func hits(_ line: String) throws -> [String] {
    let parts = line.split(separator: ": ", maxSplits: 1)
    let found = try #require(parts.last).matches(of: #/"(\d+\/\d+)"/#).map { String($0.1) }
    if found.isEmpty { throw CancellationError() }
    return ([String(parts[0])] + found).sorted()
  }

  private static func gzip(_ command: String) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", command]
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
  }

  // MARK: What is shown

  private static func shown(_ store: Store) throws -> [String] {
    let people = ["anna", "ben", "cleo"]
    return try people.flatMap { name in
      guard let person = try store.read({ try $0.find(participant: name) }) else { return [name] }
      return try rooms(name, person.id, store) + searches(name, person.id, store)
    }
  }

  private static func rooms(
    _ name: String, _ me: ID<Participant>, _ store: Store
  ) throws -> [String] {
    let unread = try store.read { try $0.unreadConversations(for: me) }
    var lines = [
      "\(name) unread: \(unread.map { "\($0.conversation.name) \($0.count) \($0.mentions)" })"
    ]
    for listing in try store.read({ try $0.listing(for: me) }) {
      let place = listing.conversation
      func add(_ what: String, _ value: some Any) {
        lines.append("\(name) \(place.name) \(what): \(value)")
      }
      let all = try store.read { try $0.messages(in: place.id, limit: 999, for: me) }
      add("order", all.map(\.number))
      var (pages, before): ([[Int]], Int?) = ([], nil)
      while true {
        let page = try store.read {
          try $0.messages(in: place.id, before: before, limit: 4, for: me).map(\.number)
        }
        guard let first = page.first else { break }
        (pages, before) = (pages + [page], first)
      }
      add("pages", pages)
      add("texts", all.map { "\($0.senderName): \($0.body)" })
      add("states", all.map { "\($0.state)" })
      add(
        "answers",
        all.compactMap { message in
          message.replyTo.map { "\(message.number)>\($0.number) \($0.line)" }
        })
      add(
        "revisions",
        try all.filter { $0.editedAt != nil }.map { message in
          "\(message.number) \(try store.read { try $0.revisions(of: message.id) }.map(\.body))"
        })
      add(
        "reactions",
        try all.compactMap { message in
          let found = try store.read { try $0.reactions(of: message.id) }
          return found.isEmpty ? nil : "\(message.number) \(found.map(\.emoji))"
        })
      let marker = try store.read { try $0.readMarker(of: me, in: place.id) }
      add("read up to", marker)
      add(
        "first unread",
        try store.read {
          try $0.firstUnread(by: me, in: place.id, behind: marker)
        } ?? 0)
      add("newest own", try store.read { try $0.newest(by: me, in: place.id) }?.number ?? 0)
      add(
        "backwards",
        (1...all.count + 1).map { back in
          (try? store.read { try $0.message(named: -back, in: place.id, for: me) })?.number ?? 0
        })
      add(
        "recipients",
        try all.map { message in
          try store.read { try $0.recipients(of: message.id) }.map {
            "\($0.participant.name) \($0.state)"
          }
        })
    }
    return lines
  }

  private static func searches(
    _ name: String, _ me: ID<Participant>, _ store: Store
  ) throws -> [String] {
    try ["tea", "t*", "from:ben", "tea since:2021 until:2022", "in:#lobby tea", "old"].map {
      query in
      var (hits, before): ([String], ID<Message>?) = ([], nil)
      while true {
        let page = try store.read {
          try $0.search(SearchQuery.parse(query), for: me, limit: 3, before: before)
        }
        guard let last = page.last?.message else { break }
        hits += page.map { "\($0.message.conversation.rawValue)/\($0.message.number)" }
        before = last.id
      }
      return "\(name) \(query): \(hits)"
    }
  }
}

/// What is in that store.
private struct OldStore {
  /// The time when it was last written.
  static let end: Milliseconds = 1_700_009_000_000

  let fixture: Fixture
  let store: Store

  init(_ fixture: Fixture, _ store: Store) { (self.fixture, self.store) = (fixture, store) }

  private func person(_ name: String) throws -> ID<Participant> {
    try store.writeDurablyIfNeeded { try $0.participant(identity: name) }.id
  }

  func fill() throws {
    let (anna, ben, cleo) = try (person("anna"), person("ben"), person("cleo"))
    let lobby = try store.writeDurablyIfNeeded { try $0.makeRoom("lobby") }.id
    for each in [anna, ben, cleo] { try store.writeDurablyIfNeeded { try $0.join(each, lobby) } }
    func say(
      _ body: String, _ who: ID<Participant>, in place: ID<Conversation>? = nil,
      replyTo: ID<Message>? = nil
    ) throws -> Message {
      fixture.now += 1000
      return try store.writeDurably {
        try $0.send(body, in: place ?? lobby, by: who, replyTo: replyTo)
      }
    }
    // A room that an import makes, with what is unread in it.
    try store.take([
      export(
        ##"{"type":"participant","identity":"ben","name":"ben"}"##,
        ##"{"type":"conversation","conversation":"#moved","last_number":4}"##,
        ##"{"type":"member","conversation":"#moved","participant":"anna","first":1}"##,
        ##"{"type":"member","conversation":"#moved","participant":"ben","first":1}"##,
        ##"{"type":"reader","conversation":"#moved","participant":"anna","delivered":4,"seen":2,"read":2}"##,
        line("tea moved 1", number: 1, in: "#moved", time: "2021-05-01T10:00:00.000Z"),
        line(
          "tea moved 2", number: 2, in: "#moved", sender: "anna", time: "2021-05-02T10:00:00.000Z"),
        line("tea moved 3", number: 3, in: "#moved", time: "2022-05-03T10:00:00.000Z"),
        line("tea moved 4", number: 4, in: "#moved", time: "2022-05-03T10:00:00.000Z"))
    ])
    let first = try say("tea one", anna)
    let second = try say("tea two", ben)
    try store.writeIfNeeded { try $0.noteSeen(by: ben, in: lobby, upTo: 1, sendReceipt: true) }
    try store.writeIfNeeded { try $0.noteSeen(by: anna, in: lobby, upTo: 2, sendReceipt: true) }
    _ = try say("anna, an answer about tea", cleo, replyTo: first.id)
    // The clock goes back a minute.
    fixture.now -= 60_000
    _ = try say("said after the clock went back", anna)
    _ = try say("and tea once more", ben)
    fixture.now += 90_000
    _ = try say("the clock is right again", cleo)
    try store.take(
      [
        "2022-03-01 10:00:00\tben\told tea 3\n2022-03-01 10:00:00\tanna\told tea 4\n"
      ], into: "lobby")
    try store.take(
      ["2021-03-01 10:00:00\tben\told tea 1\n2021-03-01 10:01:00\tdora\told tea 2\n"], into: "lobby"
    )
    let edited = try say("wrnog", anna)
    try store.writeDurably { try $0.edit(edited.id, to: "right tea", by: anna) }
    let deleted = try say("to be deleted", ben)
    try store.writeDurably { try $0.deleteMessage(deleted.id, by: ben) }
    let taken = try say("to be taken back", anna)
    _ = try store.writeDurably { try $0.takeBack(taken.id, by: anna) }
    try store.writeDurably { try $0.react(second.id, by: anna, with: "🎉") }
    _ = try say("last words", ben)
    let chat = try store.writeDurablyIfNeeded { try $0.directChat(anna, with: ben) }.id
    for body in ["psst", "tea?", "yes"] { _ = try say(body, body == "tea?" ? ben : anna, in: chat) }
    try store.writeIfNeeded { try $0.noteSeen(by: ben, in: chat, upTo: 1, sendReceipt: true) }
    let kept = try store.writeDurablyIfNeeded { try $0.makeRoom("kept") }.id
    for each in [anna, ben] { try store.writeDurablyIfNeeded { try $0.join(each, kept) } }
    for number in 1...4 { _ = try say("kept \(number)", ben, in: kept) }
    try store.writeDurablyIfNeeded { try $0.setKeep(kept, 2_500) }
    try store.writeIfNeeded { try $0.forgetOld(now: fixture.now) }
    try network(anna)
    fixture.now = Self.end
  }

  /// A room of a network: live, late, and pages of its archive, all of them in one second.
  private func network(_ anna: ID<Participant>) throws {
    let account = try store.writeDurably {
      try $0.addAccount(owner: anna, network: "xmpp:anna@example.org")
    }
    let tea = ConversationAddress.room("tea@rooms.example")
    let zoe = NetworkUser(identity: "occupant-7", name: "zoe")
    func said(_ id: Int, at time: Milliseconds?, isPast: Bool = false) -> NetworkEvent {
      .messageReceived(
        NetworkMessage(
          name: MessageIDs(origin: "o\(id)", archive: "a\(id)"), speaker: zoe,
          body: "tea \(id)", time: time, isPast: isPast), in: tea)
    }
    try store.inbox.apply([.joined(room: "tea@rooms.example", nick: "anna")], of: account)
    let now = fixture.now
    try store.inbox.apply([said(100, at: nil)], of: account)
    let second = now / 1000 * 1000 - 60_000
    for pages in [7...9, 4...6, 1...3] {
      try store.inbox.apply(
        [
          .page(
            of: tea, from: "a\(pages.lowerBound)",
            until: pages.upperBound == 9 ? "" : "a\(pages.upperBound + 1)")
        ]
          + pages.map { said($0, at: second, isPast: true) }, of: account)
    }
    try store.inbox.apply(
      [
        .edited(
          MessageIDs(origin: "o5"), by: zoe, in: tea, body: "tea five", at: second,
          change: MessageIDs(origin: "c1", archive: "c1"))
      ], of: account)
    for id in [101, 105, 109] {
      try store.inbox.apply([said(id, at: now + Milliseconds(id) * 100)], of: account)
    }
    fixture.now += 60_000
    let place = try store.writeDurably {
      try $0.networkRoom("tea@rooms.example", network: account.network)
    }.id
    _ = try store.writeDurably { try $0.send("on its way", in: place, by: anna) }
    try store.writeIfNeeded { try $0.noteSeen(by: anna, in: place, upTo: 12, sendReceipt: true) }
    for id in [103, 107] {
      try store.inbox.apply([said(id, at: now + Milliseconds(id) * 100)], of: account)
    }
  }
}
