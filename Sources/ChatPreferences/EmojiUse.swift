// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations

/// The emoji to complete, the person's most frequent and most recent ones first.
@MainActor
package struct EmojiUse {
  /// The emoji to complete; nil if the person may have used some since they were sorted.
  private var known: [Candidate]?

  package init() {}

  /// Call this after a line is sent.
  package mutating func mayHaveChanged() { known = nil }

  /// How many lines of the input history count; older ones say little about current taste.
  private static let lines = 1000

  /// - Parameter shell: this shell, if it is in the store.
  package mutating func candidates(
    of me: ID<Participant>, _ shell: ShellID?, _ table: EmojiTable,
    _ snapshot: borrowing Snapshot
  ) -> [Candidate] {
    if let known { return known }
    let lines = (try? snapshot.inputHistory(of: me, shell: shell ?? "", limit: Self.lines)) ?? []
    var weights: [String: Int] = [:]
    // One use now outweighs twenty uses a thousand lines ago.
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
