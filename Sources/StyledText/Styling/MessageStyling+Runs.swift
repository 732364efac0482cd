// SPDX-License-Identifier: GPL-3.0-or-later

extension MessageStyling {
  /// The styled parts of any text, in order and without overlap; text outside the runs is plain.
  /// Takes linear time.
  public func runs(in text: String) -> [Run] {
    if symbols.isEmpty { return [] }
    return text.withUTF8Bytes { bytes in
      runs(in: bytes, lines: 0..<bytes.count, keepsBlocks: true)
    }
  }

  /// A text of more bytes than this is styled line by line if only a part of it is needed.
  public static let longText = 16 * 1024

  /// The styled parts of the lines that contain a part of a text; fast enough for every key.
  ///
  /// In a text of more than `longText` bytes, it looks only at those lines. So it does not notice
  /// that a line is in a preformatted block, and a line of more than `longText` bytes is plain.
  ///
  /// `visible` is a range of UTF-8 offsets; the part outside the text is ignored.
  public func runs(in text: String, visible: Range<Int>) -> [Run] {
    if symbols.isEmpty { return [] }
    return text.withUTF8Bytes { bytes in
      let visible = visible.clamped(to: 0..<bytes.count)
      guard bytes.count > Self.longText else {
        let end = bytes.firstNewline(in: visible.upperBound..<bytes.count) ?? bytes.count
        let start = bytes.lastNewline(in: 0..<visible.lowerBound).map { $0 + 1 } ?? 0
        return runs(in: bytes, lines: 0..<end, keepsBlocks: true)
          .filter { $0.range.upperBound > start }
      }
      // If the first or the last line is too long, its visible part stays plain.
      let floor = max(0, visible.lowerBound - Self.longText)
      let start =
        bytes.lastNewline(in: floor..<visible.lowerBound).map { $0 + 1 }
        ?? (floor == 0 ? 0 : bytes.firstNewline(in: visible).map { $0 + 1 })
      let ceiling = min(bytes.count, visible.upperBound + Self.longText)
      let end =
        bytes.firstNewline(in: visible.upperBound..<ceiling)
        ?? (ceiling == bytes.count ? ceiling : bytes.lastNewline(in: visible))
      guard let start, let end, start < end else { return [] }
      return runs(in: bytes, lines: start..<end, keepsBlocks: false)
    }
  }

  /// The lines of a body, styled; `off` gives them bare.
  ///
  /// - Parameters:
  ///   - body: the shown text of a message.
  ///   - base: the style of plain text; the styles of symbols are laid over it.
  /// - Returns: one line for each of `body.lines`, with the same text.
  public func lines(of body: SafeText, base: Style = .plain) -> [StyledLine] {
    // Most messages contain no mark at all.
    guard body.string.withUTF8Bytes({ $0.contains { firsts[Int($0)] } }) else {
      return body.lines.map { StyledLine($0, base) }
    }
    var runs = runs(in: body.string)[...]
    var start = 0
    return body.lines.map { line in
      let end = start + line.string.utf8.count
      defer { start = end + 1 }
      guard let first = runs.first, first.range.lowerBound < end else {
        return StyledLine(line, base)
      }
      var styled = StyledLine()
      var at = start
      func append(upTo next: Int, _ style: Style) {
        styled.append(body.bytes(at..<next), style)
        at = next
      }
      while let run = runs.first, run.range.lowerBound < end {
        append(upTo: run.range.lowerBound, base)
        append(
          upTo: run.range.upperBound,
          run.isMark ? run.style.asMark(in: base) : run.style.laid(over: base))
        runs.removeFirst()
      }
      append(upTo: end, base)
      return styled
    }
  }

  private func runs(in bytes: UTF8Bytes, lines: Range<Int>, keepsBlocks: Bool) -> [Run] {
    var found = RunList()
    var blocks = BlockWalk(bytes, fences: fences, quotes: quotes)
    var start = lines.lowerBound
    while start <= lines.upperBound {
      let end = bytes.firstNewline(in: start..<lines.upperBound) ?? lines.upperBound
      if keepsBlocks || end - start <= Self.longText {
        append(blocks.next(start..<end), of: bytes, to: &found)
      }
      if !keepsBlocks { blocks.leave() }
      start = end + 1
    }
    return found.runs
  }

  private func append(_ block: BlockWalk.Line, of bytes: UTF8Bytes, to found: inout RunList) {
    var style = Style.plain
    var at = block.start
    for quote in block.quotes {
      found.append(at..<quote.range.lowerBound, style)
      style = symbols[quote.symbol].style.laid(over: style)
      found.append(mark: quote.range, style)
      at = quote.range.upperBound
    }
    found.append(at..<block.content.lowerBound, style)
    switch block.kind {
    case .plain:
      SpanMarks(bytes, block.content, self).append(to: &found, base: style)
    case .opens(let fence):
      let inside = symbols[fence.symbol].style.laid(over: style)
      let markEnd = block.content.lowerBound + fence.bytes.count
      found.append(mark: block.content.lowerBound..<markEnd, inside)
      found.append(markEnd..<block.content.upperBound, inside)
    case .inside(let fence):
      found.append(block.content, symbols[fence.symbol].style.laid(over: style))
    case .closes(let fence):
      found.append(mark: block.content, symbols[fence.symbol].style.laid(over: style))
    }
  }
}
