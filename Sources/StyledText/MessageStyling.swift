// SPDX-License-Identifier: GPL-3.0-or-later

/// What `*bold*`, `_italic_` and their kin look like, in the line being typed and in messages
/// (rule 6.1, 6.4), by the rules of XEP-0393 Message Styling 1.1.1.
///
/// The marks stay in the text and are drawn dim. A mark that a combining character or an emoji
/// sequence has made into another character, such as the keycap `*️⃣`, is none.
///
/// ```swift
/// MessageStyling.standard.runs(in: "a *b*")  // * at 2..<3, b bold at 3..<4, * at 4..<5
/// ```
public struct MessageStyling: Hashable, Sendable {
  /// A mark and what it does.
  public struct Symbol: Hashable, Sendable {
    /// What kind of text a mark makes.
    public enum Kind: Hashable, Sendable {
      /// Text between two marks on one line; other marks count inside.
      case span
      /// Text between two marks on one line; nothing counts inside but the closing mark.
      case code
      /// Lines from one that begins with the mark to one that is the mark and nothing else.
      case preformatted
      /// Lines that begin with the mark.
      case quote
    }

    /// What is typed, such as `*`.
    public var mark: String
    /// Laid over the style of what is around.
    public var style: Style
    public var kind: Kind

    public init(mark: String, style: Style, kind: Kind = .span) {
      self.mark = mark
      self.style = style
      self.kind = kind
    }
  }

  /// A piece of a text that is not plain.
  public struct Run: Hashable, Sendable {
    /// UTF-8 offsets, never empty, without newlines.
    public var range: Range<Int>
    /// Everything that counts here, from the outermost symbol to the innermost.
    public var style: Style
    /// Whether these are marks, not the text they style.
    public var isMark: Bool

    public init(range: Range<Int>, style: Style, isMark: Bool) {
      self.range = range
      self.style = style
      self.isMark = isMark
    }
  }

  /// The symbols of rule 6.1, in its order.
  public static let standard = MessageStyling([
    Symbol(mark: "*", style: .bold),
    Symbol(mark: "_", style: .italic),
    Symbol(mark: "~", style: .strike),
    Symbol(mark: "`", style: Style(foreground: .cyan), kind: .code),
    Symbol(mark: "```", style: Style(foreground: .cyan), kind: .preformatted),
    Symbol(mark: ">", style: Style(foreground: .green), kind: .quote),
  ])

  /// Without a symbol nothing is styled: `set styling off`.
  public static let off = MessageStyling([])

  /// The symbols in the order they were registered.
  public private(set) var symbols: [Symbol] = []
  /// The marks of spans and code.
  private(set) var spans = MarkSet()
  private(set) var fences = MarkSet()
  private(set) var quotes = MarkSet()
  /// The bytes that marks begin with.
  private var firsts = [Bool](repeating: false, count: 256)

  /// Registers the symbols one after the other.
  public init(_ symbols: [Symbol]) {
    for symbol in symbols { register(symbol) }
  }

  /// Adds a symbol behind the others. A mark that is there already stays as it was; one that is
  /// empty or holds white space could never be told from the text and is left out.
  public mutating func register(_ symbol: Symbol) {
    guard !symbol.mark.isEmpty,
      !symbol.mark.unicodeScalars.contains(where: \.properties.isWhitespace),
      // By bytes: é is not e and an accent.
      !symbols.contains(where: { $0.mark.utf8.elementsEqual(symbol.mark.utf8) })
    else { return }
    symbols.append(symbol)
    for byte in symbol.mark.utf8.prefix(1) { firsts[Int(byte)] = true }
    let mark = MarkSet.Mark(bytes: Array(symbol.mark.utf8), symbol: symbols.count - 1)
    switch symbol.kind {
    case .span, .code: spans.insert(mark)
    case .preformatted: fences.insert(mark)
    case .quote: quotes.insert(mark)
    }
  }

  /// The styled parts of a text, in order and without overlap; what no run covers is plain.
  /// Any text will do, in time linear to its length.
  public func runs(in text: String) -> [Run] {
    if symbols.isEmpty { return [] }
    return text.withUTF8Bytes { bytes in
      runs(in: bytes, lines: 0..<bytes.count, keepsBlocks: true)
    }
  }

  /// A longer text is styled line by line where only a part of it is asked for.
  public static let longText = 16 * 1024

  /// The styled parts of the lines that a part of a text lies on, cheap enough for every key.
  ///
  /// In a text of more than `longText` bytes only those lines are looked at: a line does not know
  /// that it stands in a preformatted block, and a line of more than `longText` bytes is plain.
  ///
  /// - Parameter visible: UTF-8 offsets; what lies outside the text is left out.
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
      // Where the first or the last line is too long, what is visible of it stays plain.
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
  ///   - body: what is shown of a message.
  ///   - base: the style of plain text; the styles of symbols are laid over it.
  /// - Returns: one line for each of `body.lines`, with the same text.
  public func lines(of body: SafeText, base: Style = .plain) -> [StyledLine] {
    // Most messages hold no mark at all.
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
    var blocks = BlockWalk(bytes, self)
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

/// Runs as they are found, from left to right.
struct RunList {
  private(set) var runs: [MessageStyling.Run] = []

  mutating func append(_ range: Range<Int>, _ style: Style) {
    if style != .plain { append(range, style, isMark: false) }
  }

  /// - Parameter style: that of the text the mark belongs to.
  mutating func append(mark range: Range<Int>, _ style: Style) {
    append(range, style.asMark(in: .plain), isMark: true)
  }

  private mutating func append(_ range: Range<Int>, _ style: Style, isMark: Bool) {
    if range.isEmpty { return }
    if let last = runs.last, last.range.upperBound == range.lowerBound, last.style == style,
      last.isMark == isMark
    {
      runs[runs.count - 1].range = last.range.lowerBound..<range.upperBound
    } else {
      runs.append(MessageStyling.Run(range: range, style: style, isMark: isMark))
    }
  }
}

extension Style {
  /// Both, where the colours of this one count.
  func laid(over base: Style) -> Style {
    Style(
      attributes.union(base.attributes), foreground: foreground ?? base.foreground,
      background: background ?? base.background)
  }

  /// The style of a mark: that of its text, as XEP-0393 recommends, but dim.
  func asMark(in base: Style) -> Style {
    var style = laid(over: base)
    // Terminals disagree on what is both bold and dim.
    style.attributes.remove(.bold)
    style.attributes.insert(.dim)
    return style
  }
}
