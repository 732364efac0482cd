// SPDX-License-Identifier: GPL-3.0-or-later

/// The words of a text that start no session: those just accepted (2.3), and the one whose menu was
/// closed (2.7). Ranges are UTF-8 offsets and move with the text.
struct HandledWords {
  /// Stored as spans only because spans move with the text.
  private var accepted: [Span] = []
  /// The start of the word, which stays the same while the rest of the word is typed.
  private var dismissed: Span?

  var isEmpty: Bool { accepted.isEmpty && dismissed == nil }

  mutating func accept(_ word: Range<Int>) {
    accepted.append(Span(range: word, identity: ""))
  }

  /// - Parameter start: the range of the prefix; empty without a prefix.
  mutating func dismiss(start: Range<Int>) {
    dismissed = Span(range: start, identity: "")
  }

  mutating func allowDismissed() {
    dismissed = nil
  }

  mutating func moveAlong(replacing replaced: Range<Int>, with count: Int) {
    accepted = Span.adjusted(accepted, replacing: replaced, with: count)
    dismissed = dismissed.flatMap {
      Span.adjusted([$0], replacing: replaced, with: count).first
    }
  }

  /// Whether a word was accepted and has not been edited since; forgets one that was edited. The
  /// colon that accepting adds after a mention is not part of the word. If a name has several
  /// words, each of them counts as accepted.
  mutating func isAccepted(_ word: Range<Int>, in text: String) -> Bool {
    if let end = accepted.first(where: { $0.range.lowerBound == word.lowerBound })?.range
      .upperBound,
      word.upperBound <= end || text.slice(end..<word.upperBound) == ":"
    {
      return true
    }
    accepted.removeAll { $0.range.lowerBound == word.lowerBound }
    return false
  }

  /// Whether the menu of the word that begins here was closed. Another word ends this state.
  mutating func isDismissed(start: Range<Int>) -> Bool {
    if dismissed?.range == start { return true }
    dismissed = nil
    return false
  }
}
