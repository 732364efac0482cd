// SPDX-License-Identifier: GPL-3.0-or-later

extension StyledLine {
  /// The line in rows, broken between words. Rows after the first begin at the margin, or at a
  /// third of the screen if that is less (rule 13.7). Takes linear time.
  ///
  /// A word that is wider than a row is broken at the end of the row, except an address: the
  /// terminal wraps it, so that people can copy it whole. Between wide characters, which are
  /// written without blanks, the line may be broken as between words.
  ///
  /// ```swift
  /// print(line.wrapped(at: 80, widths: widths))
  /// ```
  ///
  /// - Parameters:
  ///   - columns: the maximum width of a row.
  ///   - widths: how the terminal counts columns.
  /// - Returns: the rows, without the blanks at which they were broken.
  public func wrapped(at columns: Int, widths: Widths) -> [StyledLine] {
    // Only a tab takes more columns than bytes, so most lines need no counting.
    let bytes = runs.reduce(0) { $0 + $1.text.string.utf8.count }
    if bytes <= columns, !runs.contains(where: { $0.text.string.utf8.contains(0x09) }) {
      return [self]
    }
    let text = plain.string
    if widths.columns(of: text) <= columns { return [self] }
    let indent = max(0, min(margin, columns / 3))
    let blanks = StyledRun(SafeText(unchecked: String(repeating: " ", count: indent)))
    return text.withUTF8Bytes { bytes in
      var wrap = WordWrap(
        text, bytes, columns: columns, margin: margin, indent: indent, widths: widths)
      var rows: [StyledLine] = []
      var cut = RunCutter(runs)
      while let range = wrap.nextRow() {
        var row = StyledLine(runs: rows.isEmpty || indent == 0 ? [] : [blanks])
        row.margin = margin
        cut.append(range, to: &row.runs)
        rows.append(row)
      }
      return rows
    }
  }
}

/// Cuts the runs where their text is cut, from the first to the last.
private struct RunCutter {
  private let runs: [StyledRun]
  private var index = 0
  /// Where the run at `index` begins, in bytes.
  private var start = 0

  init(_ runs: [StyledRun]) { self.runs = runs }

  /// - Parameter range: a part of the text in bytes, after the previous one.
  mutating func append(_ range: Range<Int>, to row: inout [StyledRun]) {
    while index < runs.count, start < range.upperBound {
      var run = runs[index]
      let end = start + run.text.string.utf8.count
      let shared = range.clamped(to: start..<end)
      if shared != start..<end {
        run.text = run.text.bytes((shared.lowerBound - start)..<(shared.upperBound - start))
      }
      if !shared.isEmpty { row.append(run) }
      if end > range.upperBound { return }
      start = end
      index += 1
    }
  }
}

/// Goes through a text and finds its rows. All positions are UTF-8 offsets.
private struct WordWrap {
  private let text: String
  private let bytes: UTF8Bytes
  private let columns: Int
  private let indent: Int
  private let widths: Widths
  /// Where the text begins, after its time and name, which are broken only if there is no room
  /// left.
  private var textStart = 0
  /// Where the next row begins; nil after the last one.
  private var start: Int? = 0
  /// The addresses in the text from here on; nil until they are needed.
  private var addresses: ArraySlice<Range<Int>>?

  /// A character, or several letters of ASCII.
  private struct Piece {
    /// Where the next piece begins, and in which column.
    var end: Int
    var column: Int
    /// The columns that each character takes.
    var width: Int
    /// The first code points of the first and the last character.
    var first: Unicode.Scalar
    var last: Unicode.Scalar
  }

  /// - Parameter bytes: the bytes of the text.
  init(
    _ text: String, _ bytes: UTF8Bytes, columns: Int, margin: Int, indent: Int, widths: Widths
  ) {
    self.text = text
    self.bytes = bytes
    self.columns = columns
    self.indent = indent
    self.widths = widths
    var column = 0
    while column < margin, textStart < bytes.count {
      let step = step(from: textStart, at: column, letters: margin - column)
      (textStart, column) = (step.end, step.column)
    }
  }

  /// - Parameter letters: the maximum number of letters in the piece.
  private func step(from position: Int, at column: Int, letters most: Int) -> Piece {
    let letters = plainLetters(from: position, atMost: most)
    if letters > 0 {
      let end = position + letters
      return Piece(
        end: end, column: column + letters, width: 1, first: Unicode.Scalar(bytes[position]),
        last: Unicode.Scalar(bytes[end - 1]))
    }
    if bytes[position] == 0x20, position + 1 == bytes.count || bytes[position + 1] < 0x80 {
      return Piece(end: position + 1, column: column + 1, width: 1, first: " ", last: " ")
    }
    let character = text[text.utf8.index(text.startIndex, offsetBy: position)]
    let next = widths.column(after: character, at: column)
    let first = character.unicodeScalars.first ?? " "
    return Piece(
      end: position + character.utf8.count, column: next, width: next - column, first: first,
      last: first)
  }

  /// How many of the next bytes are letters of ASCII with no combining mark after them. In most
  /// texts that is every word, and going from character to character takes many times longer.
  private func plainLetters(from position: Int, atMost most: Int) -> Int {
    var end = position
    let limit = min(bytes.count, position + most)
    while end < limit, bytes[end] > 0x20, bytes[end] < 0x7F { end += 1 }
    return end < bytes.count && bytes[end] >= 0x80 ? max(0, end - 1 - position) : end - position
  }

  /// Whether a blank is at a position, without a combining mark on it.
  private func isBlank(_ position: Int) -> Bool {
    (bytes[position] == 0x20 || bytes[position] == 0x09)
      && step(from: position, at: 0, letters: 1).end == position + 1
  }

  /// The next row, without the blanks at its end; nil after the last one.
  mutating func nextRow() -> Range<Int>? {
    guard let start else { return nil }
    let isFirst = start == 0
    var column = isFirst ? 0 : indent
    /// Where the next row may begin.
    var next: Int?
    /// Whether the row has something other than blanks, not counting the time and name before the
    /// text.
    var hasWord = false
    var before: (scalar: Unicode.Scalar, columns: Int)?
    var at = start
    while at < bytes.count {
      // Allow one letter more than fits, to notice that the row overflows.
      var step = step(from: at, at: column, letters: max(1, columns - column + 1))
      if isBlank(at) {
        before = nil
      } else {
        // The time and name may have a row of their own if the other rows have more room.
        let mayBreak = at >= textStart && (hasWord || isFirst && at == textStart && column > indent)
        if mayBreak, before.map({ isGap($0, (step.first, step.width)) }) ?? true { next = at }
        if step.column > columns {
          let position = step.width == 1 ? at + max(0, columns - column) : at
          if position > start { return row(from: start, overflowingAt: position, next: next) }
          // Nothing fits, but each row must contain something.
          step = self.step(from: at, at: column, letters: 1)
        }
        hasWord = hasWord || step.end > textStart
        before = (step.last, step.width)
      }
      column = step.column
      at = step.end
    }
    self.start = nil
    // Without this, blanks at its end would make a separate row.
    return start..<(column > columns ? endOfWords(from: start, to: at) : at)
  }

  /// Ends the row that has no room for the character at a position.
  private mutating func row(
    from start: Int, overflowingAt position: Int, next: Int?
  ) -> Range<Int> {
    let end = next ?? endOfAddress(at: position) ?? position
    self.start = (end..<bytes.count).first { !isBlank($0) }
    return start..<endOfWords(from: start, to: end)
  }

  private func endOfWords(from start: Int, to end: Int) -> Int {
    (start..<end).last { !isBlank($0) }.map { $0 + 1 } ?? start
  }

  /// Where an address that contains a position ends, together with the text directly attached to
  /// it. Leaves only ASCII without blanks for the terminal to wrap, since it begins a row where a
  /// message would begin (rule 12.2).
  private mutating func endOfAddress(at position: Int) -> Int? {
    var rest = addresses ?? WebAddresses.ranges(in: text)[...]
    defer { addresses = rest }
    while let first = rest.first, first.upperBound <= position { rest.removeFirst() }
    guard let address = rest.first, address.lowerBound < position else { return nil }
    let end = bytes[address.lowerBound...].firstIndex { $0 <= 0x20 || $0 >= 0x80 } ?? bytes.count
    // A part of the address may be letters outside ASCII, which may look like anything.
    guard end >= address.upperBound else {
      rest.removeFirst()
      return nil
    }
    return end
  }

  /// Whether the line may be broken between two characters without a blank between them.
  private func isGap(
    _ left: (scalar: Unicode.Scalar, columns: Int), _ right: (scalar: Unicode.Scalar, columns: Int)
  ) -> Bool {
    guard left.columns == 2 || right.columns == 2 else { return false }
    switch left.scalar.properties.generalCategory {
    case .openPunctuation, .initialPunctuation: return false
    default: break
    }
    switch right.scalar.properties.generalCategory {
    case .closePunctuation, .finalPunctuation, .otherPunctuation, .modifierLetter: return false
    default: return right.columns > 0
    }
  }
}
