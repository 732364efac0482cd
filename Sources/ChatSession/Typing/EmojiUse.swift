// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations

/// The emoji to complete, those first that I use most often and used last.
@MainActor
final class EmojiUse: SessionPart {
  unowned let session: Session
  /// Nil while something may have been used since.
  private var known: [Candidate]?

  init(_ session: Session) { self.session = session }

  /// A line was sent.
  func mayHaveChanged() { known = nil }

  /// The lines of the input history that are looked at; what is older says little of what is wanted.
  private static let lines = 1000

  var candidates: [Candidate] {
    if let known { return known }
    let table = session.preferences.emoji
    let lines =
      (try? store.read {
        try $0.history(of: me.id, shell: session.shellID ?? "", limit: Self.lines)
      }) ?? []
    var weights: [String: Int] = [:]
    // One use now is worth twenty of a thousand lines ago.
    for (age, line) in lines.reversed().enumerated() {
      for emoji in table.used(in: line) { weights[emoji, default: 0] += 10_000 / (age + 50) }
    }
    var candidates = table.candidates
    if !weights.isEmpty {
      for place in candidates.indices {
        if let weight = weights[candidates[place].hint] { candidates[place].recency = weight }
      }
    }
    known = candidates
    return candidates
  }
}
