// SPDX-License-Identifier: GPL-3.0-or-later
import StyledText

/// The word that is completed: one after a prefix, the argument of a command, or a bare word (2.1,
/// 2.8, 2.12). Arguments and bare words have no prefix.
struct CompletionTopic {
  var found: FoundWord
  var rules: PrefixRules
  var offered: [Candidate] = []
  var hint: SafeText?
  /// Only TAB opens a menu for it (2.12).
  var isBare = false

  var isArgument: Bool { found.prefix.isEmpty }

  /// Where the word begins, with its prefix. This range stays the same while the word is typed.
  var start: Range<Int> {
    found.range.lowerBound..<(found.range.lowerBound + found.prefix.utf8.count)
  }

  /// The question for the source of the prefix.
  func sourceQuestion(in line: ComposedText) -> CompletionQuestion {
    CompletionQuestion(
      prefix: found.prefix, word: found.word, text: line.text, caret: line.caret)
  }
}

extension CompletionTopic {
  /// Finds the word to complete at the caret; nil without such a word or in an active region (2.3).
  ///
  /// - Parameters:
  ///   - settled: the words that were accepted; they are not completed again.
  ///   - byTab: whether bare words count as well.
  init?(
    in line: ComposedText, registry: CompletionRegistry, argumentSource: (any ArgumentSource)?,
    settled: inout HandledWords, byTab: Bool
  ) {
    guard line.region == nil else { return nil }
    let (text, caret) = (line.text, line.caret)
    if let found = registry.word(in: text, caret: caret), Self.isWhole(found.range, text),
      !settled.isAccepted(found.range, in: text)
    {
      self.init(found: found, rules: registry.rules(of: found.prefix))
      return
    }
    let known = argumentSource?.argument(in: text, caret: caret).flatMap { given in
      Self.found(given.word, at: given.range, in: line).map {
        (found: $0, candidates: given.candidates, hint: given.hint)
      }
    }
    if byTab, known?.candidates.isEmpty ?? true,
      let bare = argumentSource?.bareWord(in: text, caret: caret),
      let found = Self.found(bare.word, at: bare.range, in: line), found.range.lowerBound < caret,
      !settled.isAccepted(found.range, in: text)
    {
      self.init(
        found: found, rules: PrefixRules(behindAtLineStart: bare.behindAtLineStart),
        offered: bare.candidates, hint: known?.hint, isBare: true)
      return
    }
    guard let known else { return nil }
    let isDone = settled.isAccepted(known.found.range, in: text)
    self.init(
      found: known.found, rules: PrefixRules(), offered: isDone ? [] : known.candidates,
      hint: known.hint)
  }

  /// A word around the caret, without a prefix.
  private static func found(
    _ word: String, at range: Range<Int>, in line: ComposedText
  ) -> FoundWord? {
    guard isWhole(range, line.text), (range.lowerBound...range.upperBound) ~= line.caret else {
      return nil
    }
    return FoundWord(prefix: "", word: word, range: range, caret: line.caret)
  }

  /// Whether a range lies within this text and splits no grapheme.
  private static func isWhole(_ range: Range<Int>, _ text: String) -> Bool {
    0 <= range.lowerBound && range.upperBound <= text.utf8.count
      && [range.lowerBound, range.upperBound].allSatisfy {
        Motion.clampedToGrapheme(in: text, offset: $0) == $0
      }
  }
}
