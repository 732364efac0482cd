// SPDX-License-Identifier: GPL-3.0-or-later
import StyledText

/// How the composed text breaks into rows, kept from one layout to the next, so that a key in a
/// long text re-wraps its own line from the changed row on, and nothing else.
///
/// One cache belongs to one input bar; an empty one only costs the time of a full wrap.
public struct LayoutCache: Sendable {
  /// Where rows begin and how many columns they have.
  struct Geometry: Hashable, Sendable {
    /// Columns for text in the text's very first row.
    var first: Int
    /// Columns for text in every other row.
    var other: Int
    var widths: Widths
  }

  /// The start of a row.
  struct RowStart: Hashable, Sendable {
    /// UTF-8 offset in the line.
    var offset: Int32
    /// How many pieces of the grapheme there stand in the row before; 0 but for long marks.
    var piece: Int32
  }

  /// One line of the text, without its newline.
  struct Line: Sendable {
    /// In bytes.
    var length: Int
    /// The starts of its rows but the first one.
    var breaks: [RowStart] = []
  }

  private(set) var lines: [Line] = []
  private(set) var rowCount = 0
  private(set) var geometry: Geometry?
  private var text = ""

  public init() {}

  /// Brings the breaks up to date.
  mutating func update(_ new: String, _ geometry: Geometry) {
    let old = text
    text = new
    if self.geometry != geometry || lines.isEmpty {
      self.geometry = geometry
      lines = new.withBytes {
        Self.wrapped($0, 0..<$0.count, isFirst: true, keeping: nil, geometry)
      }
      rowCount = lines.reduce(0) { $0 + $1.breaks.count + 1 }
      return
    }
    old.withBytes { old in
      new.withBytes { new in rewrap(from: old, to: new, geometry) }
    }
  }

  private mutating func rewrap(
    from old: UnsafeBufferPointer<UInt8>, to new: UnsafeBufferPointer<UInt8>, _ geometry: Geometry
  ) {
    let room = min(old.count, new.count)
    let prefix = TextChange.commonPrefix(old, new, atMost: room)
    if prefix == old.count && prefix == new.count { return }
    let suffix = TextChange.commonSuffix(old, new, atMost: room - prefix)
    var (first, start) = (0, 0)
    while start + lines[first].length < prefix {
      start += lines[first].length + 1
      first += 1
    }
    var (last, end) = (first, start + lines[first].length)
    while end < old.count - suffix {
      last += 1
      end += lines[last].length + 1
    }
    // What is changed may join the grapheme before it. Both scalars beside the boundary found here
    // are the same in old and new, so everything before it is what it was.
    let same = max(start, new.scalarStart(at: prefix) - 1)
    let untouched = Graphemes.certainBoundary(new, atOrBefore: new.scalarStart(at: same))
    let kept = Kept(breaks: lines[first].breaks, upTo: max(start, untouched) - start)
    let changed = Self.wrapped(
      new, start..<(end + new.count - old.count), isFirst: first == 0, keeping: kept, geometry)
    rowCount += changed.reduce(0) { $0 + $1.breaks.count + 1 }
    rowCount -= lines[first...last].reduce(0) { $0 + $1.breaks.count + 1 }
    lines.replaceSubrange(first...last, with: changed)
  }

  /// Breaks of a line from before a change, and up to where, in the line, its bytes are the same.
  private struct Kept {
    var breaks: [RowStart]
    var upTo: Int
  }

  /// Wraps whole lines of the text.
  private static func wrapped(
    _ utf8: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, isFirst: Bool, keeping kept: Kept?,
    _ geometry: Geometry
  ) -> [Line] {
    var result: [Line] = []
    var start = range.lowerBound
    var kept = kept
    while true {
      let end = Motion.lineEnd(in: utf8, offset: start)
      var line = Line(length: end - start)
      var wrap = RowWrap(
        utf8, start..<end, columns: isFirst && result.isEmpty ? geometry.first : geometry.other,
        widths: geometry.widths)
      if let old = kept {
        let same = old.breaks.prefix { $0.offset < old.upTo }
        if let resume = same.last {
          line.breaks = Array(same)
          wrap.resume(at: resume, columns: geometry.other)
        }
        kept = nil
      }
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
