// SPDX-License-Identifier: GPL-3.0-or-later

/// The word at the caret that a completion session is about (2.2).
///
/// ```swift
/// FoundWord(prefix: "@", word: "an", range: 4..<7)  // in "ask @an now"
/// ```
public struct FoundWord: Sendable {
  /// The registered prefix it begins with.
  public var prefix: String
  /// The whole word, on both sides of the caret, without the prefix.
  public var word: String
  /// UTF-8 offsets of prefix and word, without brackets and quotes around them.
  public var range: Range<Int>
  /// The caret, a UTF-8 offset. Equality ignores it: the word is the same wherever the caret is in
  /// it.
  public var caret: Int

  public init(prefix: String, word: String, range: Range<Int>, caret: Int? = nil) {
    self.prefix = prefix
    self.word = word
    self.range = range
    self.caret = caret ?? range.upperBound
  }
}

extension FoundWord: Hashable {
  public static func == (left: FoundWord, right: FoundWord) -> Bool {
    left.prefix == right.prefix && left.word == right.word && left.range == right.range
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(prefix)
    hasher.combine(word)
    hasher.combine(range)
  }
}

/// Finds the word at the caret for a set of registered prefixes (2.1 to 2.3).
///
/// ```swift
/// WordFinder(prefixes: ["@", "#"]).find(in: "hi @an", caret: 6)  // "@" and "an"
/// ```
package struct WordFinder: Hashable, Sendable {
  /// Longest first: among prefixes that a word begins with, the longest wins.
  private let prefixes: [String]
  private let lineStartOnly: Set<String>
  private let namesMayContainPrefix: Set<String>
  private let namesMayBeginWithPrefix: Set<String>
  private let allowingBlanks: Set<String>

  /// - Parameters:
  ///   - prefixes: the registered prefixes; an empty one is ignored.
  ///   - lineStartOnly: those that count only as the first characters of the text.
  ///   - namesMayContainPrefix: those whose names may contain the prefix again, such as `@` if
  ///     people have network addresses.
  ///   - namesMayBeginWithPrefix: those whose names may begin with the prefix again, such as `#` if
  ///     a room can be called `##tea`.
  ///   - allowingBlanks: those whose words may contain blanks.
  package init(
    prefixes: [String], lineStartOnly: Set<String> = ["/"],
    namesMayContainPrefix: Set<String> = [], namesMayBeginWithPrefix: Set<String> = [],
    allowingBlanks: Set<String> = []
  ) {
    self.prefixes = Set(prefixes).filter { !$0.isEmpty }
      .sorted { ($1.utf8.count, $0) < ($0.utf8.count, $1) }
    self.lineStartOnly = lineStartOnly
    self.namesMayContainPrefix = namesMayContainPrefix
    self.namesMayBeginWithPrefix = namesMayBeginWithPrefix
    self.allowingBlanks = allowingBlanks
  }

  /// Nobody completes a word with a longer stretch without white space on either side, and looking
  /// for its end would take time at every key.
  static let mostBytesPerSide = 1024

  /// The word at the caret, or nil if there is nothing to complete.
  ///
  /// - Parameters:
  ///   - text: the composed text.
  ///   - caret: a UTF-8 offset.
  package func find(in text: String, caret: Int) -> FoundWord? {
    if prefixes.isEmpty { return nil }
    let caretIndex = text.index(atByte: caret)
    guard let stretch = unbrokenText(around: caretIndex, in: text) else { return nil }
    return find(in: stretch, of: text, caret: caretIndex)
      ?? findWithBlanks(in: text, upTo: stretch, caret: caretIndex)
  }

  private func find(in stretch: Substring, of text: String, caret caretIndex: String.Index)
    -> FoundWord?
  {
    var word = stretch
    var closers: [Unicode.Scalar] = []
    while let first = word.unicodeScalars.first, let closer = Self.closer(of: first),
      registeredPrefix(of: word, in: text) == nil
    {
      closers.append(closer)
      word = word[word.unicodeScalars.index(after: word.startIndex)...]
    }
    guard let prefix = registeredPrefix(of: word, in: text) else { return nil }
    // Remove only what closes a bracket skipped above, and only after the caret.
    while let last = word.unicodeScalars.last, let open = closers.lastIndex(of: last) {
      let end = word.unicodeScalars.index(before: word.endIndex)
      if end < caretIndex { break }
      word = word[..<end]
      closers.remove(at: open)
    }
    let start = text.byteOffset(of: word.startIndex)
    let range = start..<(start + word.utf8.count)
    let caret = text.byteOffset(of: caretIndex)
    let name = word.utf8.dropFirst(prefix.utf8.count)
    guard caret >= start + prefix.utf8.count, !repeats(prefix, in: name) else { return nil }
    return FoundWord(prefix: prefix, word: String(Substring(name)), range: range, caret: caret)
  }

  /// The word that begins with the nearest prefix before the caret, including its blanks.
  private func findWithBlanks(
    in text: String, upTo stretch: Substring, caret: String.Index
  ) -> FoundWord? {
    guard !allowingBlanks.isEmpty else { return nil }
    let scalars = text.unicodeScalars
    var (start, left) = (stretch.startIndex, Self.mostBytesPerSide)
    while start > scalars.startIndex, left > 0 {
      start = scalars.index(before: start)
      left -= 1
      if scalars[start] == "\n" { return nil }
      let isAtWord =
        start == scalars.startIndex
        || scalars[scalars.index(before: start)].properties.isWhitespace
      guard isAtWord, let prefix = registeredPrefix(of: text[start...], in: text) else { continue }
      guard allowingBlanks.contains(prefix) else { return nil }
      return find(in: text[start..<stretch.endIndex], of: text, caret: caret)
    }
    return nil
  }

  /// The text around the caret from white space to white space; nil if that is too long to be a
  /// word.
  private func unbrokenText(around caret: String.Index, in text: String) -> Substring? {
    let scalars = text.unicodeScalars
    var (start, end) = (caret, caret)
    var left = Self.mostBytesPerSide
    while start > scalars.startIndex {
      let before = scalars.index(before: start)
      if scalars[before].properties.isWhitespace { break }
      start = before
      left -= 1
      if left == 0 { return nil }
    }
    left = Self.mostBytesPerSide
    while end < scalars.endIndex, !scalars[end].properties.isWhitespace {
      end = scalars.index(after: end)
      left -= 1
      if left == 0 { return nil }
    }
    return text[start..<end]
  }

  private func registeredPrefix(of word: Substring, in text: String) -> String? {
    prefixes.first { prefix in
      word.utf8.starts(with: prefix.utf8)
        && (word.startIndex == text.startIndex || !lineStartOnly.contains(prefix))
    }
  }

  /// Whether a name contains the prefix again: `@@` and `@a@b` are not names, unless the source
  /// allows the second, or the first.
  private func repeats(_ prefix: String, in name: Substring.UTF8View) -> Bool {
    var name = name
    while name.starts(with: prefix.utf8) {
      guard namesMayBeginWithPrefix.contains(prefix) else { return true }
      name = name.dropFirst(prefix.utf8.count)
    }
    if namesMayContainPrefix.contains(prefix) { return false }
    var rest = name
    while !rest.isEmpty {
      if rest.starts(with: prefix.utf8) { return true }
      rest = rest.dropFirst()
    }
    return false
  }

  private static func closer(of opener: Unicode.Scalar) -> Unicode.Scalar? {
    switch opener {
    case "(": ")"
    case "[": "]"
    case "{": "}"
    case "\"", "'": opener
    default: nil
    }
  }
}
