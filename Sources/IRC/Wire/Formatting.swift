// SPDX-License-Identifier: GPL-3.0-or-later

/// The formatting codes of IRC (modern.ircdocs.horse, "Formatting") as our symbols (rule 6.1).
enum Formatting {
  /// The codes that have symbols. Other codes, such as colours and underlining, are removed.
  private static let symbols: [Unicode.Scalar: Character] = [
    "\u{02}": "*", "\u{1D}": "_", "\u{1E}": "~", "\u{11}": "`",
  ]
  private static let others: Set<Unicode.Scalar> = ["\u{16}", "\u{1F}"]

  /// The text with symbols in place of codes. A style that begins or ends inside a word gets no
  /// symbols, since nobody would read them as a style.
  static func marked(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: { $0.value < 0x20 }) else { return text }
    var runs: [(text: String, symbols: [Character])] = [("", [])]
    var open: [Character] = []
    var rest = text.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      if let symbol = symbols[scalar] {
        if let index = open.firstIndex(of: symbol) {
          open.remove(at: index)
        } else {
          open.append(symbol)
        }
        runs.append(("", open))
      } else if scalar == "\u{0F}" {
        open = []
        runs.append(("", open))
      } else if scalar == "\u{03}" {
        skipColour(&rest, 1...2) { ("0"..."9").contains($0) }
      } else if scalar == "\u{04}" {
        skipColour(&rest, 6...6) { $0.properties.isASCIIHexDigit }
      } else if !others.contains(scalar) {
        runs[runs.count - 1].text.unicodeScalars.append(scalar)
      }
    }
    return joinedRuns(runs.filter { !$0.text.isEmpty })
  }

  private static func joinedRuns(_ runs: [(text: String, symbols: [Character])]) -> String {
    var result = ""
    for (index, run) in runs.enumerated() {
      let next = index + 1 < runs.count ? runs[index + 1].text.first : nil
      let inner = run.text.drop(while: \.isWhitespace)
      let lead = run.text.prefix(run.text.count - inner.count)
      let word = String(inner.reversed().drop(while: \.isWhitespace).reversed())
      let trail = inner.dropFirst(word.count)
      let startsWord = !lead.isEmpty || result.last.map { !$0.isLetter && !$0.isNumber } ?? true
      let endsWord = !trail.isEmpty || next.map { !$0.isLetter && !$0.isNumber } ?? true
      let marks =
        word.isEmpty || !startsWord || !endsWord || word.contains(where: \.isNewline)
        ? [] : run.symbols
      result += String(lead) + String(marks) + word + String(marks.reversed()) + String(trail)
    }
    return result
  }

  /// Skips one colour, or two with a comma between them.
  ///
  /// - Parameter lengths: how many digits a colour may have.
  private static func skipColour(
    _ rest: inout Substring.UnicodeScalarView, _ lengths: ClosedRange<Int>,
    isDigit: (Unicode.Scalar) -> Bool
  ) {
    func end(of text: Substring.UnicodeScalarView) -> Substring.UnicodeScalarView? {
      let count = text.prefix(lengths.upperBound).prefix(while: isDigit).count
      return lengths.contains(count) ? text.dropFirst(count) : nil
    }
    guard let first = end(of: rest) else { return }
    rest = first.first == "," ? end(of: first.dropFirst()) ?? first : first
  }
}
