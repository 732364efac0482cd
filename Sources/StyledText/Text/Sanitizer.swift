// SPDX-License-Identifier: GPL-3.0-or-later

/// Turns any bytes into text that is safe to write (rules 12.2 and 12.6). It accepts any input,
/// takes linear time, and is idempotent, since every placeholder is plain printable ASCII.
///
/// | found | becomes |
/// | --- | --- |
/// | C0 control | `^X` (ESC is `^[`); newline and tab stay in a body |
/// | DEL | `^?` |
/// | C1 control, U+2028, U+2029 | `<U+009B>` |
/// | bidirectional control | `<U+202E>`; dropped in a name |
/// | byte that is not UTF-8 | `<FF>`, each byte |
/// | noncharacter | `<U+FFFE>` |
/// | soft hyphen U+00AD | `-`, as most terminals draw it; dropped in a name |
/// | tag character outside a flag | `<U+E0067>`; dropped in a name |
/// | ZWJ, ZWNJ, ZWSP, word joiner | kept in a body and a line, for scripts need them; dropped in a name |
/// | any other invisible format character | `<U+FEFF>`; dropped in a name |
/// | the 9th and further zero-width code points on one base | `<+N>`, N of them |
struct Sanitizer {
  /// Whether newline and tab stay.
  var keepsNewlineAndTab: Bool
  /// For names: whether to remove invisible characters, and blanks at both ends.
  var dropsInvisible: Bool

  static let body = Sanitizer(keepsNewlineAndTab: true, dropsInvisible: false)
  static let line = Sanitizer(keepsNewlineAndTab: false, dropsInvisible: false)
  static let name = Sanitizer(keepsNewlineAndTab: false, dropsInvisible: true)

  /// How many zero-width code points one base may have. Vietnamese, Hebrew with points and accents,
  /// and the longest emoji flag (7 tags) stay below this limit.
  static let mostMarksOnOneBase = 8

  func safe(_ text: String) -> String {
    var text = text
    return text.withUTF8 { bytes in
      isPlain(bytes) ? nil : rewritten(bytes)
    } ?? (dropsInvisible ? String(text[...].trimmed) : text)
  }

  func safe(_ bytes: some Collection<UInt8>) -> String {
    if let result = bytes.withContiguousStorageIfAvailable({ rewritten($0) }) { return result }
    return ContiguousArray(bytes).withUnsafeBufferPointer { rewritten($0) }
  }

  /// Whether the bytes are all printable ASCII, as in nearly every line: the fast path.
  private func isPlain(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    bytes.allSatisfy(isPlain)
  }

  private func isPlain(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte < 0x7F || keepsNewlineAndTab && (byte == 0x0A || byte == 0x09)
  }

  private func rewritten(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
    var out = SafeBytes(capacity: bytes.count)
    var at = 0
    while at < bytes.count {
      if isPlain(bytes[at]) {
        out.append(plain: bytes[at])
        at += 1
        continue
      }
      guard let (scalar, length) = decodeScalar(bytes, at: at) else {
        out.append(mark: "<\(hex(UInt32(bytes[at]), digits: 2))>")
        at += 1
        continue
      }
      switch verdict(scalar) {
      case .drop: break
      case .mark(let mark): out.append(mark: mark)
      case .keep: out.append(base: bytes[at..<(at + length)])
      case .joiner: out.append(zeroWidth: bytes[at..<(at + length)])
      case .flag:
        if let end = endOfFlag(bytes, from: at + length) {
          out.append(base: bytes[at..<(at + length)])
          var tag = at + length
          while tag < end {
            out.append(zeroWidth: bytes[tag..<(tag + 4)])
            tag += 4
          }
          at = end
          continue
        }
        out.append(base: bytes[at..<(at + length)])
      }
      at += length
    }
    let text = out.finished()
    return dropsInvisible ? String(text[...].trimmed) : text
  }

  private enum Verdict {
    case keep, joiner, drop, flag
    case mark(String)
  }

  private func verdict(_ scalar: Unicode.Scalar) -> Verdict {
    let value = scalar.value
    if value < 0x20 { return .mark("^\(Unicode.Scalar(UInt8(value) + 0x40))") }
    if value == 0x7F { return .mark("^?") }
    if value < 0xA0 || value == 0x2028 || value == 0x2029 { return .mark(named(value)) }
    if value < 0x300 {
      return value == 0xAD ? (dropsInvisible ? .drop : .mark("-")) : .keep
    }
    // Most East Asian letters need no look-up.
    if (0x3040...0x3096).contains(value) || (0x30A0...0x312F).contains(value)
      || (0x3400...0xA48C).contains(value) || (0xAC00...0xD7A3).contains(value)
    {
      return .keep
    }
    if value & 0xFFFE == 0xFFFE || (0xFDD0...0xFDEF).contains(value) {
      return .mark(named(value))
    }
    if value == 0x1F3F4 && !dropsInvisible { return .flag }
    let properties = scalar.properties
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark:
      return dropsInvisible && properties.isDefaultIgnorableCodePoint ? .drop : .joiner
    case .format:
      if !properties.isDefaultIgnorableCodePoint && !(0xFFF9...0xFFFB).contains(value) {
        return .joiner  // visible signs, such as U+0600
      }
      if dropsInvisible { return .drop }
      let isNeededByScripts =
        value == 0x200B || value == 0x200C || value == 0x200D || value == 0x2060
      return isNeededByScripts ? .joiner : .mark(named(value))
    case .control, .surrogate:
      return .mark(named(value))
    case .unassigned where properties.isDefaultIgnorableCodePoint:
      return dropsInvisible ? .drop : .mark(named(value))
    default:
      if dropsInvisible && properties.isDefaultIgnorableCodePoint { return .drop }
      return isHangulJoiner(value) ? .joiner : .keep
    }
  }

  /// Whether it is a vowel or final consonant of old Hangul, which takes no columns of its own.
  private func isHangulJoiner(_ value: UInt32) -> Bool {
    (0x1160...0x11FF).contains(value)
  }

  /// The end of the tags that turn a black flag into the flag of a region (England: `gbeng`): three
  /// to six letters and digits, and the closing tag.
  private func endOfFlag(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
    var at = start
    while let (tag, length) = decodeScalar(bytes, at: at) {
      let count = (at - start) / 4
      at += length
      switch tag.value {
      case 0xE0030...0xE0039, 0xE0061...0xE007A:
        if count == 6 { return nil }
      case 0xE007F:
        return count >= 3 ? at : nil
      default:
        return nil
      }
    }
    return nil
  }

  private func named(_ value: UInt32) -> String {
    "<U+\(hex(value, digits: 4))>"
  }

  private func hex(_ value: UInt32, digits: Int) -> String {
    let short = String(value, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, digits - short.count)) + short
  }
}

/// The sanitiser's output so far; counts the zero-width code points on one base.
private struct SafeBytes {
  private var bytes: [UInt8] = []
  private var marksOnBase = 0
  private var cut = 0

  init(capacity: Int) {
    bytes.reserveCapacity(capacity + capacity / 8)
  }

  mutating func append(plain byte: UInt8) {
    endOfBase()
    bytes.append(byte)
  }

  mutating func append(mark: String) {
    endOfBase()
    bytes.append(contentsOf: mark.utf8)
  }

  mutating func append(base encoded: Slice<UnsafeBufferPointer<UInt8>>) {
    endOfBase()
    bytes.append(contentsOf: encoded)
  }

  mutating func append(zeroWidth encoded: Slice<UnsafeBufferPointer<UInt8>>) {
    if marksOnBase == Sanitizer.mostMarksOnOneBase {
      cut += 1
    } else {
      marksOnBase += 1
      bytes.append(contentsOf: encoded)
    }
  }

  private mutating func endOfBase() {
    marksOnBase = 0
    if cut > 0 {
      let mark = "<+\(cut)>"
      cut = 0
      bytes.append(contentsOf: mark.utf8)
    }
  }

  consuming func finished() -> String {
    endOfBase()
    return String(decoding: bytes, as: UTF8.self)
  }
}
