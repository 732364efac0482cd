// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Networks
import Repeatable
import Storage
import Testing

@testable import Bridge

/// Lines of a program that are almost right, in an order that makes no sense:
///
///     HOBNOB_LONG=100 swift test --filter BridgeFuzz
@Suite("Odd lines of a program") struct BridgeFuzzTests {
  private static let place = #""conversation":{"room":"tea"}"#
  private static let words = [
    "null", "true", "false", "0", "1", "-1", "99999999999999999999", "1e400", #""""#, #""tea""#,
    #""ben""#, #""anna""#, #""1""#, #""m1""#, "[]", "{}", "[[]]", #"{"room":"tea"}"#,
    #"{"person":"ben"}"#, #"{"room":"tea","person":"ben"}"#, #"["a","b"]"#, #""\u0000""#,
    #""\u202Ex""#, #""2023-11-14T22:13:20.000Z""#, #"[{"path":"/etc/passwd"}]"#,
    #"[{"start":0,"end":9999,"identity":"ben"}]"#, #""seen""#, #""text""#,
    #""\#(String(repeating: "y", count: 2_000))""#,
  ]

  /// A valid line of each type, in the table's order.
  private static let valid: [String] = BridgeTable.fromProgram.map { type in
    let members = type.members.filter(\.isAlways).map { member in
      "\"\(member.name.rawValue)\":\(example(member.form))"
    }
    return "{\"type\":\"\(type.name)\"" + members.map { "," + $0 }.joined() + "}"
  }

  private static func example(_ form: JSONForm) -> String {
    switch form {
    case .number: "1"
    case .flag, .one, .flagOrNumber: "true"
    case .time: #""2023-11-14T22:13:20.000Z""#
    case .word(let words): "\"\(words.all.first?.word ?? "")\""
    case .list: "[]"
    case .map: "{}"
    case .object: #"{"room":"tea"}"#
    case .text, .person, .conversation, .sentence, .growingWord: #""1""#
    }
  }

  private static var names: [String] { JSONName.allCases.map(\.rawValue) }

  private struct Dice {
    var random: FixedRandom

    mutating func one<Item>(of items: [Item]) -> Item { items[random.below(items.count)] }

    mutating func line() -> [UInt8] {
      var line = one(of: BridgeFuzzTests.valid)
      for _ in 0..<random.below(4) {
        // Of two members with one name, the last one counts.
        line =
          line.dropLast() + ",\"\(one(of: BridgeFuzzTests.names))\":"
          + one(of: BridgeFuzzTests.words) + "}"
      }
      var bytes = Array(line.utf8)
      if random.below(8) == 0 {
        for _ in 0...random.below(3) { bytes[random.below(bytes.count)] = UInt8(random.below(256)) }
      }
      return bytes
    }
  }

  @Test("nothing is sent that may not be, no faulty batch is acknowledged, and nothing crashes")
  func survives() throws {
    for seed in 0..<LongRun.rounds(20) {
      var dice = Dice(random: FixedRandom(seed: LongRun.seed &+ UInt64(seed)))
      var talk = try BridgeTalk()
      for step in 0..<200 {
        if step % 10 == 0 { talk.write() }
        talk.hear(dice.line())
        talk.now += Int64(dice.random.below(3_000))
        talk.handle(.tick)
        let stored = talk.written.filter { $0.contains(#""type":"stored""#) }
        #expect(stored.isEmpty || talk.hangUps.isEmpty, "seed \(seed), step \(step)")
        for event in talk.events {
          guard case .messageReceived(let message, let place) = event else { continue }
          #expect(!place.address.isEmpty && place.address.utf8.count <= 1_024)
          #expect(!message.speaker.identity.isEmpty && message.name.archive?.isEmpty == false)
        }
        let hasEnded = !talk.hangUps.isEmpty
        _ = talk.take()
        if hasEnded {
          talk.handle(.down)
          talk.hear(BridgeTalk.hello, #"{"type":"up"}"#)
        }
      }
      #expect(talk.client.outbox.ids.count <= 20)
    }
  }
}
