// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations

/// The emoji to complete, those first that I use most often and used last.
@MainActor
struct EmojiUse {
  /// Nil while something may have been used since.
  private var known: [Candidate]?

  /// A line was sent.
  mutating func mayHaveChanged() { known = nil }

  /// The lines of the input history that are looked at; what is older says little of what is wanted.
  private static let lines = 1000

  /// - Parameter shell: this one, if others know of it.
  mutating func candidates(
    of me: ID<Participant>, _ shell: ShellID?, _ table: EmojiTable,
    _ snapshot: borrowing Snapshot
  ) -> [Candidate] {
    if let known { return known }
    let lines = (try? snapshot.inputHistory(of: me, shell: shell ?? "", limit: Self.lines)) ?? []
    var weights: [String: Int] = [:]
    // One use now is worth twenty of a thousand lines ago.
    for (age, line) in lines.reversed().enumerated() {
      for emoji in table.used(in: line) { weights[emoji, default: 0] += 10_000 / (age + 50) }
    }
    var candidates = table.candidates
    if !weights.isEmpty {
      for index in candidates.indices {
        if let weight = weights[candidates[index].hint] { candidates[index].recency = weight }
      }
    }
    known = candidates
    return candidates
  }
}
