// SPDX-License-Identifier: GPL-3.0-or-later
import StoreFixture
import Testing

@testable import Conversations
@testable import NetworkInbox

@Suite("7.8: Reactions") struct ReactionTests {
  @Test func setReplaceRemove() throws {
    let lobby = try Lobby()
    let message = try lobby.says("hello")
    func emoji() throws -> [String] {
      try lobby.store.read { try $0.reactions(of: message.id) }.map(\.emoji)
    }
    func react(_ emoji: String) throws -> ReactionChange {
      lobby.fixture.now += 1
      return try lobby.other.writeDurably { try $0.react(message.id, by: lobby.ben, with: emoji) }
    }
    #expect(try react("🎉") == .set)
    #expect(try react("👍🏽") == .replaced)
    #expect(try emoji() == ["👍🏽"])
    #expect(try react("👍🏽") == .removed)
    #expect(try emoji().isEmpty)
    #expect(try react("❤️") == .set)
    lobby.fixture.now += 1
    #expect(
      try lobby.store.writeDurably { try $0.react(message.id, by: lobby.anna, with: "🎉") } == .set)
    #expect(try emoji() == ["❤️", "🎉"])
    let ben = try lobby.store.read { try $0.reactions(of: message.id) }[0]
    #expect((ben.participant.identity, ben.at) == ("ben", lobby.fixture.now - 1))
    // With and without the selector it is the same.
    #expect(try react("\u{2764}") == .removed)
    #expect(try react("🎉") == .set)
  }

  @Test("Others and my other shells learn who reacted with what")
  func told() throws {
    let lobby = try Lobby()
    let (one, two) = (try lobby.says("one"), try lobby.says("two"))
    var position = try lobby.store.read { try $0.position }
    func news(for me: ID<Participant>, limit: Int = 500) throws -> [ReactionUpdate] {
      let changes = try lobby.store.read { try $0.changes(since: position, for: me, limit: limit) }
      #expect(changes.arrived.isEmpty && changes.revised.isEmpty)
      return changes.reacted
    }
    _ = try lobby.store.bellDescriptor
    _ = lobby.store.drainBell()
    try lobby.other.writeDurably { try $0.react(one.id, by: lobby.ben, with: "👀") }
    #expect(lobby.store.drainBell().contains(.changed))
    try lobby.other.writeDurably { try $0.react(one.id, by: lobby.ben, with: "🎉") }
    try lobby.other.writeDurably { try $0.react(two.id, by: lobby.ben, with: "🎉") }
    let seen = try news(for: lobby.anna)
    #expect(
      seen.map(\.message) == [
        try #require(try lobby.store.read { try $0.message(one.id, for: lobby.anna) }),
        try #require(try lobby.store.read { try $0.message(two.id, for: lobby.anna) }),
      ])
    #expect(seen.map(\.emoji) == ["🎉", "🎉"])
    #expect(seen.map(\.participant.id) == [lobby.ben, lobby.ben])
    #expect(try news(for: lobby.ben).count == 2)
    let eve = try lobby.store.writeDurablyIfNeeded { try $0.participant(identity: "eve") }.id
    #expect(try news(for: eve).isEmpty)

    position = try lobby.store.read { try $0.position }
    try lobby.other.writeDurably { try $0.react(one.id, by: lobby.ben, with: "🎉") }
    #expect(try news(for: lobby.anna).map(\.emoji) == [nil])
    position = try lobby.store.read { try $0.position }
    #expect(try lobby.store.read { try $0.changes(since: position, for: lobby.anna) }.isEmpty)
  }

  @Test("Reading a few at a time finds all of them, in order")
  func fewAtATime() throws {
    let lobby = try Lobby()
    var position = try lobby.store.read { try $0.position }
    var wanted: [Int] = []
    for number in 1...12 {
      let message = try lobby.says("\(number)")
      if number % 3 > 0 {
        try lobby.other.writeDurably { try $0.react(message.id, by: lobby.ben, with: "🎉") }
        wanted.append(number)
      }
    }
    var (arrived, reacted): ([Int], [Int]) = ([], [])
    while true {
      let changes = try lobby.store.read {
        try $0.changes(since: position, for: lobby.anna, limit: 2)
      }
      arrived += changes.arrived.map(\.number)
      reacted += changes.reacted.map(\.message.number)
      #expect(changes.reacted.allSatisfy { arrived.contains($0.message.number) })
      position = changes.position
      if !changes.hasMore { break }
    }
    #expect(arrived == Array(1...12))
    #expect(reacted == wanted)

    // More reactions than messages.
    for number in wanted {
      let message = try #require(
        try lobby.store.read { try $0.message(number: number, in: lobby.lobby, for: lobby.anna) })
      try lobby.store.writeDurably { try $0.react(message.id, by: lobby.anna, with: "👍") }
    }
    reacted = []
    while true {
      let changes = try lobby.store.read {
        try $0.changes(since: position, for: lobby.anna, limit: 3)
      }
      reacted += changes.reacted.map(\.message.number)
      position = changes.position
      if !changes.hasMore { break }
    }
    #expect(reacted == wanted)
  }

  @Test func refused() throws {
    let lobby = try Lobby()
    let message = try lobby.says("hello")
    func react(_ emoji: String = "🎉", by me: ID<Participant>? = nil) throws {
      try lobby.store.writeDurably { try $0.react(message.id, by: me ?? lobby.ben, with: emoji) }
    }
    for text in ["", "x", "1", "hello", "🎉🎉", "🎉x", " ", "\u{1b}", "#"] {
      #expect(throws: RuleError.notAnEmoji(text)) { try react(text) }
    }
    for emoji in ["🎉", "👨‍👩‍👧", "🇩🇪", "1️⃣", "❤", "❤️", "☕", "\u{1FAE8}"] {
      #expect(throws: Never.self, "\(emoji)") { try react(emoji) }
    }
    let eve = try lobby.store.writeDurablyIfNeeded { try $0.participant(identity: "eve") }.id
    #expect(throws: RuleError.notAMember("#lobby")) { try react(by: eve) }
    try lobby.store.writeDurably { try $0.deleteMessage(message.id, by: lobby.anna) }
    #expect(try lobby.store.read { try $0.reactions(of: message.id) }.isEmpty)
    #expect(throws: RuleError.deleted(1)) { try react() }
    let recalled = try lobby.says("oops")
    _ = try lobby.store.writeDurably { try $0.takeBack(recalled.id, by: lobby.anna) }
    #expect(throws: RuleError.noSuchMessage(2)) {
      try lobby.store.writeDurably { try $0.react(recalled.id, by: lobby.anna, with: "🎉") }
    }
    #expect(throws: RuleError.noSuchMessage(999)) {
      try lobby.store.writeDurably { try $0.react(ID(rawValue: 999), by: lobby.anna, with: "🎉") }
    }
  }

  @Test func manyAtOnce() throws {
    let lobby = try Lobby()
    let messages = try (1...5).map { try lobby.says("\($0)") }
    for message in messages.dropLast(2) {
      try lobby.store.writeDurably { try $0.react(message.id, by: lobby.anna, with: "👍") }
      try lobby.store.writeDurably { try $0.react(message.id, by: lobby.ben, with: "🎉") }
    }
    let found = try lobby.store.read { try $0.reactions(of: messages.map(\.id)) }
    #expect(found.count == 3)
    #expect(found[messages[0].id]?.map(\.emoji) == ["👍", "🎉"])
    #expect(try lobby.store.read { try $0.reactions(of: []) }.isEmpty)
    let plans = lobby.store.database.known.filter {
      $0.contains("FROM reaction") || $0.contains("FROM reaction")
    }
    for sql in plans {
      let plan = try lobby.store.database.rows("EXPLAIN QUERY PLAN " + sql) { $0.text("detail") }
      #expect(
        !plan.contains {
          $0.hasPrefix("SCAN r") || $0.hasPrefix("SCAN x") || $0.hasPrefix("SCAN m")
        }, "\(plan)")
    }
  }
}

@Suite("Reactions over a network") struct NetworkReactionTests {
  let lobby: Lobby
  let room: ID<Conversation>
  let message: Message

  init() throws {
    let lobby = try Lobby()
    self.lobby = lobby
    let account = try lobby.store.writeDurably {
      try $0.addAccount(owner: lobby.anna, network: "xmpp:anna@x")
    }
    message = try lobby.other.hear("hi", from: "eve", in: .room("tea"), of: account)
    let room = message.conversation
    self.room = room
    try lobby.store.writeDurablyIfNeeded { try $0.join(lobby.anna, room) }
  }

  private func provide(_ reactions: Abilities.ReactionLimit) throws {
    var abilities = Abilities()
    abilities.reactionLimit = reactions
    let account = try lobby.store.read { try $0.accounts(of: lobby.anna) }[0]
    try lobby.other.inbox.apply([.abilities(NetworkAbilities(rooms: abilities))], of: account)
  }

  /// What anna does, and her reactions then.
  private func react(_ emoji: String) throws -> (ReactionChange, [String]) {
    try lobby.store.writeDurably {
      let change = try $0.react(message.id, by: lobby.anna, with: emoji)
      return (change, try $0.storedEmoji(of: lobby.anna, on: message.id))
    }
  }

  @Test("7.8: where a network has several, another one is added, and the same one again removed")
  func several() throws {
    try provide(.several)
    #expect(try react("🎉") == (.set, ["🎉"]))
    lobby.fixture.now += 1
    #expect(try react("👍") == (.set, ["🎉", "👍"]))
    // Each is a change of its own for the network, with all there are.
    #expect(
      try outbox().map(\.reaction) == [
        OutgoingReaction(participant: lobby.anna, emoji: "🎉", all: ["🎉", "👍"]),
        OutgoingReaction(participant: lobby.anna, emoji: "👍", all: ["🎉", "👍"]),
      ])
    let position = try lobby.store.read { try $0.position }
    #expect(try react("🎉") == (.removed, ["👍"]))
    let news = try lobby.store.read { try $0.changes(since: position, for: lobby.anna) }.reacted
    #expect(news.map(\.emoji) == [nil] && news.map(\.removed) == ["🎉"])
    #expect(
      try outbox().map(\.reaction) == [
        OutgoingReaction(participant: lobby.anna, emoji: "👍", all: ["👍"]),
        OutgoingReaction(participant: lobby.anna, emoji: "🎉", isRemoved: true, all: ["👍"]),
      ])
    // One that is refused goes alone.
    _ = try react("🔥")
    let fire = try #require(try outbox().last)
    try lobby.other.writeDurably { try $0.finish(fire, as: .failed("no")) }
    #expect(
      try lobby.store.read { try $0.storedEmoji(of: lobby.anna, on: message.id) } == ["👍"])
    // Where one takes the place of the other, it takes that of all.
    try provide(.one)
    #expect(try react("🍵") == (.replaced, ["🍵"]))
    #expect(try outbox().map(\.reaction?.all) == [["🍵"]])
  }

  @Test("a person's reactions on a network come as a whole or one by one")
  func heard() throws {
    let account = try lobby.store.read { try $0.accounts(of: lobby.anna) }[0]
    let eve = NetworkUser(identity: "eve", name: "eve")
    let name = MessageIDs(origin: "e1")
    try lobby.other.inbox.apply(
      [
        .messageReceived(
          NetworkMessage(name: name, speaker: eve, body: "hello"), in: .room("tea"))
      ], of: account)
    let message = try #require(
      try lobby.store.read {
        try $0.messages(in: room, limit: 1, for: lobby.anna).last
      })
    func hear(_ emoji: NetworkReaction) throws -> [String] {
      lobby.fixture.now += 1
      try lobby.other.inbox.apply(
        [.reacted(name, author: eve, by: eve, in: .room("tea"), emoji: emoji, at: nil)],
        of: account)
      return try lobby.store.read { try $0.reactions(of: message.id) }.map(\.emoji)
    }
    try provide(.several)
    #expect(try hear(["🎉", "no emoji", "👍"]) == ["🎉", "👍"])
    #expect(try hear(.given("🔥")) == ["🎉", "👍", "🔥"])
    #expect(try hear(.removed("🎉")) == ["👍", "🔥"])
    #expect(try hear(.given("x")) == ["👍", "🔥"])
    #expect(try hear(["👍", "❤", "❤️"]) == ["👍", "❤"] && hear(.given("❤️")) == ["👍", "❤"])
    #expect(try hear(["👍"]) == ["👍"])
    try provide(.one)
    #expect(try hear(.given("🍵")) == ["🍵"])
    #expect(try hear(["🎉", "👍"]) == ["🎉"])
    #expect(try hear([]) == [])
    // Few rows stay of what was removed.
    try provide(.several)
    for number in 0..<100 {
      let emoji = String(Character(Unicode.Scalar(UInt32(0x1F600 + number % 60))!))
      _ = try hear(.given(emoji))
      _ = try hear(.removed(emoji))
    }
    #expect(try lobby.store.count("reaction") <= Reaction.most)
  }

  private func outbox() throws -> [OutboxEntry] {
    try lobby.other.read { try $0.outbox(of: "xmpp:anna@x") }
  }

  @Test func theNewestWishIsPosted() throws {
    try provide(.one)
    try lobby.store.writeDurably { try $0.react(message.id, by: lobby.anna, with: "🎉") }
    try lobby.store.writeDurably { try $0.react(message.id, by: lobby.anna, with: "👍") }
    let entry = try #require(try outbox().first)
    #expect(try outbox().count == 1)
    #expect((entry.operation, entry.message.id) == (.react, message.id))
    #expect((entry.reaction?.emoji, entry.reaction?.participant) == ("👍", lobby.anna))
    // Changed while it is on its way: that is another entry.
    try lobby.store.writeDurably { try $0.react(message.id, by: lobby.anna, with: "👍") }
    try lobby.other.writeDurably { try $0.finish(entry, as: .sent) }
    let removal = try #require(try outbox().first)
    #expect(removal.reaction?.isRemoved == true && removal.reaction?.all == [])
    try lobby.other.writeDurably { try $0.finish(removal, as: .sent) }
    #expect(try outbox().isEmpty)
    #expect(try lobby.store.read { try $0.message(message.id, for: lobby.anna) }?.failure == nil)
  }

  @Test func whatIsRefusedGoes() throws {
    try lobby.store.writeDurably { try $0.react(message.id, by: lobby.anna, with: "🎉") }
    let entry = try #require(try outbox().first)
    let position = try lobby.store.read { try $0.position }
    try lobby.other.writeDurably { try $0.finish(entry, as: .failed("no such thing")) }
    #expect(try lobby.store.read { try $0.reactions(of: message.id) }.isEmpty)
    let news = try lobby.store.read { try $0.changes(since: position, for: lobby.anna) }.reacted
    #expect(news.map(\.failure) == ["no such thing"])
    #expect(news.map(\.emoji) == [nil])
    #expect(
      try lobby.store.writeDurably { try $0.react(message.id, by: lobby.anna, with: "🎉") } == .set)
  }

  @Test func anUnsentMessageCannotHaveAny() throws {
    let mine = try lobby.store.writeDurably { try $0.send("x", in: room, by: lobby.anna) }
    #expect(throws: RuleError.notSent(mine.number)) {
      try lobby.store.writeDurably { try $0.react(mine.id, by: lobby.anna, with: "🎉") }
    }
    try lobby.other.writeDurably {
      try $0.finish(try #require(try outbox().first), as: .failed("no"))
    }
    #expect(throws: RuleError.notSent(mine.number)) {
      try lobby.store.writeDurably { try $0.react(mine.id, by: lobby.anna, with: "🎉") }
    }
  }
}

@Suite("7.8: Replies") struct ReplyTests {
  @Test("a file without text is quoted by its name, a text with a file by the text")
  func quoteFiles() throws {
    let lobby = try Lobby()
    let files = [try lobby.kept("x", as: "cups.png"), try lobby.kept("y", as: "more.png")]
    func quoted(_ body: String) throws -> [String?] {
      let message = try lobby.says(body, with: files)
      let answer = try lobby.other.writeDurably {
        try $0.send(
          "nice", in: lobby.lobby, by: lobby.ben, replyTo: message.id)
      }
      return [
        answer.replyTo?.line,
        try lobby.store.read { try $0.message(answer.id, for: lobby.anna) }?.replyTo?.line,
      ]
    }
    #expect(try quoted("") == ["cups.png", "cups.png"])
    #expect(try quoted(" \n\t") == ["cups.png", "cups.png"])
    #expect(try quoted("look") == ["look", "look"])
  }

  @Test func quoteTheFirstLine() throws {
    let lobby = try Lobby()
    let question = try lobby.says("\n  \nfirst line\nsecond")
    let answer = try lobby.other.writeDurably {
      try $0.send(
        "yes", in: lobby.lobby, by: lobby.ben, replyTo: question.id)
    }
    let quote = Quote(number: 1, senderName: "anna", line: "first line")
    #expect(answer.replyTo == quote)
    #expect(try lobby.store.read { try $0.message(answer.id, for: lobby.anna) }?.replyTo == quote)
    #expect(
      try lobby.store.read { try $0.messages(in: lobby.lobby, limit: 9, for: lobby.anna) }.map(
        \.replyTo)
        == [nil, quote])
    let arrived = try lobby.store.read { try $0.changes(since: 0, for: lobby.anna) }.arrived
    #expect(arrived.last?.replyTo == quote)
    // As things stand now: an edit shows, a deletion too.
    try lobby.store.writeDurably { try $0.edit(question.id, to: "edited", by: lobby.anna) }
    #expect(
      try lobby.store.read { try $0.message(answer.id, for: lobby.anna) }?.replyTo?.line == "edited"
    )
    try lobby.other.writeDurably { try $0.edit(answer.id, to: "yes!", by: lobby.ben) }
    try lobby.store.writeDurably { try $0.deleteMessage(question.id, by: lobby.anna) }
    #expect(
      try lobby.store.read { try $0.message(answer.id, for: lobby.anna) }?.replyTo
        == Quote(number: 1, senderName: "anna", line: "", isDeleted: true))
  }

  @Test(arguments: [
    ("", ""), ("\n\n", ""), ("short", "short"),
    (String(repeating: "x", count: 80), String(repeating: "x", count: 80)),
    (String(repeating: "x", count: 81), String(repeating: "x", count: 79) + "…"),
    (String(repeating: "👨‍👩‍👧", count: 99), String(repeating: "👨‍👩‍👧", count: 79) + "…"),
    ("a\u{2028}b", "a"), ("a\r\nb", "a"),
  ])
  func lines(body: String, line: String) throws {
    let lobby = try Lobby()
    let question = try lobby.says(body)
    let answer = try lobby.store.writeDurably {
      try $0.send("x", in: lobby.lobby, by: lobby.anna, replyTo: question.id)
    }
    #expect(answer.replyTo?.line == line)
    #expect(
      try lobby.store.read { try $0.message(answer.id, for: lobby.anna) }?.replyTo?.line == line)
  }

  @Test func onlyWhatIsThere() throws {
    let lobby = try Lobby()
    let elsewhere = try lobby.store.writeDurablyIfNeeded { try $0.makeRoom("tea") }.id
    try lobby.store.writeDurablyIfNeeded { try $0.join(lobby.anna, elsewhere) }
    let other = try lobby.store.writeDurably { try $0.send("x", in: elsewhere, by: lobby.anna) }
    let gone = try lobby.says("gone")
    try lobby.store.writeDurably { try $0.deleteMessage(gone.id, by: lobby.anna) }
    func reply(_ id: ID<Message>) throws {
      try lobby.store.writeDurably {
        try $0.send("re", in: lobby.lobby, by: lobby.anna, replyTo: id)
      }
    }
    #expect(throws: RuleError.noSuchMessage(1)) { try reply(other.id) }
    #expect(throws: RuleError.deleted(1)) { try reply(gone.id) }
    #expect(throws: RuleError.noSuchMessage(999)) { try reply(ID(rawValue: 999)) }
    #expect(
      try lobby.store.read { try $0.messages(in: lobby.lobby, limit: 9, for: lobby.anna) }.count
        == 1)
  }
}
