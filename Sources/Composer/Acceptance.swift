// SPDX-License-Identifier: GPL-3.0-or-later

/// What accepting a candidate does to the text (2.6).
///
/// ```swift
/// let change = Acceptance.replacement(for: Candidate("Anna"), word: found, in: text)
/// bar.composed.replace(change.range, with: change.insert, caret: change.caret)  // "@Anna: |"
/// ```
public enum Acceptance {
  /// The change that accepts a candidate. The whole word goes, on both sides of the caret.
  ///
  /// The prefix stays. An emoji (prefix `:` or `+:`) is its character if one is given, otherwise its
  /// shortcode with the closing colon; the `+` of a reaction stays either way. Behind it stands one
  /// space: one that is there already serves, and a bracket that closes around the word needs none.
  /// A mention at the very start of the text gets a colon.
  ///
  /// ```swift
  /// // "@an|" with the candidate Anna: "@Anna: |"
  /// ```
  ///
  /// - Parameters:
  ///   - candidate: what was chosen; an empty one changes nothing and leaves the caret.
  ///   - word: the word it was chosen for.
  ///   - text: the text the word was found in.
  ///   - emojiReplacement: the emoji itself; nil keeps the shortcode.
  /// - Returns: the range to replace and the new caret, UTF-8 offsets before and after the change.
  public static func replacement(
    for candidate: Candidate, word: FoundWord, in text: String, emojiReplacement: String? = nil
  ) -> (range: Range<Int>, insert: String, caret: Int) {
    guard !candidate.text.isEmpty else { return (word.caret..<word.caret, "", word.caret) }
    var insert = word.prefix
    if word.prefix.hasSuffix(":") {
      if let emojiReplacement {
        insert.removeLast()
        insert += emojiReplacement
      } else {
        insert += candidate.text.hasSuffix(":") ? candidate.text : candidate.text + ":"
      }
    } else {
      insert += candidate.text
      if word.prefix == "@" && word.range.lowerBound == 0 { insert += ":" }
    }
    // A space that carries a combining mark is no space to stand behind.
    let following = text.slice(word.range.upperBound..<text.utf8.count).first
    let behind = word.range.lowerBound + insert.utf8.count
    switch following {
    case " ": return (word.range, insert, behind + 1)
    case "\t", ")", "]", "}", "\"", "'": return (word.range, insert, behind)
    default: return (word.range, insert + " ", behind + 1)
    }
  }
}
