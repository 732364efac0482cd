// SPDX-License-Identifier: GPL-3.0-or-later
import StyledText

/// The input bar as a value: the text being composed and everything around it. Its look is a pure
/// function of this value and of the terminal's size (9.5).
///
/// ```swift
/// var bar = InputBar()
/// bar.prompt = StyledLine("#lobby> ", .bold)
/// bar.composed = ComposedText("hello")
/// let drawn = bar.layout(size: 24, columns: 80, widths: widths, cache: &cache)
/// painter.paint(drawn.frame)
/// ```
public struct InputBar: Hashable, Sendable {
  /// Drawn before the text's first row.
  public var prompt: StyledLine = []
  /// The text, the caret and the region.
  public var composed = ComposedText()
  /// Styles for parts of the text, such as mentions and `*bold*`; where two overlap, the later one
  /// counts.
  public var highlights: [Highlight] = []
  /// Drawn dim while the text is empty; never part of the text (1.8).
  public var placeholder: SafeText = ""
  /// Sent lines that wait for the store: dim, one row each, above the prompt (1.2).
  public var pending: [SafeText] = []
  /// The items of each zone (9.1).
  public var zones: ZoneValues<[Item]> = [:]
  /// Columns between two items; by default left 0, right 0, the others 2 (9.1).
  public var spacing: ZoneValues<Int> = [:]
  /// The columns that a zone takes; nil for as many as its items take, 0 to draw nothing (9.1).
  ///
  /// A left or right zone with a set width keeps that width whatever it holds: hobnob cuts what is
  /// too long, and the zone's flexible spaces share what is left. The left one keeps its columns
  /// even when it is empty, so that the prompt stays where it is. The other zones are cut at their
  /// width.
  ///
  /// ```swift
  /// bar.zoneWidths[.right] = 7  // the counter may grow from 9/140 to 140/140
  /// bar.zoneWidths[.toolbar] = 0  // not now
  /// ```
  public var zoneWidths: ZoneValues<Int> = [:]
  /// Left and right items are not drawn; edit mode sets it (3.2).
  public var hidesSideZones = false
  /// Rows under the input, such as the completion menu (2.7).
  public var menu: [StyledLine] = []
  /// The maximum number of rows before the text scrolls inside the bar; nil for the default for
  /// this height of terminal, 0 for as many as fit. `inputRowLimit(terminalRows:)` has the rule
  /// (1.3).
  public var maxInputRows: Int?
  /// The first visible input row. `layout` sets it so that the caret is in view.
  public var scroll = 0

  /// A bar without text.
  public init(prompt: SafeText = "") {
    self.prompt = StyledLine(prompt)
  }

  /// A style for a part of the text.
  ///
  /// ```swift
  /// bar.highlights = [.init(0..<5, .bold)]
  /// ```
  public struct Highlight: Hashable, Sendable {
    /// UTF-8 offsets.
    public var range: Range<Int>
    /// How it is drawn; the region adds reverse video to it.
    public var style: Style

    public init(_ range: Range<Int>, _ style: Style) {
      self.range = range
      self.style = style
    }
  }

  /// The spacing of a zone, in columns.
  public func itemSpacing(of zone: Zone) -> Int {
    switch zone {
    case .left, .right: spacing[zone] ?? 0
    case .status, .toolbar, .above: spacing[zone] ?? 2
    }
  }

  /// All items of all zones, in the order left, right, status, toolbar, above. Includes spaces.
  public var items: [Item] { Zone.allCases.flatMap { zones[$0] ?? [] } }

  /// The item with a name; nil if no item has that name.
  ///
  /// ```swift
  /// if let files = bar.item("files") { controller.activate(files) }
  /// ```
  public func item(_ id: String) -> Item? {
    for zone in Zone.allCases {
      if let item = zones[zone]?.first(where: { $0.id == id && !$0.isSpace }) { return item }
    }
    return nil
  }

  /// How many rows the text may take (1.3): `maxInputRows`, or 4 below 24 terminal rows, 6 from 24
  /// and 8 from 48; never more than the terminal's rows − 2, at least 1.
  public func inputRowLimit(terminalRows rows: Int) -> Int {
    let fitting = max(1, rows - 2)
    switch maxInputRows {
    case nil: return min(fitting, rows < 24 ? 4 : rows < 48 ? 6 : 8)
    case .some(let most) where most > 0: return min(fitting, most)
    case .some: return fitting
    }
  }
}

/// The input bar as rows of cells (9.5).
///
/// ```swift
/// for row in drawn.frame.rows { print(row.string) }  // without styles; the caret is in the frame
/// ```
public struct BarLayout: Hashable, Sendable {
  /// What is drawn, and the caret.
  public var frame: Frame
  /// The number of visible rows of text.
  public var inputRows: Int
  /// The number of rows that the text would take if all were visible. Above
  /// `InputBar.inputRowLimit(terminalRows:)` the text scrolls, and the bell rings the first time
  /// (1.3).
  public var totalInputRows: Int

  public init(frame: Frame, inputRows: Int, totalInputRows: Int) {
    self.frame = frame
    self.inputRows = inputRows
    self.totalInputRows = totalInputRows
  }
}
