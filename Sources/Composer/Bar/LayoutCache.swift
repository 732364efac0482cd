// SPDX-License-Identifier: GPL-3.0-or-later
import StyledText

/// How the composed text breaks into rows, kept from one layout to the next. After a key in a
/// long text, only the changed line is wrapped again, from the changed row on.
///
/// One cache belongs to one input bar; an empty one only costs the time of a full wrap.
///
/// ```swift
/// var cache = LayoutCache()  // once
/// // At each key:
/// let drawn = bar.layout(size: rows, columns: columns, widths: widths, cache: &cache)
/// ```
public struct LayoutCache: Sendable {
  /// Where rows begin and how many columns they have.
  struct Geometry: Hashable, Sendable {
    /// Columns for text in the text's very first row.
    var first: Int
    /// Columns for text in every other row.
    var other: Int
    var widths: Widths
  }

  /// One line of the text, without its newline.
  struct Line: Sendable {
    /// In bytes.
    var length: Int
    /// Where its second and later rows start.
    var breaks: [RowStart] = []
  }

  private(set) var lines: [Line] = []
  /// How many lines a message with this text has; newlines at its end do not count (rule 1.1).
  package var lineCount: Int { (lines.lastIndex { $0.length > 0 } ?? 0) + 1 }
  /// Whether a line has more than one row.
  package var isWrapped: Bool { rowCount > lines.count }
  private(set) var rowCount = 0
  private(set) var geometry: Geometry?
  /// The text of the previous layout, to find what has changed since; callers do not say. The cache
  /// has bytes of its own and changes them in place; if it shared the bar's string, the bar would
  /// have to copy the whole string at every key.
  private var bytes: [UInt8] = []

  public init() {}

  /// Updates the breaks for a new text or geometry.
  mutating func update(_ text: String, _ geometry: Geometry) {
    text.withUTF8Bytes { new in
      if self.geometry != geometry || lines.isEmpty {
        self.geometry = geometry
        var nothing: [RowStart] = []
        lines = Self.wrapped(new, 0..<new.count, isFirst: true, keeping: &nothing, geometry)
        rowCount = lines.reduce(0) { $0 + $1.breaks.count + 1 }
        bytes.removeAll(keepingCapacity: true)
        bytes.append(contentsOf: new)
        return
      }
      let (prefix, suffix) = bytes.withUnsafeBufferPointer { old in
        let room = min(old.count, new.count)
        let prefix = TextChange.commonPrefix(old, new, atMost: room)
        return (prefix, TextChange.commonSuffix(old, new, atMost: room - prefix))
      }
      let replaced = prefix..<(bytes.count - suffix)
      let inserted = prefix..<(new.count - suffix)
      if replaced.isEmpty && inserted.isEmpty { return }
      rewrap(new, replaced, inserted, geometry)
      bytes.replaceSubrange(replaced, with: new[inserted])
    }
  }

  /// - Parameters:
  ///   - replaced: the bytes of the old text that were replaced.
  ///   - inserted: the bytes of the new text that replace them.
  private mutating func rewrap(
    _ new: UnsafeBufferPointer<UInt8>, _ replaced: Range<Int>, _ inserted: Range<Int>,
    _ geometry: Geometry
  ) {
    let prefix = replaced.lowerBound
    var (first, start) = (0, 0)
    while start + lines[first].length < prefix {
      start += lines[first].length + 1
      first += 1
    }
    var (last, end) = (first, start + lines[first].length)
    while end < replaced.upperBound {
      last += 1
      end += lines[last].length + 1
    }
    rowCount -= lines[first...last].reduce(0) { $0 + $1.breaks.count + 1 }
    // The changed text may become part of the grapheme before it. So keep rows only up to a certain
    // grapheme boundary whose scalars on both sides are before the change, and so are the same in
    // the old and the new text.
    let same = max(start, new.scalarStart(at: prefix) - 1)
    let untouched = Graphemes.certainBoundary(new, atOrBefore: new.scalarStart(at: same))
    // Swapped out and not copied, since a long line has many rows.
    var kept: [RowStart] = []
    swap(&kept, &lines[first].breaks)
    while let row = kept.last, Int(row.offset) >= max(start, untouched) - start {
      kept.removeLast()
    }
    let rewrapped = Self.wrapped(
      new, start..<(end + inserted.count - replaced.count), isFirst: first == 0, keeping: &kept,
      geometry)
    rowCount += rewrapped.reduce(0) { $0 + $1.breaks.count + 1 }
    lines.replaceSubrange(first...last, with: rewrapped)
  }

  /// Wraps whole lines of the text.
  ///
  /// - Parameter kept: rows of the first line that stay as they were. They are moved into that
  ///   line, so this array is empty afterwards.
  private static func wrapped(
    _ utf8: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, isFirst: Bool,
    keeping kept: inout [RowStart], _ geometry: Geometry
  ) -> [Line] {
    var result: [Line] = []
    var start = range.lowerBound
    while true {
      let end = Motion.lineEnd(in: utf8, offset: start)
      var line = Line(length: end - start)
      swap(&line.breaks, &kept)
      var wrap = RowWrap(
        utf8, start..<end, columns: isFirst && result.isEmpty ? geometry.first : geometry.other,
        widths: geometry.widths)
      if let resume = line.breaks.last { wrap.resume(at: resume, columns: geometry.other) }
      while let next = wrap.nextRow() {
        line.breaks.append(next)
        wrap.columns = geometry.other
      }
      result.append(line)
      guard end < range.upperBound else { return result }
      start = end + 1
    }
  }
}
