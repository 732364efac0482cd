// SPDX-License-Identifier: GPL-3.0-or-later
import StyledText

/// A place on the screen: its row and column, from 0.
public struct CursorPosition: Hashable, Sendable {
  public var row: Int
  public var column: Int

  public init(row: Int, column: Int) {
    self.row = row
    self.column = column
  }
}

/// The terminal's own word on its size: what the system tells may be older, or untrue. tmux tells a
/// program up to a quarter of a second later than it has wrapped the screen anew, and a size that
/// was there for a moment only after it has gone.
///
/// The question is twice where the cursor is (DSR 6, answered by CPR; ECMA-48): first where it
/// stands, then in the lowest right corner, for which it goes there and back. The question made for
/// the size, xterm's `CSI 18 t`, is answered by fewer terminals, and by tmux 3.3a with rows and
/// columns exchanged.
public enum SizeReport {
  /// What is written to ask. Nothing on the screen changes.
  public static let question = Array("\u{1B}[6n\u{1B}7\u{1B}[9999;9999H\u{1B}[6n\u{1B}8".utf8)

  /// How many answers come to the question.
  public static let answers = 2

  /// Row and column that an event answers with, from 1, of which the second are the size; nil where
  /// it is something else. Ask only for what came behind the question: with F3 and a modifier some
  /// terminals send the same.
  public static func size(in event: KeyEvent) -> Size? {
    guard case .reply(let bytes) = event, bytes.starts(with: [0x1B, UInt8(ascii: "[")]),
      bytes.last == UInt8(ascii: "R")
    else { return nil }
    let numbers = bytes.dropFirst(2).dropLast().split(separator: UInt8(ascii: ";"))
      .map { Int(written: String(decoding: $0, as: UTF8.self), in: 1...9999) }
    guard numbers.count == 2, let rows = numbers[0], let columns = numbers[1] else { return nil }
    return Size(rows: rows, columns: columns)
  }
}
