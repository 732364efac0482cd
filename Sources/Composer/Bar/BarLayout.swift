// SPDX-License-Identifier: GPL-3.0-or-later
import StyledText

extension InputBar {
  /// Lays the bar out (1.3, 9.1, 9.5).
  ///
  /// From top to bottom: pending lines, the zone above, the input's rows, the menu, the status, the
  /// toolbar. If the terminal has too few rows, the lowest ones go first, then the oldest pending
  /// lines and the zone above; one row of input always stays.
  ///
  /// The last column stays free, since terminals disagree on where the cursor is after a character
  /// in it; only the caret may be there, after a full row. A terminal of one column uses that
  /// column anyway.
  ///
  /// Left items, a blank and the prompt come before the text's first row; right items are at the
  /// end of the last visible row, as long as the text leaves a blank before them. If it does not,
  /// those that are kept move to the status row (1.7). The rows after the first are indented to the
  /// column where its text begins, or by 2 if that is more than half of the columns. A prompt that
  /// is too long is cut, so that 8 columns (or a quarter of a narrow terminal) remain for the text.
  ///
  /// - Parameters:
  ///   - rows: of the terminal.
  ///   - columns: of the terminal.
  ///   - widths: how it counts columns.
  ///   - cache: this bar's cache; it makes a key in a long text cheap, and changes nothing else.
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

    var above = pending.map { CellRow(pendingLine($0, usable, widths), upTo: usable, widths) }
    if let line = ownRow(.above, usable, widths) {
      above.append(CellRow(line, upTo: usable, widths))
    }
    above.removeFirst(max(0, above.count - (rows - height)))
    var frame = Frame(rows: above + input)
    frame.caretRow = above.count + caretRow - scroll
    frame.caretColumn = min(text.caretColumn, max(0, columns - 1))
    let below =
      menu.map { $0.truncated(to: usable, widths: widths) }
      + [statusRow(with: homeless, usable, widths), ownRow(.toolbar, usable, widths)]
      .compactMap(\.self)
    for line in below.prefix(rows - frame.rows.count) {
      frame.rows.append(CellRow(line, upTo: usable, widths))
    }
    return BarLayout(frame: frame, inputRows: height, totalInputRows: text.count)
  }

  private func pendingLine(_ text: SafeText, _ usable: Int, _ widths: Widths) -> StyledLine {
    let lines = text.lines
    let shown = lines.count > 1 ? lines[0] + " " + Glyphs.unicode.ellipsis : text
    return StyledLine(shown, .dim).truncated(to: usable, widths: widths)
  }

  private func ownRow(_ zone: Zone, _ usable: Int, _ widths: Widths) -> StyledLine? {
    let columns = min(usable, zoneWidths[zone]?.asColumns ?? usable)
    return zoneLine(of: zone, widths)?.line(columns: columns, widths: widths)
  }

  private func addPlaceholder(to row: inout CellRow, _ usable: Int, _ widths: Widths) {
    // A placeholder is not text, so right items do not hide for it.
    let right = hidesSideZones ? 0 : zoneLine(of: .right, widths)?.columns ?? 0
    let whole = usable - row.columns
    let room = right > 0 && right + 1 < whole ? whole - right - 1 : whole
    let line = StyledLine(placeholder, .dim)
    row.append(line.truncated(to: room, widths: widths), widths: widths)
    row.cut(to: usable)
  }

  /// - Returns: the items to show in another row, since this one has no columns for them.
  private func addRightItems(to row: inout CellRow, _ usable: Int, _ widths: Widths) -> ZoneLine? {
    if zoneWidths[.right]?.asColumns == 0 { return nil }
    let kept = ZoneLine(
      (zones[.right] ?? []).filter(\.isKept), spacing: itemSpacing(of: .right), width: nil,
      widths: widths)
    let shown = hidesSideZones ? [] : [zoneLine(of: .right, widths), kept].compactMap(\.self)
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
