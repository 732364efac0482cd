// SPDX-License-Identifier: GPL-3.0-or-later
import Platform
import StyledText

extension Painter {
  /// Lines as bytes for another program that shows them, such as a pager: a newline behind each,
  /// styles in between, no links.
  public static func printed(_ lines: [StyledLine], looks: TerminalCapabilities) -> [UInt8] {
    var out = ScreenBytes(row: 0, column: nil, columns: .max)
    for line in lines {
      for run in line.runs {
        out.write(run.text.string, looks.shown(run.style))
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
    var bytes = Array("\u{1B}]52;c;".utf8)
    Array(text.string.utf8).withUnsafeBytes { Base64.append($0, to: &bytes) }
    return bytes + [0x07]
  }
}
