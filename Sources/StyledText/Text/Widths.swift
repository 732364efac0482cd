// SPDX-License-Identifier: GPL-3.0-or-later

/// How wide this terminal draws text, in columns. Terminals treat clusters of several code points
/// differently, especially emoji, so the rule is a setting.
public struct Widths: Hashable, Sendable {
  /// How a terminal draws several code points that are one character to a person.
  public enum Clusters: Hashable, Sendable {
    /// The sum of their widths: xterm, libvterm, the Linux console.
    case codePoints
    /// The sum, but a code point after a zero-width joiner counts as 0: tmux 3.3a.
    case joinedAsOne
    /// An emoji of several code points is two columns: kitty, wezterm, ghostty, foot.
    case graphemes
  }

  public var clusters: Clusters
  /// Whether characters of East Asian Width "ambiguous" (`±`, `…`, Greek, Cyrillic) take two
  /// columns.
  public var ambiguousIsWide: Bool

  public init(clusters: Clusters = .codePoints, ambiguousIsWide: Bool = false) {
    self.clusters = clusters
    self.ambiguousIsWide = ambiguousIsWide
  }

  /// The columns that one character takes: 0 for a combining mark by itself and for control
  /// characters, 1 or 2 for most, more for emoji of several code points if the terminal adds them
  /// up. A tab counts as 8, as in column 0.
  public func columns(of character: Character) -> Int {
    let scalars = character.unicodeScalars
    guard let first = scalars.first else { return 0 }
    let width = columns(of: first)
    let second = scalars.index(after: scalars.startIndex)
    if second == scalars.endIndex { return width }
    switch clusters {
    case .codePoints:
      return scalars[second...].reduce(width) { $0 + columns(of: $1) }
    case .joinedAsOne:
      var total = width
      var afterJoiner = false
      for scalar in scalars[second...] {
        if !afterJoiner { total += columns(of: scalar) }
        afterJoiner = scalar.value == 0x200D
      }
      return total
    case .graphemes:
      if isEmojiCluster(scalars) { return 2 }
      return scalars[second...].reduce(width) { $0 + columns(of: $1) }
    }
  }

  /// The columns a text takes on a line of its own. A tab reaches to the next multiple of 8, a
  /// newline counts nothing.
  public func columns(of text: String) -> Int {
    columns(of: text[...])
  }

  /// The columns a text takes on a line of its own. A tab reaches to the next multiple of 8, a
  /// newline counts nothing.
  public func columns(of text: Substring) -> Int {
    let plain = text.utf8.withContiguousStorageIfAvailable { bytes in
      bytes.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
    }
    if plain == true { return text.utf8.count }
    // Character boundaries matter only if several code points form one character; finding them in
    // every text would take many times longer.
    var column = 0
    for scalar in text.unicodeScalars {
      if mayMerge(scalar) { return text.reduce(0) { self.column(after: $1, at: $0) } }
      column = scalar == "\t" ? (column / 8 + 1) * 8 : column + columns(of: scalar)
    }
    return column
  }

  /// Whether a character with this code point may be wider or narrower than the sum.
  private func mayMerge(_ scalar: Unicode.Scalar) -> Bool {
    switch clusters {
    case .codePoints: false
    case .joinedAsOne: scalar.value == 0x200D
    case .graphemes:
      scalar.value == 0x200D || scalar.value == 0xFE0F || isRegionalIndicator(scalar)
        || (0x1F3FB...0x1F3FF).contains(scalar.value) || scalar.value == 0xE007F
    }
  }

  /// The column after a character that begins in column `start`.
  public func column(after character: Character, at start: Int) -> Int {
    character == "\t" ? (start / 8 + 1) * 8 : start + columns(of: character)
  }

  /// The columns of one code point: 0, 1 or 2; 8 for a tab.
  public func columns(of scalar: Unicode.Scalar) -> Int {
    let value = scalar.value
    if value < 0x300 {
      if value < 0x20 { return value == 0x09 ? 8 : 0 }
      if value >= 0x7F && value < 0xA0 { return 0 }
      return ambiguousIsWide && isIn(WidthTable.ambiguous, value) ? 2 : 1
    }
    if value >= 0x4E00 && value <= 0x9FFF || value >= 0xAC00 && value <= 0xD7A3 { return 2 }
    if value >= 0x1160 && value <= 0x11FF { return 0 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .lineSeparator, .paragraphSeparator: return 0
    default: break
    }
    if isIn(WidthTable.wide, value) { return 2 }
    return ambiguousIsWide && isIn(WidthTable.ambiguous, value) ? 2 : 1
  }

  private func isIn(_ table: [(first: UInt32, last: UInt32)], _ value: UInt32) -> Bool {
    var low = 0
    var high = table.count
    while low < high {
      let middle = (low + high) / 2
      if table[middle].last < value { low = middle + 1 } else { high = middle }
    }
    return low < table.count && table[low].first <= value
  }

  /// Whether several code points are drawn as one emoji: a variation selector 16, a skin tone, a
  /// joiner with something after it, two regional indicators, or tags.
  private func isEmojiCluster(_ scalars: Character.UnicodeScalarView) -> Bool {
    guard let first = scalars.first, first.properties.isEmoji else { return false }
    let rest = scalars.dropFirst()
    if isRegionalIndicator(first) { return rest.first.map(isRegionalIndicator) ?? false }
    var afterJoiner = false
    for scalar in rest {
      if afterJoiner || scalar.value == 0xFE0F || scalar.properties.isEmojiModifier
        || scalar.value == 0xE007F
      {
        return true
      }
      afterJoiner = scalar.value == 0x200D
    }
    return false
  }

  private func isRegionalIndicator(_ scalar: Unicode.Scalar) -> Bool {
    (0x1F1E6...0x1F1FF).contains(scalar.value)
  }
}
