// SPDX-License-Identifier: GPL-3.0-or-later

/// How the search treats a character outside ASCII.
enum CharacterClass: Equatable {
  case separator
  /// It neither ends a word nor matters: accents, invisible characters, skin tones.
  case dropped
  /// A letter of a word, folded; two letters if one character means two.
  case letter(UInt32, UInt32?)
  /// Part of the preceding letter.
  case mark
  /// A piece by itself.
  case single
  /// One of the two letters of a flag.
  case flagLetter

  init(of value: UInt32) {
    if CharacterClass.isDropped(value) {
      self = .dropped
    } else if let meaning = LetterFolds.meaning(of: value) {
      self = meaning
    } else if (0xFF01...0xFF5E).contains(value) {
      self = CharacterClass.halfWidth(value - 0xFEE0)
    } else if (0x1F1E6...0x1F1FF).contains(value) {
      self = .flagLetter
    } else if let scalar = Unicode.Scalar(value) {
      self = CharacterClass.byProperties(scalar)
    } else {
      self = .separator
    }
  }

  private static func halfWidth(_ ascii: UInt32) -> CharacterClass {
    switch ascii {
    case 0x30...0x39, 0x61...0x7A: .letter(ascii, nil)
    case 0x41...0x5A: .letter(ascii + 0x20, nil)
    default: .separator
    }
  }

  /// Accents of the European scripts, points of Hebrew, vowels of Arabic; people who write other
  /// scripts regard their vowel signs as letters. Enclosing marks, presentation selectors and skin
  /// tones.
  private static func isDropped(_ value: UInt32) -> Bool {
    switch value {
    case 0xAD, 0x300...0x36F, 0x483...0x489, 0x591...0x5BD, 0x5BF, 0x5C1...0x5C2, 0x5C4...0x5C5,
      0x5C7, 0x610...0x61A, 0x640, 0x64B...0x65F, 0x670, 0x1AB0...0x1AFF, 0x1DC0...0x1DFF,
      0x20D0...0x20FF, 0xFE00...0xFE0F, 0xFE20...0xFE2F, 0x1F3FB...0x1F3FF, 0xE0100...0xE01EF:
      true
    default: false
    }
  }

  private static func byProperties(_ scalar: Unicode.Scalar) -> CharacterClass {
    let value = scalar.value
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark:
      return .mark
    case .uppercaseLetter, .titlecaseLetter, .lowercaseLetter, .modifierLetter, .otherLetter,
      .decimalNumber, .letterNumber, .otherNumber, .privateUse:
      return isWrittenWithoutBlanks(value) ? .single : .letter(LetterFolds.folded(scalar), nil)
    case .otherSymbol:
      return .single
    case .format:
      // In scripts without blanks, a zero-width space marks the end of a word.
      return value == 0x200B ? .separator : .dropped
    case .unassigned:
      // Emoji that are newer than this program's Unicode.
      return (0x1F000...0x1FAFF).contains(value) ? .single : .separator
    default:
      return value > 0xFF && scalar.properties.isEmoji ? .single : .separator
    }
  }

  private static func isWrittenWithoutBlanks(_ value: UInt32) -> Bool {
    switch value {
    case 0x0E00...0x0EFF,  // Thai, Lao
      0x1000...0x109F, 0xA9E0...0xA9FE, 0xAA60...0xAA7F,  // Myanmar
      0x1100...0x11FF, 0x3130...0x318F, 0xA960...0xA97F, 0xAC00...0xD7FF,  // Hangul
      0x1780...0x17FF, 0x1950...0x19FF, 0x1A20...0x1AAF, 0xAA80...0xAADF,  // Khmer, Tai
      0x1B00...0x1B7F, 0xA980...0xA9DF,  // Balinese, Javanese
      0x2E80...0x2FDF, 0x3005...0x3007, 0x3021...0x303C,  // radicals, Han numerals and repeats
      0x3040...0x312F, 0x31A0...0x31FF,  // kana, bopomofo
      0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF, 0xF900...0xFAFF,  // Han, Yi
      0xFF66...0xFFDC,  // half-width kana and Hangul
      0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF, 0x20000...0x3FFFD:  // Tangut, old kana, Han
      true
    default: false
    }
  }
}

/// Characters that can be written as one code point or in parts; the piece is the same in both
/// cases.
enum Composition {
  /// - Returns: the letters of a Hangul syllable; nil for anything else (The Unicode Standard,
  ///   3.12).
  static func hangul(_ syllable: UInt32) -> [UInt32]? {
    guard (0xAC00...0xD7A3).contains(syllable) else { return nil }
    let syllableIndex = syllable - 0xAC00
    let letters = [
      0x1100 + syllableIndex / 588, 0x1161 + syllableIndex % 588 / 28, 0x11A7 + syllableIndex % 28,
    ]
    return syllableIndex % 28 == 0 ? letters.dropLast() : letters
  }

  /// - Returns: the syllable made of a Hangul letter, or half a syllable, and the next letter.
  static func hangul(_ former: UInt32, _ next: UInt32) -> UInt32? {
    if (0x1100...0x1112).contains(former), (0x1161...0x1175).contains(next) {
      return 0xAC00 + ((former - 0x1100) * 21 + (next - 0x1161)) * 28
    }
    if (0xAC00...0xD7A3).contains(former), (former - 0xAC00) % 28 == 0,
      (0x11A8...0x11C2).contains(next)
    {
      return former + next - 0x11A7
    }
    return nil
  }

  /// - Returns: the kana with its voicing mark (U+3099 or U+309A).
  static func kana(_ base: UInt32, _ mark: UInt32) -> UInt32? {
    // Katakana are 96 after their hiragana.
    let hiragana = (0x30A1...0x30F6).contains(base) ? base - 0x60 : base
    switch (mark, hiragana) {
    case (0x3099, 0x3046): return base + 0x4E
    case (0x3099, 0x304B...0x3062) where hiragana % 2 == 1,
      (0x3099, 0x3064...0x3069) where hiragana % 2 == 0,
      (0x3099, 0x306F...0x307D) where hiragana % 3 == 0:
      return base + 1
    case (0x309A, 0x306F...0x307D) where hiragana % 3 == 0:
      return base + 2
    case (0x3099, 0x309D), (0x3099, 0x30FD): return base + 1
    case (0x3099, 0x308F...0x3092) where base != hiragana: return base + 8
    default: return nil
    }
  }
}
