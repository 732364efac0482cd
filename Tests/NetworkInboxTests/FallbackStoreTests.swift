// SPDX-License-Identifier: GPL-3.0-or-later
import StoreFixture
import Testing

@testable import Conversations
@testable import NetworkInbox

@Suite("14.10: Messages that hobnob cannot read or cannot place") struct FallbackStoreTests {
  private let linked: Linked

  init() throws {
    linked = try Linked()
    try linked.join()
  }

  private func answer(
    _ id: String, origin: String, quoting speaker: NetworkUser? = nil, kind: Message.Kind = .text
  ) throws -> Message {
    var message = NetworkMessage(
      name: MessageIDs(origin: origin), speaker: linked.max, body: "yes", kind: kind,
      answers: MessageIDs(origin: id, archive: id), answersSpeaker: speaker)
    message.bodyWithQuote = "> tea?\nyes"
    try linked.hear(.messageReceived(message, in: linked.tea))
    return try #require(try linked.messages().last)
  }

  private func hide(_ origin: String, isPast: Bool = false) throws {
    try linked.hear(
      .messageReceived(
        NetworkMessage(
          name: MessageIDs(origin: origin), speaker: linked.ben, body: "", kind: .unreadable,
          time: isPast ? 5 : nil, isPast: isPast), in: linked.direct))
  }

  @Test("an answer keeps its quote unless the store shows what it answers")
  func quote() throws {
    let lost = try answer("a0", origin: "m0")
    #expect(lost.body == "> tea?\nyes" && lost.replyTo == nil)
    try linked.say("tea?", origin: "o1", archive: "a1")
    let found = try answer("a1", origin: "m1")
    #expect(found.body == "yes" && found.replyTo?.number == 2)
    // Nothing is left of an action behind a quote.
    let action = try answer("a0", origin: "m2", kind: .action)
    #expect(action.body == "> tea?\nyes" && action.kind == .text)
    try linked.hear(
      .retracted(MessageIDs(archive: "a1"), by: linked.zoe, in: linked.tea, at: nil))
    let ofDeleted = try answer("a1", origin: "m3")
    #expect(ofDeleted.body == "> tea?\nyes" && ofDeleted.replyTo?.isDeleted == true)
  }

  @Test("a corrected answer keeps its quote, too")
  func correctedQuote() throws {
    try linked.say("tea?", origin: "o1", archive: "a1")
    let (lost, found) = (try answer("a0", origin: "m0"), try answer("a1", origin: "m1"))
    for (origin, id) in [("m0", lost.id), ("m1", found.id)] {
      try linked.hear(
        .edited(
          MessageIDs(origin: origin), by: linked.max, in: linked.tea, body: "no", at: nil,
          bodyWithQuote: "> tea?\nno"))
      let body = try linked.messages().first { $0.id == id }?.body
      #expect(body == (origin == "m0" ? "> tea?\nno" : "no"))
    }
  }

  @Test("an answer, a reaction and a receipt may name the latest correction")
  func correction() throws {
    try linked.say("tae?", origin: "o1", archive: "a1")
    try linked.say("tae?", by: linked.max, origin: "o2", archive: "a2")
    for (origin, speaker) in [("o1", linked.zoe), ("o2", linked.max)] {
      try linked.hear(
        .edited(
          MessageIDs(origin: origin), by: speaker, in: linked.tea, body: "tea?", at: nil,
          change: MessageIDs(origin: "c1", archive: "c-" + origin)))
    }
    let found = try answer("c-o1", origin: "m1")
    #expect(found.replyTo?.number == 1 && found.body == "yes")
    #expect(try answer("c1", origin: "m2", quoting: linked.zoe).replyTo?.number == 1)
    // Two people have used that id.
    #expect(try answer("c1", origin: "m3").replyTo == nil)
    try linked.hear(
      .reacted(
        MessageIDs(archive: "c-o2"), author: nil, by: linked.zoe, in: linked.tea, emoji: ["👍"],
        at: nil))
    let second = try linked.messages()[1]
    #expect(try linked.store.read { try $0.reactions(of: second.id) }.map(\.emoji) == ["👍"])
  }

  @Test("the text of a reaction is shown only if the message it is for is missing")
  func reactionText() throws {
    try linked.say("tea?", origin: "o1", archive: "a1")
    func react(_ id: String, isPast: Bool = false) throws {
      let target = MessageIDs(archive: id)
      var text = NetworkMessage(
        name: MessageIDs(origin: "r-" + id), speaker: linked.max, body: "👍 to " + id,
        time: isPast ? 5 : nil, isPast: isPast)
      text.changedMessage = target
      try linked.hear(
        .reacted(
          target, author: nil, by: linked.max, in: linked.tea, emoji: ["👍"],
          at: isPast ? 5 : nil), .messageReceived(text, in: linked.tea))
    }
    try react("a1")
    try react("a0")
    // An older page may have this one.
    try react("a9", isPast: true)
    #expect(try linked.bodies() == ["tea?", "👍 to a0"])
    // It comes, and so does the reaction.
    try linked.hear(.page(of: linked.tea, from: "a0", until: "a1"))
    try linked.say("cake?", archive: "a0", at: 5, isPast: true)
    let found = try #require(try linked.messages().first)
    #expect(try linked.store.read { try $0.reactions(of: found.id) }.map(\.emoji) == ["👍"])
  }

  @Test("XEP-0308: a correction may name either id of a message")
  func twoIDs() throws {
    for (isPast, id) in [(false, "s1"), (true, "s2")] {
      var message = NetworkMessage(
        name: MessageIDs(origin: "o" + id, archive: "a" + id), speaker: linked.zoe, body: "tae",
        time: isPast ? 5 : nil, isPast: isPast)
      message.otherOrigin = id
      try linked.hear(.messageReceived(message, in: linked.tea))
      for (speaker, text) in [(linked.max, "beer"), (linked.zoe, "tea")] {
        try linked.hear(
          .edited(MessageIDs(origin: id), by: speaker, in: linked.tea, body: text, at: nil))
      }
    }
    #expect(try linked.bodies() == ["tea", "tea"])
  }

  @Test("what nobody could read is unread, and gets no receipt and no read marker")
  func signals() throws {
    try linked.say("one", by: linked.ben, in: linked.direct, origin: "1")
    for origin in ["2", "3"] { try hide(origin) }
    let place = try linked.conversation(linked.direct)
    #expect(try linked.store.read { try $0.listing(for: linked.anna) }.map(\.unread).max() == 3)
    let position = try linked.store.read { try $0.position }
    try linked.store.write {
      try $0.noteSeen(by: linked.anna, in: place, upTo: 3, sendReceipt: true)
    }
    let (signals, _) = try linked.wire.read { try $0.signals(of: linked.account, since: position) }
    #expect(
      signals == [
        .receipt(linked.direct, MessageIDs(origin: "1"), by: linked.ben, .seen)
      ])
    // What is older than this device is past, and was never unread.
    try hide("0", isPast: true)
    #expect(try linked.store.read { try $0.listing(for: linked.anna) }.map(\.unread).max() == 0)
  }

  @Test("a run of them is of one sender, without another message in between")
  func run() throws {
    for origin in ["1", "2"] { try hide(origin) }
    try linked.say("plain", by: linked.ben, in: linked.direct, origin: "3")
    for origin in ["4", "5"] { try hide(origin) }
    let messages = try linked.messages(in: linked.direct)
    let continues = try linked.store.read { snapshot in
      try messages.map { try snapshot.continuesUnreadable($0) }
    }
    #expect(continues == [false, true, false, false, true])
    #expect(messages.map(\.body) == ["", "", "plain", "", ""])
    #expect(messages[0].shownBody == "(encrypted end to end; hobnob cannot read it)")
    let line = try linked.store.read { try $0.jsonLine(of: messages[0].id) }
    #expect(line?.contains(#""kind":"unreadable","state":"sent","text":"""#) == true)
  }

  @Test("its author may give it a text that hobnob can read; the owner cannot edit their own")
  func correctedLater() throws {
    try hide("1")
    try linked.hear(
      .edited(
        MessageIDs(origin: "1"), by: linked.ben, in: linked.direct, body: "in plain", at: nil))
    let message = try #require(try linked.messages(in: linked.direct).first)
    #expect(message.shownBody == "in plain" && message.kind == .text)
    try linked.hear(
      .messageReceived(
        NetworkMessage(
          name: MessageIDs(origin: "2"), speaker: linked.me, body: "", kind: .unreadable),
        in: linked.direct))
    let own = try #require(try linked.messages(in: linked.direct).last)
    #expect(throws: RuleError.unreadable(2)) {
      try linked.store.writeDurably { try $0.edit(own.id, to: "x", by: linked.anna) }
    }
  }
}
