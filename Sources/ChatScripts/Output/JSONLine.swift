// SPDX-License-Identifier: GPL-3.0-or-later
import StyledText

/// JSON for standard output, which may be a terminal: unsafe characters become `\uXXXX`, which JSON
/// reads as the same characters (rule 12.1).
enum JSONLine {
  /// Escapes a line of JSON, without its newline.
  static func safe(_ json: String) -> SafeText {
    let safe = SafeText(line: json)
    if safe.string.utf8.elementsEqual(json.utf8) { return safe }
    // Outside strings JSON has only ASCII, so every other character is in a string and can be
    // escaped.
    var escaped = ""
    for unit in json.utf16 {
      if (0x20..<0x7F).contains(unit) {
        escaped.unicodeScalars.append(Unicode.Scalar(UInt8(unit)))
      } else {
        escaped += escape(unit)
      }
    }
    return SafeText(line: escaped)
  }

  private static func escape(_ unit: UInt16) -> String {
    let digits = String(unit, radix: 16)
    return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
  }
}
