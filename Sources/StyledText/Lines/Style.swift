// SPDX-License-Identifier: GPL-3.0-or-later

/// A colour of text. The basic colours except black (1–7), and the colours for names, are shown in
/// a shade that is readable on the terminal's background; see ``Palette``.
public enum Color: Hashable, Sendable {
  /// A colour of the terminal's palette: 0–7 are the basic colours, 8–15 their bright versions,
  /// 16–231 the cube, 232–255 greys.
  case indexed(UInt8)
  /// One of the ``Palette/names`` colours that tell people apart.
  case name(UInt8)
  case rgb(UInt8, UInt8, UInt8)

  public init(index: UInt8) {
    self = .indexed(index)
  }

  public static let black = Color(index: 0)
  public static let red = Color(index: 1)
  public static let green = Color(index: 2)
  public static let yellow = Color(index: 3)
  public static let blue = Color(index: 4)
  public static let magenta = Color(index: 5)
  public static let cyan = Color(index: 6)
  public static let white = Color(index: 7)
  public static let brightBlack = Color(index: 8)
  public static let brightRed = Color(index: 9)
  public static let brightGreen = Color(index: 10)
  public static let brightYellow = Color(index: 11)
  public static let brightBlue = Color(index: 12)
  public static let brightMagenta = Color(index: 13)
  public static let brightCyan = Color(index: 14)
  public static let brightWhite = Color(index: 15)
}

/// How a text is drawn. Nil colours are the terminal's own.
public struct Style: Hashable, Sendable {
  /// Attributes that can be combined with any colour.
  public struct Attributes: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) {
      self.rawValue = rawValue
    }

    public static let bold = Attributes(rawValue: 1)
    public static let dim = Attributes(rawValue: 2)
    public static let italic = Attributes(rawValue: 4)
    public static let underline = Attributes(rawValue: 8)
    public static let reverse = Attributes(rawValue: 16)
    public static let strike = Attributes(rawValue: 32)
  }

  public var attributes: Attributes
  public var foreground: Color?
  public var background: Color?

  public init(
    _ attributes: Attributes = [], foreground: Color? = nil, background: Color? = nil
  ) {
    self.attributes = attributes
    self.foreground = foreground
    self.background = background
  }

  public static let plain = Style()
  public static let bold = Style(.bold)
  public static let dim = Style(.dim)
  public static let italic = Style(.italic)
  public static let underline = Style(.underline)
  public static let reverse = Style(.reverse)
  public static let strike = Style(.strike)
}

extension Style {
  /// Both styles combined; of two colours, this style's is used.
  func laid(over base: Style) -> Style {
    Style(
      attributes.union(base.attributes), foreground: foreground ?? base.foreground,
      background: background ?? base.background)
  }

  /// The style of a mark: the style of its text, as XEP-0393 recommends, but dim.
  func asMark(in base: Style) -> Style {
    var style = laid(over: base)
    // Terminals disagree on how text that is both bold and dim looks.
    style.attributes.remove(.bold)
    style.attributes.insert(.dim)
    return style
  }
}
