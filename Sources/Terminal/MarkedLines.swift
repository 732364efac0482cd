// SPDX-License-Identifier: GPL-3.0-or-later

extension Painter {
  /// The settled lines that a typed line has led to, such as the message that it became, or the
  /// answer to a command. They are marked, so that a terminal can go from one to the next, and
  /// select what a command has printed (OSC 133, the semantic prompts of FinalTerm).
  ///
  /// The block itself has no marks: it is drawn again with each message, and terminals would find
  /// a prompt in each drawing, lose the mark with the row that is erased, and take away rows that
  /// they expect a shell to draw again. What remains of a prompt is in its first settled row, so
  /// that one is the prompt (A), and what is below it is output (C to D). `redraw=0` says that
  /// nobody draws it again when the window changes its size.
  public struct MarkedLines: Hashable, Sendable {
    /// The first of the lines, by its index, the first that is output, and the one after the last.
    public var start: Int
    public var output: Int
    public var end: Int

    public init(start: Int, output: Int, end: Int) {
      (self.start, self.output, self.end) = (start, output, end)
    }
  }
}
