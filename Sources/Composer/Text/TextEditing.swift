// SPDX-License-Identifier: GPL-3.0-or-later

extension ComposedText {
  /// Replaces a part of the text and ends the region; for programs without a line editor.
  ///
  /// ```swift
  /// let start = Motion.previousGrapheme(in: composed.text, before: composed.caret)
  /// composed.replace(start..<composed.caret, with: "")  // Backspace
  /// ```
  ///
  /// - Parameters:
  ///   - range: UTF-8 offsets; the part outside the text is ignored, and an offset inside a code
  ///     point is moved to its start.
  ///   - insert: the new text of that range.
  ///   - caret: the caret afterwards, a UTF-8 offset; nil puts it after the inserted text.
  public mutating func replace(_ range: Range<Int>, with insert: String, caret: Int? = nil) {
    let bounds = text.index(atByte: range.lowerBound)..<text.index(atByte: range.upperBound)
    let start = text.byteOffset(of: bounds.lowerBound)
    text.replaceSubrange(bounds, with: insert)
    self.caret = min(max(0, caret ?? start + insert.utf8.count), text.utf8.count)
    region = nil
  }

  /// Inserts text at the caret and moves the caret after it.
  public mutating func insert(_ insert: String) {
    replace(caret..<caret, with: insert)
  }
}
