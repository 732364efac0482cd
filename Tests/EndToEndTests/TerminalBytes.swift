// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation

/// What a program wrote to a terminal, as sequences and text.
struct TerminalBytes {
  /// The kinds of its sequences: `CSI m`, `CSI ?2004h`, `OSC 52`. What they carry does not count, but
  /// for modes.
  private(set) var kinds: Set<String> = []
  /// The text between them.
  private(set) var text = ""
  private(set) var isUTF8: Bool

  init(_ bytes: [UInt8]) {
    let decoded = String(decoding: bytes, as: UTF8.self)
    isUTF8 = decoded.utf8.elementsEqual(bytes)
    let scalars = Array(decoded.unicodeScalars)
    var plain = String.UnicodeScalarView()
    var at = 0
    while at < scalars.count {
      guard scalars[at] == "\u{1B}" else {
        plain.append(scalars[at])
        at += 1
        continue
      }
      // A separator, so that marks on both sides of a sequence do not combine.
      plain.append("\u{0A}")
      at += 1
      guard at < scalars.count else {
        kinds.insert("ESC alone")
        break
      }
      let introducer = scalars[at]
      at += 1
      switch introducer {
      case "[":
        let start = at
        while at < scalars.count, (0x20..<0x40).contains(scalars[at].value) { at += 1 }
        guard at < scalars.count else { break }
        let parameters = scalars[start..<at].map(String.init).joined()
        let final = String(scalars[at])
        at += 1
        let isMode = final == "h" || final == "l"
        let marks = parameters.filter { !"0123456789;:".contains($0) }
        kinds.insert("CSI " + (isMode ? parameters : marks) + final)
      case "]", "P", "_", "^", "X":
        let start = at
        while at < scalars.count, scalars[at] != "\u{07}", scalars[at] != "\u{1B}" { at += 1 }
        let digits = scalars[start..<at].prefix { ("0"..."9").contains($0) }
        if at < scalars.count, scalars[at] == "\u{1B}" { at += 1 }
        at += 1
        let kind = introducer == "]" ? "OSC " : "string \(introducer) "
        kinds.insert(kind + digits.map(String.init).joined())
      default:
        kinds.insert("ESC \(introducer)")
      }
    }
    text = String(plain)
  }

  /// The parts of the text that a terminal would obey or a reader could not see (rule 12.2).
  ///
  /// - Parameter controls: the permitted ones.
  static func offences(in text: String, controls: Set<Unicode.Scalar>) -> [String] {
    var found: [String] = []
    var marks = 0
    for scalar in text.unicodeScalars {
      let category = scalar.properties.generalCategory
      let isMark = category == .nonspacingMark || category == .enclosingMark
      marks = isMark ? marks + 1 : 0
      if marks == 9 { found.append("a ninth mark on one base") }
      let isOdd =
        switch scalar.value {
        case 0..<0x20: !controls.contains(scalar)
        case 0x7F...0x9F, 0xAD, 0x61C, 0x180E, 0x200E...0x200F, 0x2028...0x202E, 0x2061...0x206F,
          0xFDD0...0xFDEF, 0xFEFF, 0xFFF9...0xFFFB, 0xE0000...0xE00FF:
          true
        default: scalar.value & 0xFFFE == 0xFFFE
        }
      if isOdd { found.append("U+" + String(scalar.value, radix: 16, uppercase: true)) }
    }
    return found
  }
}
