// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Foundation
import Repeatable
import StyledText
import Testing

/// Random input, and what holds for every outcome; the same in every test run, longer and other
/// input when asked for (`LongRun`).
@Suite("Whatever is put in")
struct FuzzTests {
  /// - Parameter rounds: without being asked for more; many for what is quick.
  private func fuzz(_ rounds: Int, _ body: (inout FixedRandom) throws -> Void) rethrows {
    var dice = FixedRandom(seed: LongRun.seed)
    for _ in 0..<LongRun.rounds(rounds) { try body(&dice) }
  }

  @Test("9.5: The layout fits the screen, the caret stands in it, no row is too wide")
  func layout() throws {
    var (bar, cache) = (InputBar(), LayoutCache())
    try fuzz(400) { dice in
      bar = dice.bar(after: bar)
      let rows = [1, 2, 3, 5, 9, 24, 60].randomElement(using: &dice) ?? 0
      let columns = [1, 2, 3, 4, 5, 9, 20, 39, 80, 300].randomElement(using: &dice) ?? 0
      let widths = dice.widths()
      let drawn = bar.layout(size: rows, columns: columns, widths: widths, cache: &cache)
      let frame = drawn.frame
      let offences = [
        "too many rows": !(1...rows).contains(frame.rows.count),
        "no row at the caret": !frame.rows.indices.contains(frame.caretRow),
        "no column at the caret": !(0..<columns).contains(frame.caretColumn),
        "too wide": !frame.rows.allSatisfy { $0.columns <= max(1, columns - 1) },
        "half a letter": !frame.rows.allSatisfy(Self.isWhole),
        "wrong number of input rows": !(1...drawn.totalInputRows).contains(drawn.inputRows)
          || drawn.inputRows > bar.inputRowLimit(terminalRows: rows),
      ].filter(\.value).keys
      try #require(
        offences.isEmpty,
        "\(offences) in \(rows)×\(columns)\n\(picture(frame))\n\(bar.prompt.plain)\n\(bar.composed)\n\(bar.zones)\n\(widths)"
      )
      // Drawing it once more from nothing changes nothing.
      var (again, empty) = (bar, LayoutCache())
      let anew = again.layout(size: rows, columns: columns, widths: widths, cache: &empty)
      try #require(anew == drawn && again == bar, "\(rows)×\(columns): \(bar)")
    }
  }

  /// Every wide character stands in the row with all its columns.
  private static func isWhole(_ row: CellRow) -> Bool {
    var left = 0
    for cell in row.cells {
      if (cell.columns == 0) != (left > 0) { return false }
      left += cell.columns == 0 ? -1 : Int(cell.columns) - 1
    }
    return left == 0
  }

  @Test("The caret moves forward through the rows, and every letter of plain text is drawn once")
  func rows() throws {
    try fuzz(60) { dice in
      var bar = InputBar(prompt: "> ")
      bar.maxInputRows = 0
      let columns = Int.random(in: 6...60, using: &dice)
      let isPlain = Bool.random(using: &dice)
      let pieces = Int.random(in: 0...60, using: &dice)
      let text =
        isPlain ? dice.plain(pieces) : hardText(&dice, pieces: pieces)
      var (cache, widths) = (LayoutCache(), dice.widths())
      widths.ambiguousIsWide = false
      var offset = 0
      var last = (row: 0, column: 0)
      while true {
        bar.composed = ComposedText(text, caret: offset)
        let frame = bar.layout(size: 9000, columns: columns, widths: widths, cache: &cache).frame
        let here = (frame.caretRow, frame.caretColumn)
        try #require(offset == 0 || last <= here, "\(text.debugDescription) at \(offset)")
        last = here
        if isPlain && offset == 0 {
          let letters = frame.rows.map { row in
            row.cells.dropFirst(2).filter { $0.columns > 0 }.map(\.character)
          }.joined()
          try #require(
            String(letters) == text.replacing("\n", with: ""), "\(text.debugDescription)")
        }
        let next = Motion.nextGrapheme(in: text, after: offset)
        if next == offset { break }
        try #require(Motion.previousGrapheme(in: text, before: next) == offset)
        offset = next
      }
      try #require(offset == text.utf8.count)
    }
  }

  @Test("2.10: A span survives with the same letters, or is gone")
  func spans() throws {
    try fuzz(4000) { dice in
      let old = hardText(&dice, pieces: Int.random(in: 0...12, using: &dice))
      let spans = (0..<Int.random(in: 1...4, using: &dice)).map { number in
        Span(range: dice.range(in: old), identity: "\(number)")
      }.filter { !$0.range.isEmpty }
      var composed = ComposedText(old)
      let replaced = dice.range(in: old)
      let insert = hardText(&dice, pieces: Int.random(in: 0...3, using: &dice))
      composed.replace(replaced, with: insert)
      let new = composed.text
      let known = Span.adjusted(spans, replacing: replaced, with: insert.utf8.count)
      let (range, count) = TextChange.between(old, new, caret: composed.caret)
      // Where nothing changed the caret may stand in one of them.
      let isSame = old.utf8.elementsEqual(new.utf8)
      let guessed = isSame ? spans : Span.adjusted(spans, replacing: range, with: count)
      for span in known + guessed {
        let before = spans.first { $0.identity == span.identity }.map {
          Self.bytes($0.range, of: old)
        }
        try #require(
          before == Self.bytes(span.range, of: new),
          "\(old.debugDescription) \(spans) \(replaced) \(insert.debugDescription): \(span)")
      }
      // What the change does not touch stays; that it can be told from the texts alone is more than
      // can be asked where letters repeat.
      let untouched = spans.filter {
        $0.range.upperBound <= replaced.lowerBound || $0.range.lowerBound >= replaced.upperBound
      }
      try #require(known.count == untouched.count)
      let caret = Int.random(in: -2...(new.utf8.count + 2), using: &dice)
      if let word = Span.deletingWord(before: caret, in: new, spans: known) {
        try #require(word.range.lowerBound >= 0 && word.range.upperBound <= new.utf8.count)
        var shorter = ComposedText(new)
        shorter.replace(word.range, with: "")
        let end = shorter.text.utf8.count
        try #require(
          word.spans.allSatisfy { $0.range.lowerBound >= 0 && $0.range.upperBound <= end })
      }
    }
  }

  private static func bytes(_ range: Range<Int>, of text: String) -> [UInt8]? {
    guard range.lowerBound >= 0 && range.upperBound <= text.utf8.count else { return nil }
    return Array(Array(text.utf8)[range])
  }

  @Test("2.2, 2.3: A found word is in the text, around the caret, and equal to its range")
  func words() throws {
    let finder = WordFinder(
      prefixes: ["@", "#", ":", "+:", "/", "漢"], namesMayContainPrefix: ["@"])
    try fuzz(8000) { dice in
      let pieces = ["@", "#", ":", "+:", "/", "(", "\"", "'", ")", "漢"] + hardPieces
      let text = (0..<Int.random(in: 0...10, using: &dice))
        .map { _ in pieces.randomElement(using: &dice) ?? "" }.joined()
      let caret = Int.random(in: -2...(text.utf8.count + 2), using: &dice)
      guard let found = finder.find(in: text, caret: caret) else { return }
      let whole = Self.bytes(found.range, of: text)
      let inside =
        found.range.lowerBound + found.prefix.utf8.count <= found.caret
        && found.caret <= max(caret, 0)
      let hasBlank = found.word.unicodeScalars.contains { $0.properties.isWhitespace }
      try #require(
        whole == Array((found.prefix + found.word).utf8) && inside && !hasBlank
          && (found.prefix != "/" || found.range.lowerBound == 0),
        "\(text.debugDescription) \(caret): \(found)")
      // Accepting makes a text in which the caret stands behind the candidate.
      let candidate = Candidate(hardText(&dice, pieces: Int.random(in: 0...3, using: &dice)))
      if candidate.text.isEmpty { return }
      let change = Acceptance(of: candidate, for: found, PrefixRules(), in: text)
      var composed = ComposedText(text)
      composed.replace(change.range, with: change.insert, caret: change.caret)
      try #require(composed.caret == change.caret && change.range.upperBound <= text.utf8.count)
    }
  }

  @Test("6.3: Two spaces close an open symbol: one symbol is added, and only a space is lost")
  func closing() throws {
    let pieces =
      ["*", "_", "~", "`", "```", " ", "  ", "*b", " _i", "word", ">", "\n"] + hardPieces
    try fuzz(8000) { dice in
      let text = (0..<Int.random(in: 0...12, using: &dice))
        .map { _ in pieces.randomElement(using: &dice) ?? "" }.joined()
      let caret = Motion.clampedToGrapheme(
        in: text, offset: Int.random(in: -2...(text.utf8.count + 2), using: &dice))
      let context: Comment = "\(text.debugDescription) at \(caret)"
      guard let change = Formatting.closing(in: text, caret: caret, symbols: .standard) else {
        return
      }
      let bytes = Array(text.utf8)
      let typed = bytes[..<caret] + [0x20] + bytes[caret...]
      try #require(
        change.range.upperBound == caret + 1 && (0...caret).contains(change.range.lowerBound),
        context)
      let closed =
        typed[..<change.range.lowerBound] + change.insert.utf8 + typed[change.range.upperBound...]
      // What is open is closed by a symbol of its own kind, which stands before the caret already.
      let blanks = bytes[change.range.lowerBound..<caret]
      let mark = Array(change.insert.utf8).dropLast(blanks.count)
      try #require(
        !blanks.isEmpty && Array(change.insert.utf8).suffix(blanks.count) == blanks[...]
          && ["*", "_", "~", "`", "```"].contains { Array($0.utf8)[...] == mark }
          && bytes[..<change.range.lowerBound].contains(mark.first ?? 0)
          && !bytes[blanks.startIndex..<blanks.endIndex].contains(0x0A)
          && change.caret == change.range.lowerBound + change.insert.utf8.count, context)
      try #require(closed.count == bytes.count + mark.count, context)
      // A third space closes what was opened before that, if anything, and at last nothing.
      var (now, place, rounds) = (String(decoding: closed, as: UTF8.self), change.caret, 0)
      while let again = Formatting.closing(in: now, caret: place, symbols: .standard) {
        var composed = ComposedText(now)
        composed.replace(place..<place, with: " ")
        composed.replace(again.range, with: again.insert, caret: again.caret)
        (now, place, rounds) = (composed.text, composed.caret, rounds + 1)
        try #require(rounds <= bytes.count, context)
      }
    }
  }

  @Test("6.2: A symbol wraps the selection: no letter is lost, and removing it restores the text")
  func wrapping() throws {
    try fuzz(6000) { dice in
      let text = hardText(&dice, pieces: Int.random(in: 0...12, using: &dice))
      let mark = ["*", "_", "~", "`", "```", ">"].randomElement(using: &dice) ?? "*"
      let region = Bool.random(using: &dice) ? dice.range(in: text) : nil
      let caret = region?.upperBound ?? Int.random(in: -2...(text.utf8.count + 2), using: &dice)
      guard let change = Formatting.wrap(mark, in: text, caret: caret, region: region) else {
        return
      }
      let context: Comment =
        "\(text.debugDescription) \(mark) \(caret) \(String(describing: region))"
      try #require(
        change.range.lowerBound >= 0 && change.range.upperBound <= text.utf8.count
          && change.caret >= change.range.lowerBound
          && change.caret <= change.range.lowerBound + change.insert.utf8.count, context)
      // Without symbols, blanks and newlines it is what it was.
      func letters(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        bytes.filter { ![0x0A, 0x20].contains($0) && !mark.utf8.contains($0) }
      }
      try #require(
        letters(change.insert.utf8) == letters(Self.bytes(change.range, of: text) ?? []), context)
    }
  }

  @Test("1.9: A paste is a path without newline and NUL, or text, and never stops the program")
  func pastes() throws {
    let pieces =
      [
        "/", "/tmp", "~/", "'", "\"", "\\", "file://", "localhost", "%", "%2", "%20", "%0A", "%C3",
        "://",
      ]
      + hardPieces
    try fuzz(8000) { dice in
      let paste = (0..<Int.random(in: 0...8, using: &dice))
        .map { _ in pieces.randomElement(using: &dice) ?? "" }.joined()
      if let path = PastedContent.fileCandidate(in: paste) {
        try #require(
          // A name that is not UTF-8 stays a URL.
          ["/", "~/", "file:///"].contains { path.utf8.starts(with: $0.utf8) }
            && !path.utf8.contains(0), "\(paste.debugDescription)")
        // Quoted once more, it is still the same path.
        if !path.unicodeScalars.contains(where: { "'\n\r".unicodeScalars.contains($0) }) {
          try #require(PastedContent.fileCandidate(in: " '\(path)'\n") == path)
        }
      }
      if case .text(let text) = PastedContent(paste: paste, exists: { _ in false }) {
        try #require(text == paste)
      }
    }
  }
}

extension FixedRandom {
  fileprivate mutating func widths() -> Widths {
    Widths(
      clusters: [.codePoints, .joinedAsOne, .graphemes].randomElement(using: &self) ?? .joinedAsOne,
      ambiguousIsWide: Bool.random(using: &self))
  }

  fileprivate mutating func plain(_ count: Int) -> String {
    (0..<count).map { _ in ["a", "b", "c", "漢", "é", "\n"].randomElement(using: &self) ?? "" }
      .joined()
  }

  /// A range between two graphemes.
  fileprivate mutating func range(in text: String) -> Range<Int> {
    let ends = (0..<2).map { _ in
      Motion.clampedToGrapheme(in: text, offset: Int.random(in: 0...text.utf8.count, using: &self))
    }
    return ends.min()!..<ends.max()!
  }

  /// A number such as a program would pass, or one that it should not.
  fileprivate mutating func number() -> Int {
    Int.random(in: 0..<30, using: &self) == 0
      ? [Int.max, .min, 70_000].randomElement(using: &self) ?? 0
      : Int.random(in: -1...12, using: &self)
  }

  private mutating func line(_ pieces: Int) -> StyledLine {
    let text = hardText(&self, pieces: Int.random(in: 0...pieces, using: &self))
    return StyledLine(Bool.random(using: &self) ? SafeText(line: text) : SafeText(body: text))
  }

  private mutating func item() -> Item {
    switch Int.random(in: 0..<6, using: &self) {
    case 0: .fixedSpace(number())
    case 1: .flexibleSpace
    default:
      Item(
        id: "x", line: line(4), width: Bool.random(using: &self) ? .own : .fixed(number()),
        spacing: [.zone, .none, .fixed(number()), .flexible].randomElement(using: &self) ?? .zone,
        isEnabled: Bool.random(using: &self), isSelected: Bool.random(using: &self))
    }
  }

  /// A bar in which some of what was in the last one is otherwise.
  fileprivate mutating func bar(after old: InputBar) -> InputBar {
    var bar = old
    let offsets = -3...(old.composed.text.utf8.count + 9)
    switch Int.random(in: 0..<9, using: &self) {
    case 0: bar.prompt = line(6)
    case 1: bar.placeholder = SafeText(body: hardText(&self, pieces: 5))
    case 2:
      bar.pending = (0..<Int.random(in: 0...3, using: &self)).map { _ in line(8).plain }
      bar.menu = (0..<Int.random(in: 0...5, using: &self)).map { _ in line(8) }
    case 3:
      for zone in Zone.allCases {
        bar.zones[zone] = (0..<Int.random(in: 0...4, using: &self)).map { _ in item() }
        bar.zoneWidths[zone] = Bool.random(using: &self) ? nil : number()
        bar.spacing[zone] = Bool.random(using: &self) ? nil : number()
      }
    case 4:
      bar.maxInputRows = Bool.random(using: &self) ? nil : number()
      bar.hidesSideZones.toggle()
      bar.scroll = number()
    case 5:
      bar.highlights = (0..<3).map { _ in
        let start = Int.random(in: offsets, using: &self)
        return .init(start..<(start + Int.random(in: 0...9, using: &self)), .bold)
      }
    case 6: bar.composed.caret = Int.random(in: offsets, using: &self)
    case 7:
      let start = Int.random(in: offsets, using: &self)
      bar.composed.region = start..<(start + Int.random(in: 0...9, using: &self))
    default:
      let start = Int.random(in: offsets, using: &self)
      let insert = hardText(&self, pieces: Int.random(in: 0...20, using: &self))
      // More goes in than out.
      if bar.composed.text.utf8.count > 2000 { bar.composed = ComposedText() }
      bar.composed.replace(start..<(start + Int.random(in: 0...40, using: &self)), with: insert)
    }
    return bar
  }
}
