// SPDX-License-Identifier: GPL-3.0-or-later
import StyledText

/// The word that is completed: one behind a prefix, the argument of a command, or a bare word
/// (2.1, 2.8, 2.12). An argument has no prefix, nor has a bare word.
struct CompletionTopic {
  var found: FoundWord
  var rules: PrefixRules
  var offered: [Candidate] = []
  var hint: SafeText?
  /// Only TAB opens a menu for it (2.12).
  var isBare = false

  var isArgument: Bool { found.prefix.isEmpty }

  /// Where the word begins, with its prefix: what stays the same while it is typed.
  var start: Range<Int> {
    found.range.lowerBound..<(found.range.lowerBound + found.prefix.utf8.count)
  }

  /// What the source of the prefix is asked.
  func sourceQuestion(in line: ComposedText) -> CompletionQuestion {
    CompletionQuestion(
      prefix: found.prefix, word: found.word, text: line.text, caret: line.caret)
  }
}

extension CompletionTopic {
  /// What there is to complete at the caret; nil where there is nothing, or a region is active (2.3).
  ///
  /// - Parameters:
  ///   - settled: the words that were accepted; they are not completed again.
  ///   - byTab: bare words count too.
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
    let known = argumentSource.flatMap { Self.argument(of: $0, in: text, caret: caret) }
    if byTab, known?.candidates.isEmpty ?? true,
      let bare = argumentSource.flatMap({ Self.bareWord(of: $0, in: text, caret: caret) }),
      !settled.isAccepted(bare.found.range, in: text)
    {
      self.init(
        found: bare.found, rules: PrefixRules(behindAtLineStart: bare.behindAtLineStart),
        offered: bare.candidates, hint: known?.hint, isBare: true)
      return
    }
    guard let known else { return nil }
    let isDone = settled.isAccepted(known.found.range, in: text)
    self.init(
      found: known.found, rules: PrefixRules(), offered: isDone ? [] : known.candidates,
      hint: known.hint)
  }

  private static func argument(
    of source: any ArgumentSource, in text: String, caret: Int
  ) -> (found: FoundWord, candidates: [Candidate], hint: SafeText?)? {
    guard let argument = source.argument(in: text, caret: caret), isWhole(argument.range, text),
      (argument.range.lowerBound...argument.range.upperBound) ~= caret
    else { return nil }
    let found = FoundWord(prefix: "", word: argument.word, range: argument.range, caret: caret)
    return (found, argument.candidates, argument.hint)
  }

  private static func bareWord(
    of source: any ArgumentSource, in text: String, caret: Int
  ) -> (found: FoundWord, candidates: [Candidate], behindAtLineStart: String)? {
    guard let bare = source.bareWord(in: text, caret: caret), isWhole(bare.range, text),
      bare.range.lowerBound < caret, caret <= bare.range.upperBound
    else { return nil }
    let found = FoundWord(prefix: "", word: bare.word, range: bare.range, caret: caret)
    return (found, bare.candidates, bare.behindAtLineStart)
  }

  /// Whether a range is one of this text and cuts no grapheme.
  private static func isWhole(_ range: Range<Int>, _ text: String) -> Bool {
    0 <= range.lowerBound && range.upperBound <= text.utf8.count
      && [range.lowerBound, range.upperBound].allSatisfy {
        Motion.clampedToGrapheme(in: text, offset: $0) == $0
      }
  }
}
