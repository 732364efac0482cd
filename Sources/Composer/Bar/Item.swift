// SPDX-License-Identifier: GPL-3.0-or-later
import StyledText

/// Where an item is drawn (9.1): beside the text's first row, in a row below the menu, or in one
/// above the prompt.
///
/// ```swift
/// bar.zones[.right] = [Item(id: "counter", line: StyledLine("12/140"))]
/// ```
public enum Zone: Int, CaseIterable, Sendable {
  case left, right, status, toolbar, above
}

/// A part of a zone (9.1): a label, a counter, a space.
///
/// ```swift
/// bar.zones[.toolbar] = [
///   Item(id: "files", line: StyledLine("[2 files]")), .flexibleSpace,
///   Item(id: "help", line: StyledLine("F1 help", .dim)),
/// ]
/// ```
///
/// An item with a name and no text draws nothing, but its events are still sent (`BarEvent`).
public struct Item: Hashable, Sendable {
  /// How many columns the item takes. (`InputBar.zoneWidths` sets those of a whole zone.)
  ///
  /// ```swift
  /// Item(id: "clock", line: "9:05", width: .fixed(5))  // does not move at ten
  /// ```
  public enum Width: Hashable, Sendable {
    /// As many as its line has.
    case own
    /// This many; the line is cut or filled with blanks.
    case fixed(Int)
  }

  /// The columns between the item and the next one.
  ///
  /// ```swift
  /// Item(id: "clip", line: "[1 file]", spacing: .flexible)  // the next item is at the row's end
  /// ```
  public enum Spacing: Hashable, Sendable {
    /// The spacing of the zone.
    case zone
    case none
    case fixed(Int)
    /// The spacing of the zone, and a share of the row's free columns.
    case flexible
  }

  /// The item's name, unique among all zones; events carry it.
  public var id: String
  /// What is drawn.
  public var line: StyledLine
  /// The columns it takes.
  public var width: Width
  /// The columns after it.
  public var spacing: Spacing
  /// A disabled item is drawn dim.
  public var isEnabled: Bool
  /// A selected item is drawn reverse.
  public var isSelected: Bool
  /// Whether a right item moves to the status row when the text needs its columns (1.7); other
  /// items hide.
  public var isKept: Bool

  public init(
    id: String, line: StyledLine, width: Width = .own, spacing: Spacing = .zone,
    isEnabled: Bool = true, isSelected: Bool = false, isKept: Bool = false
  ) {
    self.id = id
    self.line = line
    self.width = width
    self.spacing = spacing
    self.isEnabled = isEnabled
    self.isSelected = isSelected
    self.isKept = isKept
  }

  /// Blank columns, in place of the zone's spacing on both sides.
  public static func fixedSpace(_ columns: Int) -> Item {
    Item(id: "", line: [], width: .fixed(columns.asColumns), spacing: .none)
  }

  /// Takes the row's free columns, but at least the zone's spacing; several such spaces share them.
  /// A left or right zone that is as wide as its items has no free columns; see
  /// `InputBar.zoneWidths`.
  public static let flexibleSpace = Item(id: "", line: [], spacing: .flexible)

  /// Whether it is a space: an item without name and text.
  public var isSpace: Bool { id.isEmpty && line.isEmpty }

  /// The item as it is drawn: cut or filled to its width, dim or reverse.
  func drawn(_ widths: Widths) -> StyledLine {
    var drawn = line
    if case .fixed(let columns) = width {
      let columns = columns.asColumns
      drawn = drawn.truncated(to: columns, widths: widths)
      drawn.append(.blanks(columns - drawn.columns(widths)))
    }
    for run in drawn.runs.indices {
      if !isEnabled { drawn.runs[run].style.attributes.insert(.dim) }
      if isSelected { drawn.runs[run].style.attributes.insert(.reverse) }
    }
    return drawn
  }
}

extension SafeText {
  /// A text of so many blanks; empty for 0 and less.
  static func blanks(_ count: Int) -> SafeText {
    SafeText(line: String(repeating: " ", count: max(0, count)))
  }
}
