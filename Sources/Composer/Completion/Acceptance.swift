// SPDX-License-Identifier: GPL-3.0-or-later
import StyledText

/// The change that accepting a candidate makes to the text (2.6), in a menu and by readline's own
/// functions.
package struct Acceptance {
  /// The whole word, on both sides of the caret: UTF-8 offsets into the text before the change.
  package var range: Range<Int>
  package var insert: String
  /// A UTF-8 offset into the text after the change.
  package var caret: Int
  /// The prefix and the name in the text after the change, without the addition after them.
  var mention: Range<Int>
  /// Whether it is a folder, or a filter such as `from:`, so that the next key begins the name of
  /// something in it.
  var goesOn: Bool

  /// One space follows the word: a space that is already there is kept, and none is added before a
  /// closing bracket.
  ///
  /// - Parameters:
  ///   - candidate: what was chosen; not an empty one.
  ///   - word: the word it was chosen for; with an empty prefix it is an argument.
  ///   - rules: the rules of the word's prefix.
  ///   - text: the text the word was found in.
  package init(of candidate: Candidate, for word: FoundWord, _ rules: PrefixRules, in text: String)
  {
    let name = Self.insertable(candidate.text)
    insert =
      rules.replacement.map { Self.insertable($0(candidate)) } ?? word.prefix + name
    range = word.range
    mention = range.lowerBound..<(range.lowerBound + insert.utf8.count)
    goesOn = word.prefix.isEmpty && (name.hasSuffix("/") || name.hasSuffix(":"))
    if range.lowerBound == 0 { insert += rules.behindAtLineStart }
    caret = range.lowerBound + insert.utf8.count
    if goesOn { return }
    // A space that carries a combining mark does not separate words.
    switch text.slice(range.upperBound..<text.utf8.count).first {
    case " ": caret += 1
    case "\t", ")", "]", "}", "\"", "'": break
    default:
      insert += " "
      caret += 1
    }
  }

  /// Whether the caret moves over a space that was already after the word.
  var stepsOverSpace: Bool { caret > range.lowerBound + insert.utf8.count }

  /// The text of a candidate without control characters, which must not be typed: another person
  /// may have chosen the text.
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
