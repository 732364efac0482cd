// SPDX-License-Identifier: GPL-3.0-or-later
import StyledText

/// The items of a zone side by side (9.1).
struct ZoneLine {
  private struct Gap {
    var columns = 0
    var isFlexible = false
  }

  private var parts: [StyledLine] = []
  /// One before each part, and one behind the last.
  private var gaps: [Gap] = []
  /// The least the zone takes, in columns; 0 when it draws nothing.
  private(set) var columns = 0

  /// - Parameter spacing: the zone's, in columns.
  init(_ items: [Item], spacing: Int, widths: Widths) {
    let spacing = max(0, spacing)
    var last: Item?
    var spaces: [Item] = []
    for item in items {
      if item.isSpace {
        spaces.append(item)
        continue
      }
      let drawn = item.drawn(widths)
      let width = drawn.columns(widths)
      // What has no width takes its spacing along.
      guard width > 0 else { continue }
      gaps.append(Self.gap(behind: last, spaces, before: item, spacing))
      parts.append(drawn)
      columns += width
      (last, spaces) = (item, [])
    }
    gaps.append(Self.gap(behind: last, spaces, before: nil, spacing))
    columns += gaps.reduce(0) { $0 + $1.columns }
  }

  /// The zone drawn: as wide as its items, or over all of `columns` where a space is flexible, and
  /// cut where it is too narrow.
  func line(columns limit: Int, widths: Widths) -> StyledLine {
    let flexible = gaps.count { $0.isFlexible }
    var left = flexible > 0 ? max(0, limit - columns) : 0
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
    return line.truncated(to: limit, widths: widths)
  }

  private static func gap(
    behind last: Item?, _ spaces: [Item], before next: Item?, _ spacing: Int
  ) -> Gap {
    var gap = Gap()
    for space in spaces {
      if case .fixed(let columns) = space.width { gap.columns += max(0, columns) }
      if space.spacing == .flexible { gap.isFlexible = true }
    }
    guard let last, next != nil else { return gap }
    switch last.spacing {
    case .zone where spaces.isEmpty: gap.columns = spacing
    case .fixed(let columns): gap.columns += max(0, columns)
    case .flexible: gap.isFlexible = true
    case .zone, .none: break
    }
    if gap.isFlexible { gap.columns = max(gap.columns, spacing) }
    return gap
  }
}
