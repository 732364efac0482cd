// SPDX-License-Identifier: GPL-3.0-or-later
import StyledText

extension CompletionSession {
  /// What a key did.
  ///
  /// ```swift
  /// let done = session.tab(text: text, caret: caret, regionActive: false)
  /// if case .replace(let range, let new, let caret, _) = done {
  ///   bar.composed.replace(range, with: new, caret: caret)
  /// }
  /// ```
  public enum Action: Hashable, Sendable {
    /// The key is not the menu's: it is the line's.
    case notMine
    /// The key was for the menu; the text stays.
    case none
    /// There is nothing to complete.
    case bell
    /// Replace the bytes of `range` and put the caret at `caret`, an offset after the change.
    /// `accepted` is nil where only the common part was filled in.
    case replace(range: Range<Int>, with: String, caret: Int, accepted: AcceptedCandidate?)
  }
}

/// What was accepted, for a span that knows who is meant (2.10).
///
/// ```swift
/// if let identity = accepted.candidate.identity {
///   spans.append(Span(range: accepted.range, identity: identity))
/// }
/// ```
public struct AcceptedCandidate: Hashable, Sendable {
  public var candidate: Candidate
  /// The prefix it was accepted under; empty for an argument.
  public var prefix: String
  /// Where it stands in the new text, prefix included, without the colon and the space behind it:
  /// UTF-8 offsets.
  public var range: Range<Int>

  public init(_ candidate: Candidate, prefix: String, range: Range<Int>) {
    self.candidate = candidate
    self.prefix = prefix
    self.range = range
  }
}

/// The change that accepts a candidate in a session: `Acceptance`, and what it leaves to the caller.
struct CompletionChange {
  /// UTF-8 offsets into the text before.
  var range: Range<Int>
  var insert: String
  /// A UTF-8 offset into the text after.
  var caret: Int
  /// Where prefix and name stand in the text after.
  var mention: Range<Int>
  /// It is a folder, or a filter such as `from:`: the next key names what is in it.
  var goesOn: Bool

  /// - Parameter word: with an empty prefix it is an argument.
  init(
    accepting candidate: Candidate, for word: FoundWord, in text: String, emojiAsCharacter: Bool
  ) {
    let isEmoji = word.prefix.hasSuffix(":")
    let asCharacter = isEmoji && emojiAsCharacter && !candidate.hint.isEmpty
    let name = Self.insertable(candidate.text)
    (range, insert, caret) = Acceptance.replacement(
      for: Candidate(name), word: word, in: text,
      emojiReplacement: asCharacter ? Self.insertable(candidate.hint) : nil)
    goesOn = word.prefix.isEmpty && (name.hasSuffix("/") || name.hasSuffix(":"))
    if goesOn {
      insert = name
      caret = range.lowerBound + name.utf8.count
    }
    var count = word.prefix.utf8.count + name.utf8.count
    if isEmoji { count = insert.utf8.count - (insert.hasSuffix(" ") ? 1 : 0) }
    mention = range.lowerBound..<(range.lowerBound + count)
  }

  /// A candidate comes from elsewhere: what it holds of control characters must not be typed.
  private static func insertable(_ text: String) -> String {
    let isPlain = text.unicodeScalars.allSatisfy {
      switch $0.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator: false
      default: true
      }
    }
    return isPlain ? text : SafeText(line: text).string
  }
}
