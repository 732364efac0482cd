// SPDX-License-Identifier: GPL-3.0-or-later
import StyledText

/// The candidates for a word, in order, and the few of them that are visible (2.7).
struct CompletionMenu {
  let index: CandidateIndex
  private(set) var matches = CandidateIndex.Matches()
  /// The maximum number of candidates visible at a time.
  private(set) var limit: Int
  /// The visible ones, from the one at position `top` on.
  private(set) var shown: [Int32] = []
  /// How many come before the first visible one.
  private(set) var top = 0
  /// The position of the selected one; nil until the menu is entered.
  private(set) var selected: Int?
  private var word: String
  private var folded: [UInt8] = []
  /// The matches of the word's earlier, shorter forms, so that Backspace is as cheap as a letter.
  private var trail: [(word: [UInt8], matches: CandidateIndex.Matches)] = []

  init(_ index: CandidateIndex, matching word: String, limit: Int) {
    self.index = index
    self.word = word
    self.limit = max(1, limit)
    match(word)
  }

  var count: Int { matches.count }
  var isEmpty: Bool { matches.count == 0 }

  var selectedCandidate: Candidate? {
    selected.map { index.list[Int(shown[$0 - top])] }
  }

  /// Matches another word. If it extends an earlier one, only that one's matches are searched.
  mutating func match(_ word: String) {
    self.word = word
    folded = Array(MatchFolding.folded(word).utf8)
    while let last = trail.last, !folded.starts(with: last.word) { trail.removeLast() }
    let old = matches
    if trail.last?.word != folded {
      trail.append((folded, index.matches(of: folded, among: trail.last)))
    }
    matches = trail.last.map { index.once($0.matches) } ?? matches
    // If the letter rules no candidate out, the first ones stay the first.
    if top == 0, !shown.isEmpty, old.beginning == matches.beginning,
      old.containing == matches.containing
    {
      selected = nil
    } else {
      showFirst()
    }
  }

  // MARK: Moving

  /// Selects the first candidate.
  mutating func enter() {
    guard !isEmpty else { return }
    showFirst()
    selected = 0
  }

  mutating func leave() {
    selected = nil
  }

  /// Selects the next one (1) or the previous one (−1); after the last comes the first.
  mutating func move(_ step: Int) {
    guard let old = selected, !isEmpty else { return }
    let new = old + step
    if new >= count {
      enter()
    } else if new < 0 {
      shown = last(limit)
      top = count - shown.count
      selected = count - 1
    } else {
      if new < top {
        shown = last(1, before: shown.first) + shown.dropLast()
        top = new
      } else if new >= top + shown.count {
        shown = Array(shown.dropFirst()) + first(1, behind: shown.last)
        top += 1
      }
      selected = new
    }
  }

  /// Selects a candidate that the user had selected in another list, in the same row if possible.
  /// If it is gone, selects the first one.
  mutating func select(_ candidate: Candidate, row: Int) {
    let entry = index.list.firstIndex {
      $0.identity == candidate.identity && $0.text.hasSameBytes(as: candidate.text)
    }.map(Int32.init)
    guard let entry, let position = position(of: entry) else { return enter() }
    let above = last(row, before: entry)
    shown = above + [entry] + first(limit - above.count - 1, behind: entry)
    if shown.count < limit { shown = last(limit - shown.count, before: shown.first) + shown }
    top = position - (shown.firstIndex(of: entry) ?? 0)
    selected = position
  }

  mutating func resize(to limit: Int) {
    self.limit = max(1, limit)
    let (old, row) = (selectedCandidate, (selected ?? 0) - top)
    showFirst()
    if let old { select(old, row: min(row, self.limit - 1)) }
  }

  private mutating func showFirst() {
    shown = first(limit)
    top = 0
    selected = nil
  }

  // MARK: Order

  private func position(of candidate: Int32) -> Int? {
    if matches.beginning.contains(candidate) {
      return index.position(of: candidate, in: matches.beginning)
    }
    guard matches.containing.contains(candidate) else { return nil }
    return matches.beginning.count + index.position(of: candidate, in: matches.containing)
  }

  private func first(_ count: Int, behind pivot: Int32? = nil) -> [Int32] {
    if let pivot, !begins(pivot) {
      return index.first(count, behind: pivot, of: matches.containing)
    }
    let found = index.first(count, behind: pivot, of: matches.beginning)
    return found + index.first(count - found.count, of: matches.containing)
  }

  private func last(_ count: Int, before pivot: Int32? = nil) -> [Int32] {
    if let pivot, begins(pivot) {
      return index.last(count, before: pivot, of: matches.beginning)
    }
    let found = index.last(count, before: pivot, of: matches.containing)
    return index.last(count - found.count, of: matches.beginning) + found
  }

  private func begins(_ candidate: Int32) -> Bool {
    index.list[Int(candidate)].folded.utf8.starts(with: folded)
  }

  // MARK: What TAB makes of it (2.5)

  /// Those that count for TAB: the ones that begin with the word, or else the others.
  private var counting: [Int32] {
    matches.beginning.isEmpty ? matches.containing : matches.beginning
  }

  /// The only candidate that counts.
  var onlyCandidate: Candidate? {
    counting.count == 1 ? counting.first.map { index.list[Int($0)] } : nil
  }

  /// The candidate that is the word itself, letter by letter.
  var exactCandidate: Candidate? {
    guard !word.isEmpty else { return nil }
    return matches.beginning.lazy.map { index.list[Int($0)] }
      .first { $0.text.hasSameBytes(as: word) }
  }

  /// The common beginning of the candidates that count for TAB, if it is longer than the word; nil
  /// otherwise.
  ///
  /// It ends before white space and control characters, since another word would begin after them.
  var longerCommonPart: String? {
    guard let best = index.first(1, of: counting).first else { return nil }
    let some = ([best] + index.prefixWitnesses(of: counting)).map { index.list[Int($0)] }
    let common = Ranking.commonPart(of: some, typed: word).prefix {
      !$0.isWhitespace && !$0.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }
    let isLonger = MatchFolding.folded(String(common)).utf8.count > folded.count
    return isLonger ? String(common) : nil
  }

  // MARK: Drawing

  /// Returns one row for each visible candidate, then one that says how many more there are.
  ///
  /// - Parameter prefix: drawn before each candidate.
  func rows(prefix: SafeText, columns: Int, widths: Widths) -> [StyledLine] {
    var rows = shown.enumerated().map { row, entry in
      let line = line(
        for: index.list[Int(entry)], prefix, isSelected: selected == top + row, atMost: columns)
      return line.truncated(to: columns, widths: widths)
    }
    if count > shown.count {
      let more = say("(+%1 more)", SafeText(count - shown.count))
      rows.append(StyledLine(more, .dim).truncated(to: columns, widths: widths))
    }
    return rows
  }

  private func line(
    for candidate: Candidate, _ prefix: SafeText, isSelected: Bool, atMost columns: Int
  ) -> StyledLine {
    let style = isSelected ? Style.reverse : .plain
    var marked = style
    marked.attributes.formUnion([.bold, .underline])
    // Draw only as much of a very long name as can be visible.
    let name = SafeText(name: String(candidate.text.prefix(2 * columns + 8)))
    var warning = style
    warning.attributes.insert(.bold)
    warning.foreground = .red
    var line = StyledLine(SafeText(line: candidate.mark), warning) + StyledLine(prefix, style)
    if let match = Ranking.match(of: word, in: name.string) {
      let start = name.string.index(atByte: match.lowerBound)
      let end = name.string.index(atByte: match.upperBound)
      line.append(name[..<start], style)
      line.append(name[start..<end], marked)
      line.append(name[end...], style)
    } else {
      line.append(name, style)
    }
    if !candidate.hint.isEmpty {
      var dim = style
      dim.attributes.insert(.dim)
      line.append("  ", style)
      line.append(SafeText(line: String(candidate.hint.prefix(2 * columns + 8))), dim)
    }
    return line
  }
}
