// SPDX-License-Identifier: GPL-3.0-or-later
import StyledText

extension Painter {
  /// Lines as bytes for another program that shows them, such as a pager: a newline behind each,
  /// styles in between, no links.
  public static func printed(_ lines: [StyledLine], looks: Looks) -> [UInt8] {
    var out = ScreenBytes(row: 0, column: nil, columns: .max)
    for line in lines {
      for run in line.runs {
        out.write(run.text.string, looks.colors ? run.style : Style(run.style.attributes))
      }
      out.set(.plain)
      out.newline()
    }
    return out.bytes
  }
}

/// What asks the terminal to put a text into the clipboard (OSC 52).
public enum ClipboardSequence {
  /// More is refused by some terminals, so that none of it arrives: 100,000 characters of Base64.
  public static let mostBytes = 74_994

  /// - Parameter text: at most `mostBytes`.
  public static func bytes(_ text: SafeText) -> [UInt8] {
    Array("\u{1B}]52;c;".utf8) + base64(Array(text.string.utf8)) + [0x07]
  }

  /// RFC 4648.
  static func base64(_ bytes: [UInt8]) -> [UInt8] {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var result: [UInt8] = []
    result.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      var bits: UInt32 = 0
      for index in 0..<3 {
        bits = bits << 8 | (index < group.count ? UInt32(group[start + index]) : 0)
      }
      for index in 0..<4 {
        let isPadding = index > group.count
        result.append(isPadding ? 0x3D : alphabet[Int(bits >> (18 - 6 * index)) & 63])
      }
    }
    return result
  }
}
