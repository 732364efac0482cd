// SPDX-License-Identifier: GPL-3.0-or-later

/// The text being composed, as a value: what the line editor's buffer holds at this moment.
///
/// Offsets count UTF-8 bytes of `text` and should lie on grapheme boundaries. For any other offset,
/// the nearest boundary before it counts.
///
/// ```swift
/// bar.composed = ComposedText("hello world", caret: 5, region: 0..<5)
/// bar.composed.insert(",")  // "hello, world", the caret after the comma
/// ```
public struct ComposedText: Hashable, Sendable {
  /// As typed, newlines included.
  public var text: String
  /// Where the next key is inserted, a UTF-8 offset.
  public var caret: Int
  /// The active region (between mark and caret), UTF-8 offsets; nil when none is active.
  public var region: Range<Int>?

  /// - Parameters:
  ///   - text: the text, newlines included.
  ///   - caret: a UTF-8 offset; nil puts the caret after the text.
  ///   - region: the active region, UTF-8 offsets.
  public init(_ text: String = "", caret: Int? = nil, region: Range<Int>? = nil) {
    self.text = text
    self.caret = caret ?? text.utf8.count
    self.region = region
  }
}
