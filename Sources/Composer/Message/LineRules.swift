// SPDX-License-Identifier: GPL-3.0-or-later
import StyledText

/// What Return does with a text (1.1, 1.7, 1.11).
///
/// ```swift
/// if case .message(let body) = rules.judge(text) { send(body) }
/// ```
public enum LineVerdict: Hashable, Sendable {
  /// Nothing but white space. It may be sent only with attachments.
  case blank
  /// Longer than the limit allows; both numbers count graphemes of the trimmed text.
  case overLimit(Int, limit: Int)
  /// A message, as it is to be stored: as typed, but with `/` for a leading `//`, and without
  /// newlines at its end.
  case message(String)
  /// A command, as typed, its `/` included.
  case command(String)
  /// Begins with `/` after blanks: probably meant as a command.
  case slashGuard
  /// Begins with more than two slashes, of which the first would be left out: probably nobody means
  /// that. The text as it would be stored.
  case manySlashes(String)
  /// A command with newlines, which this command does not accept; the name is without `/`.
  case commandWithNewlines(name: String)
}

/// The rules that decide whether a text is a message, a command, or must not be sent (1.1, 1.7,
/// 1.11).
///
/// ```swift
/// LineRules().judge("/me waves")  // .command("/me waves")
/// ```
public struct LineRules: Sendable {
  /// The maximum number of graphemes in a message; 0 for no limit. It blocks sending, never typing.
  public var messageLimit = 0
  /// Whether to refuse a line that begins with blanks and `/`.
  public var slashGuard = true
  /// Whether a command, named without `/`, accepts a text with newlines.
  public var takesNewlines: @Sendable (String) -> Bool

  public init(
    messageLimit: Int = 0, slashGuard: Bool = true,
    takesNewlines: @escaping @Sendable (String) -> Bool = { ["me", "msg", "reply"].contains($0) }
  ) {
    self.messageLimit = messageLimit
    self.slashGuard = slashGuard
    self.takesNewlines = takesNewlines
  }

  /// Judges a text: what Return does with it.
  public func judge(_ text: String) -> LineVerdict {
    guard let first = text.unicodeScalars.first(where: { !$0.properties.isWhitespace }) else {
      return .blank
    }
    if Self.isCommand(text) {
      let name = Self.commandName(text)
      if hasInnerNewline(text) && !takesNewlines(name) {
        return .commandWithNewlines(name: name)
      }
      return .command(text)
    }
    // Compare scalars: a slash with a combining mark is one Character, and would slip through.
    if slashGuard && first == "/" && text.unicodeScalars.first != "/" { return .slashGuard }
    if messageLimit > 0 {
      let length = Self.graphemeCount(of: text)
      if length > messageLimit { return .overLimit(length, limit: messageLimit) }
    }
    let body = Self.unescaped(text)
    return text.utf8.starts(with: [Self.slash, Self.slash, Self.slash])
      ? .manySlashes(body) : .message(body)
  }

  /// Whether Return does something with the text instead of ringing the bell (1.1). A blank text
  /// may be sent with attached files.
  public func allowsSending(_ text: String, hasAttachments: Bool = false) -> Bool {
    switch judge(text) {
    case .message, .command: true
    case .blank: hasAttachments
    case .overLimit, .slashGuard, .manySlashes, .commandWithNewlines: false
    }
  }

  /// The number of graphemes for the limit and the counter: without white space and newlines at
  /// both ends, and with a leading `//` counted as `/` (1.7).
  public static func graphemeCount(of text: String) -> Int {
    characters(in: unescaped(text))
  }

  /// The number of graphemes in the body of a message, without white space and newlines at both
  /// ends; a leading `//` counts as two (1.7).
  public static func characters(in body: String) -> Int { body[...].trimmed.count }

  /// Whether the text begins with a single `/`.
  public static func isCommand(_ text: String) -> Bool {
    let utf8 = text.utf8
    return utf8.first == slash && utf8.dropFirst().first != slash
  }

  /// The text as it is stored: a leading `//` becomes `/`, and newlines at its end are removed.
  static func unescaped(_ text: String) -> String {
    let text = withoutNewlinesAtEnd(text)
    return text.utf8.starts(with: [slash, slash]) ? String(text.unicodeScalars.dropFirst()) : text
  }

  /// The text without the newlines at its end, which are not meant to be sent (1.1).
  package static func withoutNewlinesAtEnd(_ text: String) -> String {
    var text = text[...]
    while let last = text.last, ["\n", "\r\n", "\r"].contains(last) { text.removeLast() }
    return String(text)
  }

  /// The text for a place that takes no lines, such as a search: without newlines at its end, and
  /// with blanks for control characters (1.9).
  package static func onOneLine(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in withoutNewlinesAtEnd(text).unicodeScalars {
      result.append(scalar.properties.generalCategory == .control ? " " : scalar)
    }
    return String(result)
  }

  /// The name of a command line, without `/`.
  static func commandName(_ text: String) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.dropFirst().prefix { !$0.properties.isWhitespace }))
  }

  private func hasInnerNewline(_ text: String) -> Bool {
    text[...].trimmed.utf8.contains(UInt8(ascii: "\n"))
  }

  private static let slash = UInt8(ascii: "/")
}
