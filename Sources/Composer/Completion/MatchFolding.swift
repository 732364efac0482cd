// SPDX-License-Identifier: GPL-3.0-or-later
import StyledText

/// A text without case, accents and character width, for comparing only, so that `lodz` finds
/// `Łódź` (2.5). ß becomes `ss`, ø becomes `o`, and full-width letters become plain ones. Two texts
/// that are canonically equal fold alike in Latin, Greek, Cyrillic and Hangul.
///
/// The standard library has no public decomposition, but it has the name of every scalar, and the
/// name of an accented letter is that of its base and `WITH …`: LATIN SMALL LETTER O WITH STROKE.
/// This also splits the letters that canonical decomposition leaves whole (ø, ł, đ). Arithmetic
/// splits Hangul syllables, so that a half-typed one matches.
package enum MatchFolding {
  /// The folded text; folding it again changes nothing.
  package static func folded(_ text: String) -> String {
    if isFoldedASCII(text) { return text }
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars { appendFolded(scalar, to: &result) }
    return String(result)
  }

  private static func isFoldedASCII(_ text: String) -> Bool {
    text.withUTF8Bytes {
      // Looking at all bytes without a branch takes less time than stopping at the first other one.
      $0.reduce(true) { $0 && $1 < 0x80 && $1 &- 0x41 > 0x5A - 0x41 }
    }
  }

  private static func appendFolded(
    _ scalar: Unicode.Scalar, to result: inout String.UnicodeScalarView
  ) {
    let value = scalar.value
    if value < 0x80 {
      let isCapital = (0x41...0x5A).contains(value)
      result.append(isCapital ? Unicode.Scalar(UInt8(value) + 0x20) : scalar)
    } else if isAccent(value) {
      return
    } else if (0xAC00...0xD7A3).contains(value) {
      appendHangul(value - 0xAC00, to: &result)
    } else if (0xFF01...0xFF5E).contains(value), let half = Unicode.Scalar(value - 0xFEE0) {
      appendFolded(half, to: &result)
    } else if value >= 0x2E80 && value < 0xA640 {
      // East Asian letters have neither case nor accents.
      result.append(scalar)
    } else {
      for small in scalar.properties.lowercaseMapping.unicodeScalars where !isAccent(small.value) {
        // Convert to upper case and back: ß becomes ss, ς the same sigma as σ, ı the same letter as
        // i.
        for upper in (bases[small] ?? small).properties.uppercaseMapping.unicodeScalars {
          result.append(contentsOf: upper.properties.lowercaseMapping.unicodeScalars)
        }
      }
    }
  }

  /// Combining accents of the European scripts, points of Hebrew and Arabic vowels. The vowel signs
  /// of other scripts are letters to those who write them, and stay.
  private static func isAccent(_ value: UInt32) -> Bool {
    switch value {
    case 0x300...0x36F, 0x483...0x487, 0x591...0x5BD, 0x5BF, 0x5C1...0x5C2, 0x5C4...0x5C5, 0x5C7,
      0x610...0x61A, 0x64B...0x65F, 0x670, 0x1AB0...0x1AFF, 0x1DC0...0x1DFF, 0x20D0...0x20FF,
      0xFE20...0xFE2F:
      true
    default: false
    }
  }

  private static func appendHangul(_ syllable: UInt32, to result: inout String.UnicodeScalarView) {
    let parts = [
      0x1100 + syllable / 588, 0x1161 + syllable % 588 / 28, 0x11A7 + syllable % 28,
    ]
    for part in parts where part != 0x11A7 {
      if let jamo = Unicode.Scalar(part) { result.append(jamo) }
    }
  }

  /// From each small letter with an accent to its base.
  private static let bases: [Unicode.Scalar: Unicode.Scalar] = {
    let blocks: [ClosedRange<UInt32>] = [
      0x61...0x7A, 0xDF...0x2AF, 0x370...0x3FF, 0x400...0x52F, 0x1E00...0x1FFF,
    ]
    let small = blocks.joined().compactMap { Unicode.Scalar($0) }
      .filter { $0.properties.isLowercase }
    var byName: [String: Unicode.Scalar] = [:]
    for scalar in small { byName[scalar.properties.name ?? ""] = scalar }
    var bases: [Unicode.Scalar: Unicode.Scalar] = [:]
    for (name, scalar) in byName {
      if let base = baseName(name), let letter = byName[base] { bases[scalar] = letter }
    }
    // Accented letters whose names do not say so.
    for (letter, base) in zip("йёїўѓќ".unicodeScalars, "иеіугк".unicodeScalars) {
      bases[letter] = base
    }
    return bases
  }()

  private static func baseName(_ name: String) -> String? {
    let words = name.split(separator: " ")
    guard let with = words.firstIndex(of: "WITH") else { return nil }
    return words[..<with].joined(separator: " ")
  }
}
