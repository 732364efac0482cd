// SPDX-License-Identifier: GPL-3.0-or-later
import StyledText

/// The items of a zone side by side (9.1).
struct ZoneLine {
  private struct Gap {
    var columns = 0
    var isFlexible = false
  }

  private var parts: [StyledLine] = []
  /// One before each part, and one after the last.
  private var gaps: [Gap] = []
  /// The minimum width of the items, in columns.
  private var least = 0
  /// The columns that were set for the zone.
  private let fixed: Int?

  /// The columns the zone takes; 0 when it draws nothing.
  var columns: Int { fixed ?? least }

  /// Whether it has nothing to draw; it may still have a set width.
  var isEmpty: Bool { least == 0 }

  /// - Parameters:
  ///   - spacing: the spacing of the zone, in columns.
  ///   - width: the columns set for the zone; nil for as many as its items take.
  init(_ items: [Item], spacing: Int, width: Int?, widths: Widths) {
    fixed = width?.asColumns
    let spacing = spacing.asColumns
    var last: Item?
    var spaces: [Item] = []
    for item in items {
      if item.isSpace {
        spaces.append(item)
        continue
      }
      let drawn = item.drawn(widths)
      let width = drawn.columns(widths)
      // An item without width has no spacing either.
      guard width > 0 else { continue }
      gaps.append(Self.gap(behind: last, spaces, before: item, spacing))
      parts.append(drawn)
      least += width
      (last, spaces) = (item, [])
    }
    gaps.append(Self.gap(behind: last, spaces, before: nil, spacing))
    least += gaps.reduce(0) { $0 + $1.columns }
  }

  /// Draws the zone: as wide as its items or as its set width; as wide as `columns` if a space is
  /// flexible; and cut if it is too narrow.
  func line(columns limit: Int, widths: Widths) -> StyledLine {
    let flexible = gaps.count { $0.isFlexible }
    var left = flexible > 0 ? max(0, limit - least) : 0
    var share = flexible
    var line = StyledLine()
    for (index, gap) in gaps.enumerated() {
      var blanks = gap.columns
      if gap.isFlexible {
        let part = left / share
        blanks += part
        left -= part
        share -= 1
      }
      line.append(.blanks(blanks))
      if index < parts.count { line.append(parts[index]) }
    }
    line = line.truncated(to: limit, widths: widths)
    if let fixed { line.append(.blanks(min(fixed, limit) - line.columns(widths))) }
    return line
  }

  private static func gap(
    behind last: Item?, _ spaces: [Item], before next: Item?, _ spacing: Int
  ) -> Gap {
    var gap = Gap()
    for space in spaces {
      if case .fixed(let columns) = space.width { gap.columns += columns.asColumns }
      if space.spacing == .flexible { gap.isFlexible = true }
    }
    guard let last, next != nil else { return gap }
    switch last.spacing {
    case .zone where spaces.isEmpty: gap.columns = spacing
    case .fixed(let columns): gap.columns += columns.asColumns
    case .flexible: gap.isFlexible = true
    case .zone, .none: break
    }
    if gap.isFlexible { gap.columns = max(gap.columns, spacing) }
    return gap
  }
}

extension InputBar {
  /// The items of a zone side by side; nil if it draws nothing.
  func zoneLine(of zone: Zone, _ widths: Widths) -> ZoneLine? {
    let line = ZoneLine(
      zones[zone] ?? [], spacing: itemSpacing(of: zone), width: zoneWidths[zone], widths: widths)
    // Only the left zone has something after it that would move.
    return line.columns > 0 && (zone == .left || !line.isEmpty) ? line : nil
  }
}

extension Int {
  /// The number, limited to the columns that a terminal can have: callers may pass anything, and it
  /// must neither overflow nor ask for a gigabyte of blanks.
  var asColumns: Int { Swift.min(Swift.max(0, self), Int(UInt16.max)) }
}
