// SPDX-License-Identifier: GPL-3.0-or-later

/// JSON as it may stand on a terminal and in one line.
enum JSONText {
  /// Adds a text of JSON to `result`, with what a terminal would obey or be misled by written as
  /// `\uXXXX`: DEL, C1, line and paragraph separators, bidirectional controls, tags, noncharacters
  /// and whatever else is not seen (rule 12.2), but for the joiners that scripts need; and marks
  /// behind the eighth on one base. SQLite has already written C0 so. None of them can stand outside a string, so it is the same JSON.
  ///
  /// - Parameter json: what SQLite made. What is no UTF-8 in it becomes U+FFFD.
  static func append(_ json: UnsafeBufferPointer<UInt8>, to result: inout [UInt8]) {
    // Nearly every line is written as it is.
    guard json.contains(where: { $0 >= 0x7F }) else {
      result.append(contentsOf: json)
      return
    }
    var marks = 0
    for scalar in String(decoding: json, as: UTF8.self).unicodeScalars {
      let category = scalar.properties.generalCategory
      marks = category == .nonspacingMark || category == .enclosingMark ? marks + 1 : 0
      if marks > 8 || isHarmful(scalar, category) {
        for unit in UTF16.encode(scalar)! {
          let digits = String(unit, radix: 16)
          result += "\\u".utf8
          result += repeatElement(UInt8(ascii: "0"), count: 4 - digits.utf8.count)
          result += digits.utf8
        }
      } else {
        result += UTF8.encode(scalar)!
      }
    }
  }

  private static func isHarmful(
    _ scalar: Unicode.Scalar, _ category: Unicode.GeneralCategory
  ) -> Bool {
    guard scalar.value >= 0x7F else { return false }
    switch category {
    case .control, .format, .lineSeparator, .paragraphSeparator, .unassigned:
      return ![0x200B, 0x200C, 0x200D, 0x2060].contains(scalar.value)
    default: return false
    }
  }
}
