// SPDX-License-Identifier: GPL-3.0-or-later
import StyledText

/// A place on the screen: its row and column, from 0.
package struct CursorPosition: Hashable, Sendable {
  package var row: Int
  package var column: Int

  package init(row: Int, column: Int) {
    self.row = row
    self.column = column
  }

  /// The place that a report names, from 1.
  package init(_ report: Size) {
    self.init(row: report.rows - 1, column: report.columns - 1)
  }
}

/// Asks the terminal itself for its size, since the size that the system reports may be older, or
/// wrong. tmux tells a program up to a quarter of a second after it has wrapped the screen anew,
/// and reports a size that lasted only for a moment after it is gone.
///
/// The question asks twice where the cursor is (DSR 6, answered by CPR; ECMA-48): first where it is
/// now, then in the lower right corner, to which it moves and comes back. Fewer terminals answer
/// xterm's own question for the size, `CSI 18 t`, and tmux 3.3a exchanges rows and columns in its
/// answer.
package enum SizeReport {
  /// The bytes that ask where the cursor is.
  static let cursorQuestion = Array("\u{1B}[6n".utf8)

  /// The bytes that ask. They change nothing on the screen.
  package static let question =
    cursorQuestion + Array("\u{1B}7\u{1B}[9999;9999H".utf8) + cursorQuestion + Array("\u{1B}8".utf8)

  /// How many answers the question gets.
  package static let answers = 2

  /// The row and column in an answer, from 1; those of the second answer are the size. Nil for any
  /// other event. Use it only for events after the question: some terminals send the same bytes for
  /// F3 with a modifier.
  package static func size(in event: KeyEvent) -> Size? {
    guard case .reply(let bytes) = event, bytes.starts(with: [0x1B, UInt8(ascii: "[")]),
      bytes.last == UInt8(ascii: "R")
    else { return nil }
    let numbers = bytes.dropFirst(2).dropLast().split(separator: UInt8(ascii: ";"))
      .map { Int(written: String(decoding: $0, as: UTF8.self), in: 1...9999) }
    guard numbers.count == 2, let rows = numbers[0], let columns = numbers[1] else { return nil }
    return Size(rows: rows, columns: columns)
  }
}
