// SPDX-License-Identifier: GPL-3.0-or-later

/// One of someone's reactions to a message (rule 7.8).
public struct Reaction: Hashable, Sendable {
  public var participant: Participant
  /// The emoji as given or received.
  public var emoji: String
  /// When it was given.
  public var at: Milliseconds
}

/// The effect of `DurableTransaction.react`.
public enum ReactionChange: Hashable, Sendable {
  case set
  /// It replaced another one.
  case replaced
  /// It was the same, so it was removed.
  case removed
}

/// The current state of a changed reaction.
public struct ReactionUpdate: Hashable, Sendable {
  public var message: Message
  public var participant: Participant
  /// Nil if it was removed.
  public var emoji: String?
  /// The one that was removed.
  public var removed: String?
  public var at: Milliseconds
  /// Why a network refused it, which removed it.
  public var failure: Remark?

  package init(
    message: Message, participant: Participant, emoji: String? = nil, removed: String? = nil,
    at: Milliseconds, failure: Remark? = nil
  ) {
    (self.message, self.participant, self.emoji) = (message, participant, emoji)
    (self.removed, self.at, self.failure) = (removed, at, failure)
  }
}

/// What a network says about someone's reactions to a message.
package enum NetworkReaction: Hashable, Sendable, ExpressibleByArrayLiteral {
  /// These are all; none removes them.
  case all([String])
  /// One more reaction, if a person may give several; otherwise one that replaces the others.
  case given(String)
  case removed(String)

  package init(arrayLiteral emoji: String...) { self = .all(emoji) }

  private func isAmong(_ list: [String], _ emoji: String) -> Bool {
    list.contains { Reaction.same($0, emoji) }
  }

  /// The person's reactions after it; nil if it has no emoji that this program knows.
  package func applied(to former: [String], asOne: Bool) -> [String]? {
    switch self {
    case .all(let all):
      var known: [String] = []
      for emoji in all where Reaction.isEmoji(emoji) && !isAmong(known, emoji) {
        known.append(emoji)
      }
      if known.isEmpty, !all.isEmpty { return nil }
      return Array(known.prefix(asOne ? 1 : Reaction.most))
    case .given(let emoji):
      guard Reaction.isEmoji(emoji) else { return nil }
      if asOne { return [emoji] }
      let isKnown = isAmong(former, emoji) || former.count >= Reaction.most
      return isKnown ? former : former + [emoji]
    case .removed(let emoji): return former.filter { !Reaction.same($0, emoji) }
    }
  }
}

extension Reaction {
  /// How many reactions of one person to a message the store keeps.
  package static let most = 20

  /// Whether a text is one emoji, as far as this program's Unicode knows.
  package static func isEmoji(_ text: String) -> Bool {
    guard text.count == 1, text.utf8.count <= 64, let first = text.unicodeScalars.first else {
      return false
    }
    if first.properties.isEmojiPresentation { return true }
    // Accept ❤ with or without a selector; 1️⃣, but not 1; emoji of a newer Unicode.
    if text.unicodeScalars.contains("\u{FE0F}") { return first.properties.isEmoji }
    return first.value > 0xFF && first.properties.isEmoji
      || (0x1F000...0x1FAFF).contains(first.value)
  }

  /// Whether two emoji are equal except for a presentation selector.
  package static func same(_ one: String, _ other: String) -> Bool {
    func bare(_ text: String) -> [Unicode.Scalar] {
      text.unicodeScalars.filter { $0 != "\u{FE0F}" && $0 != "\u{FE0E}" }
    }
    return bare(one) == bare(other)
  }
}
