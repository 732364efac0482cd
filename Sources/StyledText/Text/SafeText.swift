// SPDX-License-Identifier: GPL-3.0-or-later
import Sentences

/// Text that may be written to a terminal. Every text from outside the program must first become a
/// SafeText (rules 12.1, 12.2 and 12.6).
///
/// Only the sanitiser makes it. Control characters, invalid UTF-8, bidirectional controls and
/// invisible code points become visible placeholders of plain ASCII (`^[`, `<U+009B>`, `<FF>`), so
/// sanitising twice changes nothing. Parts that are safe stay safe when joined or cut.
///
/// ```swift
/// let line: SafeText = "\(SafeText(name: nick)): \(SafeText(body: message.body))"
/// ```
///
/// Interpolating a plain `String` deliberately does not compile.
public struct SafeText: Hashable, Sendable, CustomStringConvertible {
  /// The text, safe to write to a terminal. It contains no control characters, except newlines and
  /// tabs if it was made from a body.
  public let string: String

  init(unchecked string: String) {
    self.string = string
  }

  /// The empty text.
  public init() {
    self.init(unchecked: "")
  }

  /// Makes the body of a message safe. Newline and tab stay.
  public init(body: String) {
    self.init(unchecked: Sanitizer.body.safe(body))
  }

  /// Makes any bytes safe as a body; each byte that is not UTF-8 becomes a placeholder.
  public init(body bytes: some Collection<UInt8>) {
    self.init(unchecked: Sanitizer.body.safe(bytes))
  }

  /// Makes a text safe that must stay on one line: newline and tab become placeholders as well.
  public init(line: String) {
    self.init(unchecked: Sanitizer.line.safe(line))
  }

  /// Makes any bytes safe as one line; each byte that is not UTF-8 becomes a placeholder.
  public init(line bytes: some Collection<UInt8>) {
    self.init(unchecked: Sanitizer.line.safe(bytes))
  }

  /// Makes the name of a person, room or file safe: one line, in which bidirectional controls and
  /// everything invisible (zero-width characters, variation selectors, tags) are dropped, and
  /// white space at both ends is cut off (12.2, 12.3).
  public init(name: String) {
    self.init(unchecked: Sanitizer.name.safe(name))
  }

  /// A number in plain digits.
  public init(_ number: Int) {
    self.init(unchecked: String(number))
  }

  public var isEmpty: Bool { string.isEmpty }

  public var description: String { string }

  /// The lines of a body, without their newlines. There is always at least one.
  public var lines: [SafeText] {
    // Compare bytes: a newline followed by a combining mark is still a newline as a Character, but
    // comparing Characters is many times slower.
    guard string.withUTF8Bytes({ $0.contains(0x0A) }) else { return [self] }
    return string.utf8.split(separator: 0x0A, omittingEmptySubsequences: false)
      .map { SafeText(unchecked: String(Substring($0))) }
  }

  /// A part of the text; parts of safe text are safe.
  ///
  /// - Parameter range: indices of `string`.
  public subscript(range: some RangeExpression<String.Index>) -> SafeText {
    SafeText(unchecked: String(string[range]))
  }

  /// A part of the text by its bytes.
  ///
  /// - Parameter range: UTF-8 offsets of whole code points.
  public func bytes(_ range: Range<Int>) -> SafeText {
    let from = string.utf8.index(string.utf8.startIndex, offsetBy: range.lowerBound)
    return self[from..<string.utf8.index(from, offsetBy: range.count)]
  }

  public static func + (left: SafeText, right: SafeText) -> SafeText {
    SafeText(unchecked: left.string + right.string)
  }

  public static func += (left: inout SafeText, right: SafeText) {
    left = left + right
  }
}

extension SafeText: ExpressibleByStringInterpolation {
  /// Literals are written by programmers, but still sanitised. The parameter is a `StaticString`,
  /// because a `String` here would be a second way in for unsafe text.
  public init(stringLiteral literal: StaticString) {
    self.init(body: literal.description)
  }

  public init(stringInterpolation: Interpolation) {
    self.init(unchecked: stringInterpolation.text)
  }

  /// Accepts only literal parts, `SafeText` and `Int`.
  public struct Interpolation: StringInterpolationProtocol {
    var text = ""

    public init(literalCapacity: Int, interpolationCount: Int) {
      text.reserveCapacity(literalCapacity + 8 * interpolationCount)
    }

    public mutating func appendLiteral(_ literal: StaticString) {
      text += SafeText(stringLiteral: literal).string
    }

    public mutating func appendInterpolation(_ safe: SafeText) {
      text += safe.string
    }

    public mutating func appendInterpolation(_ number: Int) {
      text += String(number)
    }
  }
}

extension Sequence<SafeText> {
  /// The texts as a list in the user's language, such as “anna, ben”.
  public func joinedAsList() -> SafeText { joined(separator: SafeText(line: listSeparator)) }

  /// All texts in order with the separator between them.
  public func joined(separator: SafeText = SafeText()) -> SafeText {
    // Do not use the standard library's `joined`, which looks up types at run time: this code runs
    // at every start.
    var result = ""
    for (number, text) in enumerated() {
      if number > 0 { result += separator.string }
      result += text.string
    }
    return SafeText(unchecked: result)
  }
}
