// SPDX-License-Identifier: GPL-3.0-or-later
import StyledText

/// Where an item stands (9.1): beside the text's first row, or in a row below the menu.
public enum Zone: CaseIterable, Hashable, Sendable {
  case left, right, status, toolbar
}

/// Something that stands in a zone (9.1): a label, a counter, a space.
public struct Item: Hashable, Sendable {
  /// How many columns the item takes.
  public enum Width: Hashable, Sendable {
    /// Those of its line.
    case own
    /// So many: the line is cut or filled with blanks.
    case fixed(Int)
  }

  /// The columns between the item and the next one.
  public enum Spacing: Hashable, Sendable {
    /// The zone's.
    case zone
    case none
    case fixed(Int)
    /// The zone's, and a share of what the row has left.
    case flexible
  }

  /// Names the item; what it does when activated is looked up by it.
  public var id: String
  public var line: StyledLine
  public var width: Width
  public var spacing: Spacing
  /// A disabled item is drawn dim.
  public var isEnabled: Bool
  /// A selected item is drawn reverse.
  public var isSelected: Bool

  public init(
    id: String, line: StyledLine, width: Width = .own, spacing: Spacing = .zone,
    isEnabled: Bool = true, isSelected: Bool = false
  ) {
    self.id = id
    self.line = line
    self.width = width
    self.spacing = spacing
    self.isEnabled = isEnabled
    self.isSelected = isSelected
  }

  /// Blank columns, in place of the zone's spacing on both sides.
  public static func fixedSpace(_ columns: Int) -> Item {
    Item(id: "", line: [], width: .fixed(max(0, columns)), spacing: .none)
  }

  /// Takes what the row has left, at least the zone's spacing; several share it. In the left and
  /// right zones, which are as wide as their items, nothing is left.
  public static let flexibleSpace = Item(id: "", line: [], spacing: .flexible)

  /// Whether it is a space: an item without name and text.
  public var isSpace: Bool { id.isEmpty && line.isEmpty }

  /// The item as it is drawn: cut or filled to its width, dim or reverse.
  func drawn(_ widths: Widths) -> StyledLine {
    var drawn = line
    if case .fixed(let columns) = width {
      drawn = drawn.truncated(to: max(0, columns), widths: widths)
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
  /// So many blanks; none for 0 and less.
  static func blanks(_ count: Int) -> SafeText {
    SafeText(line: String(repeating: " ", count: max(0, count)))
  }
}
