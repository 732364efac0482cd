// SPDX-License-Identifier: GPL-3.0-or-later

/// What a name looks like (rule 12.3): other letters of the same shape, digits for letters, and dots
/// and lines around it make no difference. A small table of what fonts draw alike, after the idea of
/// Unicode Technical Standard 39.
enum NameShape {
  /// The same for all names that look alike; never empty.
  static func skeleton(_ name: String) -> String {
    var bytes: [UInt8] = []
    for byte in name.utf8 {
      guard byte < 0x80 else { return skeleton(ofAny: name) }
      bytes.append(folded(byte))
    }
    return trimmed(bytes)
  }

  private static func skeleton(ofAny name: String) -> String {
    var bytes: [UInt8] = []
    for scalar in name.unicodeScalars {
      if let letter = letters[scalar] {
        for byte in letter.utf8 { bytes.append(folded(byte)) }
        continue
      }
      if scalar.isASCII {
        bytes.append(folded(UInt8(scalar.value)))
      } else if (0xFF01...0xFF5E).contains(scalar.value) {
        bytes.append(folded(UInt8(scalar.value - 0xFEE0)))
      } else if let letter = mathematical(scalar.value) {
        bytes.append(folded(letter))
      } else if !isInvisible(scalar) {
        bytes += scalar.properties.lowercaseMapping.utf8
      }
    }
    return trimmed(bytes)
  }

  private static func folded(_ byte: UInt8) -> UInt8 {
    switch byte {
    case UInt8(ascii: "0"): UInt8(ascii: "o")
    case UInt8(ascii: "1"), UInt8(ascii: "I"), UInt8(ascii: "|"): UInt8(ascii: "l")
    case 0x41...0x5A: byte | 0x20
    default: byte
    }
  }

  /// Without what stands around a name; `rn` is an m.
  private static func trimmed(_ bytes: [UInt8]) -> String {
    let padding = Set("_-. '`,~^".utf8)
    var middle = bytes[...]
    while let first = middle.first, padding.contains(first) { middle.removeFirst() }
    while let last = middle.last, padding.contains(last) { middle.removeLast() }
    if middle.isEmpty { middle = bytes.isEmpty ? [0x3F] : bytes[...] }
    var result: [UInt8] = []
    for byte in middle {
      if byte == UInt8(ascii: "n"), result.last == UInt8(ascii: "r") {
        result[result.count - 1] = UInt8(ascii: "m")
      } else if byte == UInt8(ascii: "v"), result.last == UInt8(ascii: "v") {
        result[result.count - 1] = UInt8(ascii: "w")
      } else {
        result.append(byte)
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// Zero-width characters, variation selectors, tags, and accents that nothing carries.
  private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isDefaultIgnorableCodePoint || scalar.properties.isWhitespace
  }

  /// 𝐚 and its kin: U+1D400–1D6A3, thirteen alphabets of 52 letters.
  private static func mathematical(_ value: UInt32) -> UInt8? {
    guard (0x1D400...0x1D6A3).contains(value) else { return nil }
    let place = (value - 0x1D400) % 52
    return UInt8(place < 26 ? 0x61 + place : 0x61 + place - 26)
  }

  /// Letters of other scripts that are drawn like Latin ones.
  private static let letters: [Unicode.Scalar: String] = {
    var table: [Unicode.Scalar: String] = [:]
    let alike = [
      "a": "аαɑⲁ", "b": "Вβʙ", "c": "сϲⅽᴄ", "d": "ԁⅾ", "e": "еҽℯ", "g": "ɡց", "h": "һհ",
      "i": "іιıⅰ", "l": "ӏІΙⅠⅼӀןꓲ", "j": "јϳ", "k": "кκᴋ", "m": "мⅿΜ", "n": "ոпη", "o": "оοօഠ०٠০",
      "p": "рρΡ", "q": "ԛգ", "r": "гᴦ", "s": "ѕꜱ", "t": "тτᴛ", "u": "υսцʋ", "v": "νѵⅴ",
      "w": "ԝѡω", "x": "хχⅹ", "y": "уγүʏ", "z": "ᴢ", "A": "АΑ", "C": "СϹⅭ", "E": "ЕΕ", "H": "НΗ",
      "J": "Ј", "K": "КΚ", "M": "М", "N": "Ν", "O": "ОΟ", "P": "Р", "S": "Ѕ", "T": "ТΤ", "X": "ХΧ",
      "Y": "ΥҮ", "Z": "Ζ", "-": "‐‑‒–—−ー", ".": "․·", "_": "＿",
    ]
    for (letter, shapes) in alike {
      for scalar in shapes.unicodeScalars { table[scalar] = letter }
    }
    return table
  }()
}
