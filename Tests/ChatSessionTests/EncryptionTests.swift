// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import Foundation
import Testing

@testable import ChatParts
@testable import ChatRendering
@testable import ChatSession
@testable import NetworkInbox

@MainActor
@Suite("14.15: Encryption in sight")
struct EncryptionTests {
  private let town: Town
  private let anna: Person
  private let account: Account
  private let ben = NetworkUser(identity: "ben@y.org", name: "ben")
  private let chat = ConversationAddress.direct("ben@y.org")

  init() throws {
    town = try Town()
    anna = try town.person("anna")
    account = try anna.added()
    try anna.store.inbox.apply([.contact(ben, isOnline: nil, away: nil)], of: account)
    anna.look()
    anna.say("/msg ben@y.org")
    _ = anna.news()
  }

  private func become(_ state: Abilities.Encryption, in room: String? = nil) throws {
    var abilities = Abilities()
    abilities.encryption = state
    try anna.store.inbox.apply(
      [.abilitiesHere(abilities, in: room.map { .room($0) } ?? chat)], of: account)
    anna.look()
  }

  private func hear(
    _ body: String, _ encryption: Message.Encryption = .none, kind: Message.Kind = .text,
    at time: Milliseconds? = nil, isPast: Bool = false
  ) throws {
    var message = NetworkMessage(
      name: MessageIDs(origin: body), speaker: ben, body: body, kind: kind, time: time,
      isPast: isPast)
    message.encryption = encryption
    try anna.store.inbox.apply([.messageReceived(message, in: chat)], of: account)
    anna.look()
  }

  /// What a command answers.
  private func answer(_ line: String, to person: Person? = nil) -> [String] {
    let person = person ?? anna
    _ = person.news()
    person.say(line)
    return person.news().map { String($0.drop { $0 == " " }) }
  }

  private func items(columns: Int = 80) -> [String] {
    anna.status(columns: columns).components(separatedBy: " | ")
      .flatMap { $0.components(separatedBy: " · ") }
  }

  private static let words: [Abilities.Encryption: String] = [
    .off: "not encrypted", .asking: "asking for ben's keys", .on: "encrypted",
    .verified: "encrypted, verified",
  ]

  @Test("a word in the status line says whether what one sends is encrypted, if there is room")
  func status() throws {
    #expect(!anna.status().contains("crypt"))
    anna.say("hello")
    for (state, word) in Self.words {
      try become(state)
      #expect(items().filter(Self.words.values.contains) == [word])
      // How far the newest message got matters more.
      #expect(items(columns: 30).contains { $0.hasPrefix("[1]") })
      #expect(!items(columns: 30).contains(word))
    }
    anna.say("/switch #lobby")
    #expect(!anna.status().contains("crypt"))
    anna.say("/switch @ben")
    try become(.never)
    #expect(!anna.status().contains("crypt"))
  }

  @Test("a room has the same words")
  func rooms() throws {
    anna.say("/join #teatime@rooms.x.org")
    try anna.store.inbox.apply([.joined(room: "teatime@rooms.x.org", nick: "anna")], of: account)
    try become(.on, in: "teatime@rooms.x.org")
    #expect(items().contains("encrypted"))
    try become(.asking, in: "teatime@rooms.x.org")
    #expect(items().contains("asking for #teatime@rooms.…'s keys"))
  }

  @Test("/encrypt and /status say it in a sentence; /can has a row, and completion the command")
  func sentences() throws {
    func offers() -> Bool {
      anna.session.candidates(after: .command).contains { $0.text == "encrypt" }
    }
    for (state, parts) in [
      (Abilities.Encryption.off, ["is not encrypted; /encrypt on", "not now"]),
      (.asking, ["is asking for ben's keys; what you send waits", "once hobnob has"]),
      (
        .on,
        ["to ben is encrypted from end to end; /encrypt off", "files from end to end; reactions"]
      ),
      (.verified, ["for devices that you have verified", "files from end to end; reactions"]),
    ] {
      try become(state)
      #expect(answer("/encrypt").count { $0.contains(parts[0]) } == 1)
      #expect(answer("/status").count { $0.contains(parts[0]) } == 1)
      #expect(answer("/can").contains { $0.hasPrefix("encrypt   ") && $0.contains(parts[1]) })
      #expect(offers())
    }
    try become(.never)
    #expect(answer("/encrypt") == ["hobnob itself cannot encrypt here."])
    #expect(!answer("/can").contains { $0.contains("crypt") })
    #expect(!answer("/status").contains { $0.contains("crypt") })
    #expect(!offers())
    anna.say("/switch #lobby")
    let nothing = "Nothing leaves this machine here, so there is nothing to encrypt."
    #expect(answer("/encrypt") == [nothing] && answer("/encrypt on") == [nothing])
    #expect(!offers())
  }

  /// What `/encrypt` has asked the network for.
  private func asked() throws -> [[String]] {
    try anna.store.read { try $0.requests(of: account) }.filter { $0.verb == .encrypt }
      .map { [$0.target, $0.text] }
  }

  @Test("/encrypt on asks the network, which answers; off asks the person first")
  func asksTheNetwork() throws {
    #expect(!anna.say("/encrypt off"))
    try become(.off)
    #expect(!anna.say("/encrypt maybe"))
    #expect(try asked().isEmpty)
    anna.say("/encrypt on")
    #expect(try asked() == [["ben@y.org", "on"]])
    let request = try #require(
      try anna.store.read { try $0.requests(of: account) }.first { $0.verb == .encrypt })
    _ = anna.news()
    try anna.store.inbox.apply([.answered(request, "ben's keys are here.")], of: account)
    try become(.on)
    #expect(anna.news().contains("ben's keys are here."))
    for key in ["n", "x"] as [Character] {
      anna.say("/encrypt off")
      #expect(
        anna.question?.text
          == "Send to ben without encryption from now on? y: send without encryption, any other key: stay encrypted"
      )
      anna.answer(key)
    }
    #expect(try asked().isEmpty)
    anna.say("/encrypt off")
    anna.answer("y")
    #expect(try asked() == [["ben@y.org", "off"]])
    // What is not encrypted now can stay so without a question.
    try become(.off)
    anna.say("/encrypt off")
    #expect(anna.question == nil)
    #expect(try asked() == [["ben@y.org", "off"], ["ben@y.org", "off"]])
  }

  @Test("where hobnob cannot encrypt, the network says why")
  func asksWhyNot() throws {
    try become(.never)
    #expect(anna.say("/encrypt on"))
    #expect(try asked() == [["ben@y.org", "on"]])
    #expect(!anna.say("/encrypt off"))
  }

  @Test("without anyone to answer, encryption does not end")
  func nobodyToAsk() throws {
    try become(.asking)
    let script = try town.person("anna", outputMode: .batch)
    script.say("/msg ben@y.org")
    #expect(!script.say("/encrypt off") && script.question == nil)
    #expect(script.printed.last?.hasPrefix("/encrypt off needs your confirmation") == true)
    #expect(try asked().isEmpty)
    script.say("/encrypt on")
    #expect(try asked() == [["ben@y.org", "on"]])
  }

  @Test("a text that others sent without encryption is marked, but none from before it began")
  func marks() throws {
    let cem = try town.person("anna", outputMode: .plain)
    cem.say("/msg ben@y.org")
    try hear("before")
    try become(.on)
    try hear("still before")
    try hear("sealed", .encrypted)
    try hear("bare")
    try hear("waves", kind: .action)
    try hear("service", kind: .notice)
    try hear("sealed too", .verified)
    try hear("long ago", at: 1_000, isPast: true)
    anna.say("mine")
    cem.look()
    func marked(_ lines: [String]) -> [String] { lines.filter { $0.contains("(not") } }
    for person in [anna, cem] {
      let lines = marked(person.news())
      #expect(lines.count == 2 && lines.first?.hasSuffix("bare (not encrypted)") == true)
      #expect(lines.last?.hasSuffix("ben waves (not encrypted)") == true)
    }
    try anna.store.inbox.apply(
      [.edited(MessageIDs(origin: "bare"), by: ben, in: chat, body: "barer", at: nil)], of: account)
    for person in [anna, cem] {
      person.look()
      let history = answer("/history", to: person)
      #expect(history.count { $0.contains("long ago") } == 1)
      let lines = marked(history)
      #expect(lines.count == 2 && lines.first?.hasSuffix("barer (edited) (not encrypted)") == true)
      #expect(lines.last?.hasSuffix("ben waves (not encrypted)") == true)
    }
    // Once the messages are no longer encrypted, it is what everybody expects.
    try become(.off)
    #expect(!answer("/history").contains { $0.contains("(not") })
  }

  @Test("a conversation in which only the owner has encrypted is an encrypted one, too")
  func marksAnswers() throws {
    try become(.on)
    anna.say("hello")
    let entry = try #require(try anna.store.read { try $0.outbox(of: account.network) }.first)
    try anna.store.inbox.apply(
      [
        .accepted(
          entry, archive: nil,
          device: SealingDevice(number: 22, key: [0, 17, 34, 51, 68, 85]))
      ], of: account)
    #expect(
      answer("/info 1").contains { $0.hasSuffix("Device    22, fingerprint 00112233 4455") })
    _ = anna.news()
    try hear("hi")
    #expect(anna.news().count { $0.hasSuffix("ben: hi (not encrypted)") } == 1)
  }

  @Test("a text from a device that is not verified, although others are, is marked")
  func unverifiedDevices() throws {
    let cem = try town.person("anna", outputMode: .plain)
    cem.say("/msg ben@y.org")
    try become(.on)
    for (body, encryption) in [
      ("sure", .verified), ("odd", .unverified), ("sealed", .encrypted),
    ] as [(String, Message.Encryption)] {
      try hear(body, encryption)
    }
    cem.look()
    for person in [anna, cem] {
      for lines in [person.news(), answer("/history", to: person)] {
        let marked = lines.filter { $0.contains("(device") }
        #expect(marked.count == 1 && marked.first?.hasSuffix("odd (device not verified)") == true)
      }
    }
    #expect(answer("/info 2").contains { $0.hasSuffix("a device that you have not verified") })
    // The newest text counts, whether it is from a better device or from a worse one.
    for (number, encryption, mark) in [
      (1, .unverified, " (device not verified)"), (2, .verified, ""),
      (3, .none, " (not encrypted)"),
    ] as [(Int, Message.Encryption, String)] {
      let origin = ["sure", "odd", "sealed"][number - 1]
      try anna.store.inbox.apply(
        [
          .edited(
            MessageIDs(origin: origin), by: ben, in: chat, body: "better", at: nil,
            encryption: encryption)
        ], of: account)
      for person in [anna, cem] { _ = person.news() }
      anna.look()
      #expect(anna.news().count { $0.hasSuffix("[\(number)] ben: better") } == 1)
      #expect(
        answer("/history").count { $0.hasSuffix("better (edited)" + mark) } == 1)
    }
  }

  @Test("/info says whether the message was encrypted")
  func info() throws {
    try hear("one")
    #expect(!answer("/info 1").contains { $0.contains("crypt") })
    try become(.on)
    try hear("two", .encrypted)
    try hear("three", .verified)
    for (number, words) in [
      "no", "from end to end", "from end to end, between verified devices",
    ].enumerated() {
      #expect(answer("/info \(number + 1)").contains("Encrypted " + words))
    }
  }
}
