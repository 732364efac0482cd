// SPDX-License-Identifier: GPL-3.0-or-later
import Platform
import StyledText

extension Painter {
  /// Lines as bytes for another program that shows them, such as a pager: with a newline after
  /// each, with styles, without links.
  package static func printed(_ lines: [StyledLine], capabilities: TerminalCapabilities) -> [UInt8]
  {
    var out = ScreenBytes(row: 0, column: nil, columns: .max)
    for line in lines {
      for run in line.runs {
        out.write(run.text.string, capabilities.shown(run.style))
      }
      out.set(.plain)
      out.endLine()
    }
    return out.bytes
  }
}

/// Asks the terminal to put a text into the clipboard (OSC 52).
package enum ClipboardSequence {
  /// Some terminals refuse more than this, 100,000 characters of Base64, so that nothing arrives.
  package static let mostBytes = 74_994

  /// - Parameter text: at most `mostBytes`.
  package static func bytes(_ text: SafeText) -> [UInt8] {
    var bytes = Array("\u{1B}]52;c;".utf8)
    Array(text.string.utf8).withUnsafeBytes { Base64.encode($0, to: &bytes) }
    return bytes + [0x07]
  }
}
