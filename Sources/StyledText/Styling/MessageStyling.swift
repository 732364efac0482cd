// SPDX-License-Identifier: GPL-3.0-or-later

/// How `*bold*`, `_italic_` and similar text looks, in the line being typed and in messages (rules
/// 6.1 and 6.4), by the rules of XEP-0393 Message Styling 1.1.1.
///
/// The marks stay in the text and are drawn dim. A mark that is part of a longer character, with a
/// combining mark or in an emoji sequence such as the keycap `*️⃣`, does not count.
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
      /// Text between two marks on one line; inside, only the closing mark counts.
      case code
      /// The lines from one that begins with the mark to one that consists of the mark.
      case preformatted
      /// Lines that begin with the mark.
      case quote
    }

    /// The typed mark, such as `*`.
    public var mark: String
    /// The style to lay over that of the text around it.
    public var style: Style
    public var kind: Kind

    public init(mark: String, style: Style, kind: Kind = .span) {
      self.mark = mark
      self.style = style
      self.kind = kind
    }
  }

  /// A part of a text that is not plain.
  public struct Run: Hashable, Sendable {
    /// UTF-8 offsets, never empty, without newlines.
    public var range: Range<Int>
    /// The styles of all symbols around it, combined from the outermost to the innermost.
    public var style: Style
    /// Whether this is a mark, not the text that it styles.
    public var isMark: Bool

    public init(range: Range<Int>, style: Style, isMark: Bool) {
      self.range = range
      self.style = style
      self.isMark = isMark
    }
  }

  /// The symbols of rule 6.1, in the order given there.
  public static let standard = MessageStyling([
    Symbol(mark: "*", style: .bold),
    Symbol(mark: "_", style: .italic),
    Symbol(mark: "~", style: .strike),
    Symbol(mark: "`", style: Style(foreground: .cyan), kind: .code),
    Symbol(mark: "```", style: Style(foreground: .cyan), kind: .preformatted),
    Symbol(mark: ">", style: Style(foreground: .green), kind: .quote),
  ])

  /// No symbols, so that nothing is styled: `set styling off`.
  public static let off = MessageStyling([])

  /// The symbols in the order they were registered.
  public private(set) var symbols: [Symbol] = []
  /// The marks of spans and code.
  private(set) var spans = MarkSet()
  private(set) var fences = MarkSet()
  private(set) var quotes = MarkSet()
  /// The bytes that marks begin with.
  private(set) var firsts = [Bool](repeating: false, count: 256)

  /// Registers the symbols one after the other.
  public init(_ symbols: [Symbol]) {
    for symbol in symbols { register(symbol) }
  }

  /// Adds a symbol after the others. Ignores a mark that is already registered, and one that is
  /// empty or contains white space, since it could not be recognised.
  public mutating func register(_ symbol: Symbol) {
    guard !symbol.mark.isEmpty,
      !symbol.mark.unicodeScalars.contains(where: \.properties.isWhitespace),
      // Compare bytes: é differs from e with an accent.
      !symbols.contains(where: { $0.mark.utf8.elementsEqual(symbol.mark.utf8) })
    else { return }
    symbols.append(symbol)
    for byte in symbol.mark.utf8.prefix(1) { firsts[Int(byte)] = true }
    let mark = MarkSet.Mark(bytes: Array(symbol.mark.utf8), symbol: symbols.count - 1)
    switch symbol.kind {
    case .span, .code: spans.add(mark)
    case .preformatted: fences.add(mark)
    case .quote: quotes.add(mark)
    }
  }
}
