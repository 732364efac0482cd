// SPDX-License-Identifier: GPL-3.0-or-later

extension ComposedText {
  /// Replaces a part of the text and ends the region; for programs that edit without a line editor.
  ///
  /// ```swift
  /// let start = Motion.previousGrapheme(in: composed.text, before: composed.caret)
  /// composed.replace(start..<composed.caret, with: "")  // Backspace
  /// ```
  ///
  /// - Parameters:
  ///   - range: UTF-8 offsets; what lies outside the text is left out, what lies inside a code point
  ///     is moved to its start.
  ///   - insert: what stands there afterwards.
  ///   - caret: where the caret stands afterwards, a UTF-8 offset; nil for behind the inserted text.
  public mutating func replace(_ range: Range<Int>, with insert: String, caret: Int? = nil) {
    let bounds = text.index(atByte: range.lowerBound)..<text.index(atByte: range.upperBound)
    let start = text.byteOffset(of: bounds.lowerBound)
    text.replaceSubrange(bounds, with: insert)
    self.caret = min(max(0, caret ?? start + insert.utf8.count), text.utf8.count)
    region = nil
  }

  /// Puts text in at the caret, and the caret behind it.
  public mutating func insert(_ insert: String) {
    replace(caret..<caret, with: insert)
  }
}
