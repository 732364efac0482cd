// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import StyledText

extension String {
  /// The text without white space at either end.
  package var trimmingBlanks: String {
    let head = drop { $0.isWhitespace }
    let tail = head.reversed().drop { $0.isWhitespace }
    return String(String(tail.reversed()))
  }

  package var isASCII: Bool { utf8.allSatisfy { $0 < 0x80 } }

  /// The start of a text, of at most `most` bytes: whole characters, or whole code points if the
  /// first character alone is longer.
  package func start(bytes most: Int) -> Substring {
    guard utf8.count > most else { return self[...] }
    var end = utf8.index(startIndex, offsetBy: most)
    while end > startIndex, utf8[end] & 0xC0 == 0x80 { utf8.formIndex(before: &end) }
    let start = self[..<end]
    // The last character may continue past the end.
    let last = start.index(before: end)
    return last > startIndex ? start[..<last] : start
  }
}

extension SafeText {
  /// A number with commas: `2,800`.
  package init(grouped number: Int) {
    var digits = Array(String(number))
    for end in stride(from: digits.count - 3, to: 0, by: -3) { digits.insert(",", at: end) }
    self.init(line: String(digits))
  }
}

extension DeliveryState {
  package var word: SafeText {
    // Translators: the state of a message, as in “[12] seen”.
    switch self {
    case .failed: say("failed")
    case .sending: say("sending")
    case .sent: say("sent")
    case .delivered: say("delivered")
    case .seen: say("seen")
    }
  }
}

extension Message {
  /// Says that the message was not sent and, if the network gave a reason, why.
  package var notSent: SafeText {
    guard let failure, !failure.isEmpty else { return say("not sent") }
    return say("not sent: %1", SafeText(line: failure))
  }
}

extension Presence {
  /// What they may do in the room, in the user's language; nil for the usual.
  package var rankWords: SafeText? { rank.isEmpty ? nil : Self.words(forRank: rank) }

  /// - Parameter rank: words of networks, such as `operator, bot`; others stay as they are.
  private static func words(forRank rank: String) -> SafeText {
    rank.split(separator: ", ").map { word in
      switch word {
      case "founder": say("founder")
      case "administrator": say("administrator")
      case "operator": say("operator")
      case "half-operator": say("half-operator")
      case "voice": say("voice")
      case "bot": say("bot")
      default: SafeText(line: String(word))
      }
    }.joinedAsList()
  }
}
