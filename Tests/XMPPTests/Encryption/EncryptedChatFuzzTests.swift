// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import OMEMO
import Platform
import Repeatable
import Testing

@testable import NetworkInbox
@testable import XMPP

/// What a hostile server or a hostile contact can do to an encrypted chat: it repeats, reorders and
/// changes messages, keys, lists of devices and answers.
///
///     HOBNOB_LONG=100 swift test --filter EncryptedChatFuzz
@Suite("14.16: a hostile server and an encrypted chat")
struct EncryptedChatFuzzTests {
  private static let parts = 4

  @Test(
    "nothing goes out in the clear, nothing grows without end, and honest lines are read again",
    arguments: 0..<parts)
  func hostile(part: Int) throws {
    var dice = FixedRandom(seed: LongRun.seed &+ UInt64(part))
    for _ in 0..<LongRun.rounds(1) { try talk(&dice) }
  }

  private func talk(_ dice: inout FixedRandom) throws {
    var village = try Village()
    let (anna, ben) = (Village.anna, Village.ben)
    for account in [anna, ben] { try village.connect(account) }
    village.say(1, "secret 1", from: anna, to: ben)
    village.say(2, "secret 2", from: ben, to: anna)
    var number: Int64 = 2
    for _ in 0..<60 {
      number += 1
      switch dice.below(10) {
      case 0..<4: village.say(number, "secret \(number)", from: anna, to: ben)
      case 4..<8: village.say(number, "secret \(number)", from: ben, to: anna)
      default: break
      }
      guard let message = village.messages.randomElement(using: &dice) else { continue }
      village.deliver(changed(message, &dice), to: dice.below(2) == 0 ? anna : ben)
      if dice.below(4) == 0 {
        let devices = (0..<dice.below(300)).map { _ in UInt32(1 + dice.below(1 << 30)) }
        let version = OMEMOVersion.allCases[dice.below(2)]
        village.deliver(
          changed(
            Village.event(version.listNode, of: ben, ("current", version.list(devices))), &dice),
          to: anna)
      }
    }
    let wire = village.messages.map { $0.xml() }.joined()
    #expect(!wire.contains("secret") && village.unkept == 0)
    let book = try #require(village.encryption(of: anna)?.book)
    #expect(book.sessions.count <= 3 * Limits.sessions)
    #expect(book.own.preKeys.count == OwnDevice.preKeyCount)
    // The honest list comes back, and with it the chat.
    for version in OMEMOVersion.allCases { village.announce(version.listNode, of: ben) }
    village.wait(86_500_000)
    for text in ["honest 1", "honest 2", "honest 3"] {
      number += 1
      village.say(number, text, from: ben, to: anna)
    }
    #expect(village.read(anna).contains("honest 3"), "\(village.read(anna).suffix(8))")
    for text in village.read(anna) + village.read(ben) {
      #expect(
        text.hasPrefix("secret ") || text.hasPrefix("honest ") || text == "?"
          || text.hasSuffix(" (plain)"))
      // Nobody has written anything in the clear.
      #expect(!text.hasPrefix("secret") || !text.hasSuffix(" (plain)"))
    }
  }

  /// The element with one thing changed, somewhere in it; sometimes the same.
  private func changed(_ element: Element, _ dice: inout FixedRandom) -> Element {
    var element = element
    let children = element.nodes.indices.filter {
      if case .element = element.nodes[$0] { true } else { false }
    }
    if let index = children.randomElement(using: &dice), dice.below(4) > 0 {
      guard case .element(let child) = element.nodes[index] else { return element }
      element.nodes[index] = .element(changed(child, &dice))
      return element
    }
    switch dice.below(7) {
    case 0:
      if let name = element.attributes.keys.sorted().randomElement(using: &dice) {
        element[name] = ["", "0", "1", "true", "-1", "4294967296", "eve@example.org/x"]
          .randomElement(using: &dice)
      }
    case 1: if !element.nodes.isEmpty { element.nodes.remove(at: dice.below(element.nodes.count)) }
    case 2: element.nodes += element.nodes
    case 3:
      if var bytes = Base64.decoded(element.text), !bytes.isEmpty {
        bytes[dice.below(bytes.count)] ^= UInt8(1 << dice.below(8))
        element.nodes = [.text(Base64.letters(for: bytes))]
      }
    case 4:
      if let bytes = Base64.decoded(element.text) {
        element.nodes = [.text(Base64.letters(for: Array(bytes.prefix(bytes.count / 2))))]
      }
    case 5: element.nodes = [.text("x")]
    default: break
    }
    return element
  }
}
