// SPDX-License-Identifier: GPL-3.0-or-later
import CShapes

/// The shape of a name (rule 12.3). Names with look-alike letters, or with digits for letters, have
/// the same shape. It ignores invisible characters, and dots and dashes around the name, but not
/// underscores at its end. It is the skeleton of Unicode Technical Standard 39, section 4, without
/// case.
enum NameShape {
  /// The shape, which is equal for all names that look alike; never empty.
  static func skeleton(_ name: String) -> String {
    var shape = inCanonicalOrder(name.unicodeScalars.flatMap(shape))[...]
    let all = shape
    while let first = shape.first, isPadding(first) { shape.removeFirst() }
    // On IRC people append an underscore when their name is taken.
    while let last = shape.last, isPadding(last), last != "_" { shape.removeLast() }
    // A name that consists only of such characters keeps them.
    if shape.isEmpty { shape = all.isEmpty ? ["?"] : all }
    var text = String.UnicodeScalarView()
    text.append(contentsOf: shape)
    return String(text)
  }

  /// The characters that a character looks like: none, itself, or others.
  private static func shape(_ scalar: Unicode.Scalar) -> [Unicode.Scalar] {
    if scalar.properties.isDefaultIgnorableCodePoint || scalar.properties.isWhitespace { return [] }
    if let letters = Composition.hangul(scalar.value) {
      return letters.compactMap(Unicode.Scalar.init).flatMap(shape)
    }
    var count = 0
    let table = UnsafeBufferPointer(start: cshapes_lines(&count), count: count)
    return shape(scalar, in: table) ?? Array(scalar.properties.lowercaseMapping.unicodeScalars)
  }

  /// - Returns: nil if the table has no line for the character.
  private static func shape(
    _ scalar: Unicode.Scalar, in table: UnsafeBufferPointer<UInt8>
  ) -> [Unicode.Scalar]? {
    let newline = UInt8(ascii: "\n")
    // `low` and `high` are always starts of lines.
    var (low, high) = (0, table.count)
    while low < high {
      let middle = (low + high) / 2
      let start = table[low..<middle].lastIndex(of: newline).map { $0 + 1 } ?? low
      let end = table[middle..<high].firstIndex(of: newline) ?? high
      let line = String(decoding: table[start..<end], as: UTF8.self).unicodeScalars
      guard let character = line.first else { return nil }
      if character == scalar { return Array(line.dropFirst()) }
      if character < scalar { low = min(end + 1, high) } else { high = start }
    }
    return nil
  }

  /// Marks on a letter in the order that canonical equivalence gives them, however they were typed.
  private static func inCanonicalOrder(_ scalars: [Unicode.Scalar]) -> [Unicode.Scalar] {
    let classes = scalars.map(\.properties.canonicalCombiningClass.rawValue)
    guard classes.contains(where: { $0 != 0 }) else { return scalars }
    var (order, start) = (Array(scalars.indices), 0)
    while start < order.count {
      let end = classes[(start + 1)...].firstIndex(of: 0) ?? order.count
      // The standard library's sort need not be stable.
      order[start..<end].sort { (classes[$0], $0) < (classes[$1], $1) }
      start = end
    }
    return order.map { scalars[$0] }
  }

  /// Whether a character around a name is ignored: anything but letters, digits, marks and symbols.
  private static func isPadding(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation,
      .initialPunctuation, .finalPunctuation, .otherPunctuation, .modifierSymbol, .modifierLetter:
      true
    default: scalar == "~"
    }
  }
}
