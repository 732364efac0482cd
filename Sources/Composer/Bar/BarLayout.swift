// SPDX-License-Identifier: GPL-3.0-or-later
import StyledText

extension InputBar {
  /// Lays the bar out (1.3, 9.1, 9.5).
  ///
  /// From top to bottom: pending lines, the zone above, the input's rows, the menu, the status, the
  /// toolbar. Where the terminal has too few rows, what is lowest goes first, then the oldest pending
  /// lines and the zone above; one row of input always stays.
  ///
  /// The last column stays free, so that no terminal is left between two rows; only the caret may
  /// stand there, behind a full row. A terminal of one column has no other and uses it.
  ///
  /// Left items, a blank and the prompt stand before the text's first row; right items at the end of
  /// the last row that is seen, as long as the text leaves a blank before them: of those that are
  /// kept the status row has the columns otherwise (1.7). The rows below are indented as far, or by
  /// 2 where that were over half of the columns. A prompt too long is cut, so that 8 columns (or a
  /// quarter of a narrow terminal) remain for the text.
  ///
  /// - Parameters:
  ///   - rows: of the terminal.
  ///   - columns: of the terminal.
  ///   - widths: how it counts columns.
  ///   - cache: of this bar; it makes a key in a long text cheap, and changes nothing else.
  public mutating func layout(
    size rows: Int, columns: Int, widths: Widths, cache: inout LayoutCache
  ) -> BarLayout {
    let rows = max(1, rows)
    let columns = columns.asColumns
    let usable = max(1, columns - 1)
    let lead = Lead(of: self, usable: usable, widths: widths)
    let text = TextRows(composed, highlights, lead, usable: usable, widths: widths, cache: &cache)

    let height = min(text.count, inputRowLimit(terminalRows: rows))
    let caretRow = text.caretRow
    scroll = min(max(scroll, caretRow - height + 1, 0), caretRow, text.count - height)
    var input = (scroll..<(scroll + height)).map { text.row($0) }
    if composed.text.isEmpty { addPlaceholder(to: &input[0], usable, widths) }
    let homeless = addRightItems(to: &input[height - 1], usable, widths)

    var above = pending.map { Row(pendingLine($0, usable, widths), upTo: usable, widths) }
    if let line = ownRow(.above, usable, widths) { above.append(Row(line, upTo: usable, widths)) }
    above.removeFirst(max(0, above.count - (rows - height)))
    var frame = Frame(rows: above + input)
    frame.caretRow = above.count + caretRow - scroll
    frame.caretColumn = min(text.caretColumn, max(0, columns - 1))
    let below =
      menu.map { $0.truncated(to: usable, widths: widths) }
      + [statusRow(with: homeless, usable, widths), ownRow(.toolbar, usable, widths)]
      .compactMap(\.self)
    for line in below.prefix(rows - frame.rows.count) {
      frame.rows.append(Row(line, upTo: usable, widths))
    }
    return BarLayout(frame: frame, inputRows: height, totalInputRows: text.count)
  }

  private func pendingLine(_ text: SafeText, _ usable: Int, _ widths: Widths) -> StyledLine {
    let lines = text.lines
    let shown = lines.count > 1 ? lines[0] + " " + Glyphs.unicode.ellipsis : text
    return StyledLine(shown, .dim).truncated(to: usable, widths: widths)
  }

  /// The items of a zone side by side; nil where it draws nothing.
  fileprivate func line(of zone: Zone, _ widths: Widths) -> ZoneLine? {
    let line = ZoneLine(
      zones[zone] ?? [], spacing: spacing(of: zone), width: zoneWidths[zone], widths: widths)
    // Only the left zone has anything behind it that would move.
    return line.columns > 0 && (zone == .left || !line.isEmpty) ? line : nil
  }

  private func ownRow(_ zone: Zone, _ usable: Int, _ widths: Widths) -> StyledLine? {
    let columns = min(usable, zoneWidths[zone]?.asColumns ?? usable)
    return line(of: zone, widths)?.line(columns: columns, widths: widths)
  }

  private func addPlaceholder(to row: inout Row, _ usable: Int, _ widths: Widths) {
    // Right items do not hide for what is not text.
    let right = hidesSideZones ? 0 : line(of: .right, widths)?.columns ?? 0
    let whole = usable - row.columns
    let room = right > 0 && right + 1 < whole ? whole - right - 1 : whole
    let line = StyledLine(placeholder, .dim)
    row.append(line.truncated(to: room, widths: widths), widths: widths)
    row.cut(to: usable)
  }

  /// - Returns: what is to be seen in another row, since this one has no columns for it.
  private func addRightItems(to row: inout Row, _ usable: Int, _ widths: Widths) -> ZoneLine? {
    if zoneWidths[.right]?.asColumns == 0 { return nil }
    let kept = ZoneLine(
      (zones[.right] ?? []).filter(\.isKept), spacing: spacing(of: .right), width: nil,
      widths: widths)
    let shown = hidesSideZones ? [] : [line(of: .right, widths), kept].compactMap(\.self)
    for items in shown where !items.isEmpty && row.columns + 1 + items.columns <= usable {
      row.pad(to: usable - items.columns)
      row.append(items.line(columns: items.columns, widths: widths), widths: widths)
      row.cut(to: usable)
      return nil
    }
    return kept.isEmpty ? nil : kept
  }

  private func statusRow(
    with homeless: ZoneLine?, _ usable: Int, _ widths: Widths
  ) -> StyledLine? {
    guard let homeless else { return ownRow(.status, usable, widths) }
    let items = homeless.line(columns: min(homeless.columns, usable), widths: widths)
    let room = usable - items.columns(widths)
    var line = ownRow(.status, max(0, room - 2), widths) ?? []
    line.append(.blanks(room - line.columns(widths)))
    return line + items
  }
}

/// What stands before the text.
struct Lead {
  /// Left items and the prompt.
  let row: Row
  /// Columns the rows below the first are indented by.
  let indent: Int

  /// How many columns stand before the text's first row.
  var columns: Int { row.columns }

  init(of bar: InputBar, usable: Int, widths: Widths) {
    let forText = max(1, min(8, usable / 4))
    let room = usable - forText
    var line = bar.prompt
    if !bar.hidesSideZones, let left = bar.line(of: .left, widths) {
      // The prompt says where one is; the items go first.
      if left.columns + 1 + bar.prompt.columns(widths) <= room {
        line = left.line(columns: left.columns, widths: widths)
        line.append(" ")
        line.append(bar.prompt)
      }
    }
    if line.columns(widths) > room {
      // Less than three columns say nothing about where one is.
      line = room < 3 ? [] : line.truncated(to: room - 1, widths: widths) + StyledLine(" ")
    }
    row = Row(line, upTo: room, widths)
    indent = row.columns * 2 > usable ? min(2, row.columns) : row.columns
  }
}

extension Row {
  /// A row of at most so many columns.
  fileprivate init(_ line: StyledLine, upTo columns: Int, _ widths: Widths) {
    self.init(line, widths: widths)
    cut(to: columns)
  }

  /// Drops what is too much, wide characters whole. A line that was measured can still be longer
  /// when it is drawn: a newline that slipped into it, or a mark at its start with no letter to
  /// stand on, becomes a blank.
  fileprivate mutating func cut(to columns: Int) {
    guard cells.count > columns else { return }
    var end = max(0, columns)
    while end > 0 && cells[end].columns == 0 { end -= 1 }
    cells.removeSubrange(end...)
  }
}
