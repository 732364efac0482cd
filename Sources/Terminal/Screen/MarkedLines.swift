// SPDX-License-Identifier: GPL-3.0-or-later

extension Painter {
  /// The settled lines that result from a typed line, such as the message that it became, or the
  /// answer to a command. They are marked, so that a terminal can jump from one to the next, and
  /// select what a command has printed (OSC 133, the semantic prompts of FinalTerm).
  ///
  /// The block itself has no marks. It is drawn again with each message, so terminals would find a
  /// prompt in each drawing, lose the mark with each row that is erased, and remove rows that they
  /// expect a shell to draw again. Instead, the first settled row is marked as the prompt (A), and
  /// the rows below it as output (C to D). `redraw=0` says that nobody draws the prompt again when
  /// the window changes its size.
  package struct MarkedLines: Hashable, Sendable {
    /// The indexes of the first line, of the first line of output, and of the line after the last.
    package var start: Int
    package var output: Int
    package var end: Int

    package init(start: Int, output: Int, end: Int) {
      (self.start, self.output, self.end) = (start, output, end)
    }
  }
}
