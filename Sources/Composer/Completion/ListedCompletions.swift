// SPDX-License-Identifier: GPL-3.0-or-later
import StyledText

/// The possible completions of the word at the caret, for a line editor's own completion functions
/// (2.11).
///
/// ```swift
/// if let found = controller.completions(in: text, caret: caret) { list(found.choices.map(\.label)) }
/// ```
public struct Completions: Sendable {
  /// One possible completion.
  ///
  /// ```swift
  /// found.choices[0].text  // "@anna"
  /// ```
  public struct Choice: Sendable {
    /// The text that replaces the word, including its prefix.
    public var text: String
    /// What a list of the possibilities shows.
    public var label: SafeText
    /// The change that accepting it makes, if it is the only choice.
    let acceptance: Acceptance?

    package init(text: String, label: SafeText, _ acceptance: Acceptance? = nil) {
      (self.text, self.label, self.acceptance) = (text, label, acceptance)
    }
  }

  /// The bytes of the line that a choice replaces: the whole word, on both sides of the caret.
  public var word: Range<Int>
  public var choices: [Choice]
  /// The text that replaces the word: the common beginning of several choices, or the text of the
  /// only choice with the space after it.
  public var common: String
  /// Whether a space already follows the word, so that the caret moves over it.
  public var stepsOverSpace: Bool

  package init(
    word: Range<Int>, choices: [Choice], common: String, stepsOverSpace: Bool = false
  ) {
    self.word = word
    self.choices = choices
    self.common = common
    self.stepsOverSpace = stepsOverSpace
  }

  /// One of the choices, alone.
  ///
  /// - Parameter number: from 1, in the order of ``choices``.
  public func choice(_ number: Int) -> Completions? {
    guard choices.indices.contains(number - 1),
      let accepted = choices[number - 1].acceptance
    else { return nil }
    let only = Choice(text: accepted.insert, label: choices[number - 1].label)
    return Completions(
      word: accepted.range, choices: [only], common: accepted.insert,
      stepsOverSpace: accepted.stepsOverSpace)
  }
}

extension CompletionSession {
  /// The possible completions of the word at `caret` (a UTF-8 offset), by the menu's sources and
  /// rules.
  package func completions(in text: String, caret: Int) -> Completions? {
    var settled = settled
    let line = ComposedText(text, caret: caret)
    guard
      let topic = CompletionTopic(
        in: line, registry: registry, argumentSource: argumentSource, settled: &settled, byTab: true
      )
    else { return nil }
    let source = registry.source(for: topic.found.prefix)
    let candidates =
      topic.isArgument
      ? topic.offered : (try? source?.candidates(for: topic.sourceQuestion(in: line))) ?? []
    return completions(candidates, topic.found, topic.rules, text)
  }

  private func completions(
    _ all: [Candidate], _ found: FoundWord, _ rules: PrefixRules, _ text: String
  ) -> Completions? {
    let ranked = Ranking.candidates(
      all, matching: found.word, order: registry.order, oneForEachHint: rules.oneForEachHint)
    let matching = ranked.beginning.isEmpty ? ranked.containing : ranked.beginning
    if matching.isEmpty { return nil }
    let label = { (candidate: Candidate) in
      found.prefix.isEmpty
        ? SafeText(line: candidate.mark + candidate.text)
        : SafeText(line: candidate.mark + found.prefix) + SafeText(name: candidate.text)
    }
    var choices: [Completions.Choice] = []
    // readline drops a text that is equal to the previous one, and the numbers here must match
    // readline's.
    for candidate in matching where choices.last?.text != found.prefix + candidate.text {
      choices.append(
        Completions.Choice(
          text: found.prefix + candidate.text, label: label(candidate),
          Acceptance(of: candidate, for: found, rules, in: text)))
    }
    // A command typed in full wins, even if longer ones begin with it.
    let exact =
      rules.lineStartOnly ? choices.firstIndex { $0.text == found.prefix + found.word } : nil
    let all = Completions(
      word: found.range, choices: choices,
      common: found.prefix + Ranking.commonPart(of: matching, typed: found.word))
    return exact.flatMap { all.choice($0 + 1) } ?? (choices.count == 1 ? all.choice(1) : all)
  }
}
