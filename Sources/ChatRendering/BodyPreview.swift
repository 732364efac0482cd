// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import StyledText

/// Which bodies to fold when printing, and what to show of them (rule 12.5).
package struct BodyPreview: Equatable {
  /// Bodies of more bytes than this are folded.
  let mostBytes: Int
  /// Bodies of more lines than this are folded; 0 allows any number of lines.
  var mostLines: Int

  package init(mostBytes: Int = 64 * 1024, mostLines: Int = 40) {
    (self.mostBytes, self.mostLines) = (mostBytes, mostLines)
  }

  /// How much of a folded body is shown.
  private static let shown = (bytes: 1024, lines: 10)

  /// The beginning and the size of a body to fold; nil for any other.
  package func fold(_ body: String) -> (beginning: SafeText, size: SafeText)? {
    let bytes = body.utf8.count
    var size = SafeText(line: Attachment.size(bytes))
    if bytes <= mostBytes {
      let lines = body.utf8.count { $0 == UInt8(ascii: "\n") } + 1
      guard mostLines > 0, lines > mostLines else { return nil }
      size = say("%1 lines", SafeText(lines))
    }
    var end = body.utf8.index(body.startIndex, offsetBy: min(bytes, Self.shown.bytes))
    while String.Index(end, within: body.unicodeScalars) == nil {
      end = body.utf8.index(before: end)
    }
    let most = mostLines > 0 ? min(mostLines, Self.shown.lines) : Self.shown.lines
    let lines = SafeText(body: String(body[..<end])).lines.prefix(most)
    return (lines.joined(separator: "\n"), size)
  }

  /// Cuts a line that is too long for a list to the text around a position in it.
  ///
  /// - Parameters:
  ///   - position: a UTF-8 offset.
  ///   - text: the line.
  /// - Returns: the UTF-8 offsets of whole characters; all of them if the line is not long.
  package static func part(around position: Int, of text: String) -> Range<Int> {
    let utf8 = text.utf8
    guard utf8.count > 400 else { return 0..<utf8.count }
    func boundary(_ offset: Int) -> Int {
      guard offset < utf8.count else { return utf8.count }
      let index = utf8.index(utf8.startIndex, offsetBy: max(0, offset))
      // Go to the end of the character and back: testing byte by byte takes quadratic time.
      let start = text.index(before: text.index(after: index))
      return utf8.distance(from: utf8.startIndex, to: start)
    }
    return boundary(position - 120)..<max(boundary(position - 120), boundary(position + 240))
  }
}
