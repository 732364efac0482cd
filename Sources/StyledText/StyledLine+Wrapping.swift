// SPDX-License-Identifier: GPL-3.0-or-later

extension StyledLine {
  /// The line in rows, broken between words; all but the first begin at the margin, or at a third of
  /// the screen where that is less (rule 13.7). In linear time.
  ///
  /// What has no blanks and is wider than a row is broken where the row ends, but for an address: it
  /// stays whole, for the terminal to wrap, so that it is copied whole. Between wide characters, which
  /// are written without blanks, the line may be broken as it may be between words.
  ///
  /// ```swift
  /// print(line.wrapped(at: 80, widths: widths))
  /// ```
  ///
  /// - Parameters:
  ///   - columns: how wide a row may be.
  ///   - widths: how the terminal counts columns.
  /// - Returns: the rows, without the blanks at which they were broken.
  public func wrapped(at columns: Int, widths: Widths) -> [StyledLine] {
    if fits(in: columns, widths) { return [self] }
    let indent = max(0, min(margin, columns / 3))
    let text = plain.string
    var wrap = WordWrap(text, columns: columns, margin: margin, indent: indent, widths: widths)
    var pieces: [Range<Int>] = []
    while let row = wrap.nextRow() { pieces.append(row) }
    let blanks = SafeText(line: String(repeating: " ", count: indent))
    return cut(pieces).enumerated().map { number, piece in
      var row = number == 0 ? piece : StyledLine(blanks) + piece
      row.margin = margin
      return row
    }
  }

  /// Whether it takes no more than so many columns.
  private func fits(in columns: Int, _ widths: Widths) -> Bool {
    // Nothing but a tab takes more columns than bytes, so most lines need no counting.
    let bytes = runs.reduce(0) { $0 + $1.text.string.utf8.count }
    let mayFit = bytes <= columns && !runs.contains { $0.text.string.utf8.contains(0x09) }
    return mayFit || self.columns(widths) <= columns
  }

  /// Parts of the line.
  ///
  /// - Parameter ranges: places in its text, in bytes, ascending.
  private func cut(_ ranges: [Range<Int>]) -> [StyledLine] {
    var rest = runs[...]
    var start = 0
    return ranges.map { range in
      var part = StyledLine()
      while let run = rest.first, start < range.upperBound {
        let end = start + run.text.string.utf8.count
        let shared = range.clamped(to: start..<end)
        if !shared.isEmpty {
          part.append(
            run.text.bytes((shared.lowerBound - start)..<(shared.upperBound - start)), run.style,
            link: run.link)
        }
        if end > range.upperBound { break }
        start = end
        rest.removeFirst()
      }
      return part
    }
  }
}

/// Goes through a text and finds its rows.
private struct WordWrap {
  private let text: String
  private let columns: Int
  private let indent: Int
  private let widths: Widths
  /// Where the text begins behind what stands before it, which is broken only where no room is left.
  private let textStart: String.Index
  /// Where the next row begins; nil behind the last one.
  private var start: String.Index?
  /// The addresses of the text from here on, once one had to be looked for.
  private var addresses: ArraySlice<Range<Int>>?

  init(_ text: String, columns: Int, margin: Int, indent: Int, widths: Widths) {
    self.text = text
    self.columns = columns
    self.indent = indent
    self.widths = widths
    start = text.startIndex
    var (at, column) = (text.startIndex, 0)
    while column < margin, at < text.endIndex {
      column = widths.column(after: text[at], at: column)
      at = text.index(after: at)
    }
    textStart = at
  }

  private func isBlank(_ character: Character) -> Bool { character == " " || character == "\t" }

  /// The next row in bytes, without the blanks at its end; nil when there is none.
  mutating func nextRow() -> Range<Int>? {
    guard let start else { return nil }
    let isFirst = start == text.startIndex
    var column = isFirst ? 0 : indent
    /// Where the next row may begin.
    var next: String.Index?
    /// Something else than blanks stands in the row, behind what stands before the text.
    var hasWord = false
    var before: (character: Character, columns: Int)?
    var at = start
    while at < text.endIndex {
      let character = text[at]
      let end = widths.column(after: character, at: column)
      if isBlank(character) {
        before = nil
      } else {
        // What stands before the text may be all there is in its row where the others have more room.
        let mayBreak = at >= textStart && (hasWord || isFirst && at == textStart && column > indent)
        if mayBreak, before.map({ isGap($0, (character, end - column)) }) ?? true { next = at }
        if end > columns, at > start { return row(from: start, overflowingAt: at, next: next) }
        hasWord = hasWord || at >= textStart
        before = (character, end - column)
      }
      column = end
      at = text.index(after: at)
    }
    self.start = nil
    // Blanks at its end would make a row of their own.
    return offset(start)..<offset(column > columns ? endOfWords(from: start, to: at) : at)
  }

  /// The row that has no room for what stands at a place.
  private mutating func row(
    from start: String.Index, overflowingAt place: String.Index, next: String.Index?
  ) -> Range<Int> {
    let end = next ?? endOfAddress(at: place) ?? place
    let following = text[end...].firstIndex { !isBlank($0) }
    self.start = following
    return offset(start)..<offset(endOfWords(from: start, to: end))
  }

  private func endOfWords(from start: String.Index, to end: String.Index) -> String.Index {
    text[start..<end].lastIndex { !isBlank($0) }.map { text.index(after: $0) } ?? start
  }

  /// Where an address ends that goes over a place, with what is written to it. Only ASCII is left for
  /// the terminal to wrap, none of which looks like a blank: it begins a row where a message would
  /// (rule 12.2).
  private mutating func endOfAddress(at place: String.Index) -> String.Index? {
    let here = offset(place)
    var rest = addresses ?? WebAddresses.ranges(in: text)[...]
    defer { addresses = rest }
    while let first = rest.first, first.upperBound <= here { rest.removeFirst() }
    guard let address = rest.first, address.lowerBound < here else { return nil }
    let utf8 = text.utf8
    let start = utf8.index(text.startIndex, offsetBy: address.lowerBound)
    let end = utf8[start...].firstIndex { $0 <= 0x20 || $0 >= 0x80 } ?? text.endIndex
    // A part of it may be other letters, of which nothing is known.
    guard offset(end) >= address.upperBound else {
      rest.removeFirst()
      return nil
    }
    return end
  }

  /// Whether the line may be broken between two characters that no blank parts.
  private func isGap(
    _ left: (character: Character, columns: Int), _ right: (character: Character, columns: Int)
  ) -> Bool {
    guard left.columns == 2 || right.columns == 2 else { return false }
    switch left.character.unicodeScalars.first?.properties.generalCategory {
    case .openPunctuation, .initialPunctuation: return false
    default: break
    }
    switch right.character.unicodeScalars.first?.properties.generalCategory {
    case .closePunctuation, .finalPunctuation, .otherPunctuation, .modifierLetter: return false
    default: return right.columns > 0
    }
  }

  private func offset(_ index: String.Index) -> Int {
    text.utf8.distance(from: text.startIndex, to: index)
  }
}
