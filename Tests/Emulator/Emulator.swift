// SPDX-License-Identifier: GPL-3.0-or-later
import CVTerm

/// A terminal in memory (libvterm), for tests: bytes in, pictures out.
///
/// It counts columns as `Widths.Clusters.codePoints` does and knows no dim style. On a resize it cuts
/// rows off as xterm does, or wraps all lines anew as VTE does.
public final class Emulator {
  /// How one cell is drawn. Nil colours are the terminal's own.
  public struct Style: Hashable {
    public var isBold = false
    public var isItalic = false
    public var isUnderlined = false
    public var isReverse = false
    public var isStruck = false
    /// Palette index.
    public var foreground: UInt8?
    /// Palette index.
    public var background: UInt8?
  }

  public private(set) var rows: Int
  public private(set) var columns: Int
  /// Whether lines are wrapped anew on a resize; their styles are lost then.
  public var rewraps = false
  /// How often the bell has rung.
  public private(set) var bells = 0
  /// The title set last by OSC 0 or 2.
  public private(set) var title = ""
  public private(set) var cursorIsVisible = true
  /// Changes of the terminal itself: its titles, its alternate screen, its mouse.
  public private(set) var changes: Set<String> = []
  /// What the terminal has answered to questions (cursor position, device attributes); whoever
  /// passes it on empties it.
  public var answers: [UInt8] = []

  private let terminal: OpaquePointer
  private let state: OpaquePointer
  private let display: OpaquePointer
  // libvterm keeps the address.
  private let callbacks = UnsafeMutablePointer<VTermScreenCallbacks>.allocate(capacity: 1)
  private var scrolledOff: [[VTermScreenCell]] = []

  public init(rows: Int, columns: Int) {
    self.rows = rows
    self.columns = columns
    terminal = vterm_new(Int32(rows), Int32(columns))
    state = vterm_obtain_state(terminal)
    display = vterm_obtain_screen(terminal)
    vterm_set_utf8(terminal, 1)
    callbacks.initialize(to: VTermScreenCallbacks())
    callbacks.pointee.sb_pushline = { count, cells, user in
      let line = Array(UnsafeBufferPointer(start: cells, count: Int(count)))
      Emulator.from(user).scrolledOff.append(line)
      return 1
    }
    callbacks.pointee.sb_popline = { count, cells, user in
      guard let cells, let line = Emulator.from(user).scrolledOff.popLast() else { return 0 }
      for column in 0..<Int(count) {
        var blank = VTermScreenCell()
        blank.width = 1
        cells[column] = column < line.count ? line[column] : blank
      }
      return 1
    }
    callbacks.pointee.bell = { user in
      Emulator.from(user).bells += 1
      return 1
    }
    callbacks.pointee.settermprop = { property, value, user in
      guard let value else { return 0 }
      switch property {
      case VTERM_PROP_TITLE:
        Emulator.from(user).title = String(cString: value.pointee.string)
        Emulator.from(user).changes.insert("title")
      case VTERM_PROP_ICONNAME: Emulator.from(user).changes.insert("icon name")
      case VTERM_PROP_ALTSCREEN: Emulator.from(user).changes.insert("other screen")
      case VTERM_PROP_MOUSE: Emulator.from(user).changes.insert("mouse")
      case VTERM_PROP_REVERSE: Emulator.from(user).changes.insert("reverse")
      case VTERM_PROP_CURSORVISIBLE:
        Emulator.from(user).cursorIsVisible = value.pointee.boolean != 0
      default: break
      }
      return 1
    }
    let user = Unmanaged.passUnretained(self).toOpaque()
    vterm_screen_set_callbacks(display, callbacks, user)
    vterm_output_set_callback(
      terminal,
      { bytes, count, user in
        bytes?.withMemoryRebound(to: UInt8.self, capacity: count) {
          Emulator.from(user).answers += UnsafeBufferPointer(start: $0, count: count)
        }
      }, user)
    vterm_screen_enable_altscreen(display, 1)
    vterm_screen_reset(display, 1)
    changes = []
  }

  deinit {
    vterm_free(terminal)
    callbacks.deallocate()
  }

  private static func from(_ user: UnsafeMutableRawPointer?) -> Emulator {
    Unmanaged<Emulator>.fromOpaque(user!).takeUnretainedValue()
  }

  /// libvterm knows no dim style. If this is set, dim text has this colour of the palette instead.
  public var dimColour: UInt8?
  /// The beginning of a sequence whose rest has not come.
  private var unfinished: [UInt8] = []

  /// The bytes with colours in place of dim styles.
  private func withoutDim(_ bytes: [UInt8], _ colour: UInt8) -> [UInt8] {
    let bytes = unfinished + bytes
    unfinished = []
    var result: [UInt8] = []
    var at = 0
    while at < bytes.count {
      guard bytes[at] == 0x1B, at + 1 == bytes.count || bytes[at + 1] == UInt8(ascii: "[") else {
        result.append(bytes[at])
        at += 1
        continue
      }
      let end = bytes[at...].dropFirst(2).firstIndex { !(0x30...0x3B).contains($0) }
      guard let end, at + 1 < bytes.count else {
        unfinished = Array(bytes[at...])
        break
      }
      var sequence = String(decoding: bytes[at...end], as: UTF8.self)
      if bytes[at + 1] == UInt8(ascii: "["), bytes[end] == UInt8(ascii: "m") {
        var numbers = sequence.dropFirst(2).dropLast().split(separator: ";").map(String.init)
        // Elsewhere it belongs to a colour.
        if let dim = numbers.prefix(3).firstIndex(of: "2"), !numbers[..<dim].contains("38") {
          numbers[dim] = "38;5;\(colour)"
        }
        sequence = "\u{1B}[" + numbers.joined(separator: ";") + "m"
      }
      result += Array(sequence.utf8)
      at = end + 1
    }
    return result
  }

  /// The beginning of a character whose rest has not come. libvterm does not always put the two
  /// together.
  private var partOfCharacter: [UInt8] = []

  /// What a program writes.
  public func feed(_ bytes: [UInt8]) {
    var bytes = partOfCharacter + (dimColour.map { withoutDim(bytes, $0) } ?? bytes)
    partOfCharacter = []
    if let lead = bytes.suffix(3).lastIndex(where: { $0 >= 0xC0 }),
      bytes[lead] >= [0xC0, 0xE0, 0xF0][bytes.count - lead - 1]
    {
      partOfCharacter = Array(bytes[lead...])
      bytes.removeSubrange(lead...)
    }
    bytes.withUnsafeBytes { buffer in
      _ = vterm_input_write(
        terminal, buffer.baseAddress?.assumingMemoryBound(to: CChar.self), buffer.count)
    }
  }

  /// What a program writes.
  public func feed(_ text: String) {
    feed(Array(text.utf8))
  }

  public func resize(rows: Int, columns: Int) {
    guard rewraps, !lines.isEmpty else { return setSize(rows: rows, columns: columns) }
    let (lines, line, column) = linesAndCursor
    func height(_ line: [VTermScreenCell]) -> Int { max(1, (line.count + columns - 1) / columns) }
    // What is below the cursor's line makes room first.
    var end = lines.count
    while end > line + 1, lines[..<end].reduce(0, { $0 + height($1) }) > rows { end -= 1 }
    setSize(rows: rows, columns: columns)
    scrolledOff = []
    feed("\u{1B}[H\u{1B}[J" + lines[..<end].map(text).joined(separator: "\r\n"))
    let above = lines[..<line].reduce(0) { $0 + height($1) }
    let below = lines[..<end].reduce(0) { $0 + height($1) }
    let row = above + min(column / columns, height(lines[line]) - 1) - max(0, below - rows)
    let place = min(column - min(column / columns, height(lines[line]) - 1) * columns, columns - 1)
    feed("\u{1B}[\(row + 1);\(place + 1)H")
  }

  private func setSize(rows: Int, columns: Int) {
    self.rows = rows
    self.columns = columns
    vterm_set_size(terminal, Int32(rows), Int32(columns))
  }

  /// All lines down to the last that holds something or the cursor, and where in them that is. Only
  /// for characters of one column.
  private var linesAndCursor: (lines: [[VTermScreenCell]], line: Int, column: Int) {
    let all = scrolledOff + (0..<rows).map { cells(ofRow: $0) }
    let cursorRow = scrolledOff.count + cursor.row
    let last = all.lastIndex { !trimmedText(of: $0).isEmpty } ?? 0
    var lines: [[VTermScreenCell]] = []
    var (place, isFull) = ((line: 0, column: 0), false)
    for (index, cells) in all[...max(last, cursorRow)].enumerated() {
      if isFull { lines[lines.count - 1] += cells } else { lines.append(cells) }
      if index == cursorRow {
        place = (lines.count - 1, lines[lines.count - 1].count - cells.count + cursor.column)
      }
      isFull = cells.last.map { $0.chars.0 != 0 } ?? false
      if !isFull {
        // Written blanks are there when a row is wrapped, erased ones are not.
        let written = cells.lastIndex { $0.chars.0 != 0 }.map { $0 + 1 } ?? 0
        lines[lines.count - 1].removeLast(cells.count - written)
      }
    }
    return (lines, place.line, place.column)
  }

  /// The rows of the screen, trailing blanks trimmed.
  public var screen: [String] {
    (0..<rows).map { text(ofRow: $0) }
  }

  /// One row of the screen, trailing blanks trimmed; empty where there is no such row.
  public func text(ofRow row: Int) -> String {
    (0..<rows).contains(row) ? trimmedText(of: cells(ofRow: row)) : ""
  }

  /// The rows that went off the top of the screen, oldest first, trailing blanks trimmed.
  public var scrollback: [String] {
    scrolledOff.map(trimmedText)
  }

  /// Scrollback and screen in one, without the empty rows at its end.
  public var history: [String] {
    var all = scrollback + screen
    while all.last == "" { all.removeLast() }
    return all
  }

  /// `history` as it was written: what the terminal broke where a row was full is one line.
  public var lines: [String] {
    var lines: [String] = []
    var isFull = false
    for cells in scrolledOff + (0..<rows).map({ cells(ofRow: $0) }) {
      let text = trimmedText(of: cells)
      if isFull { lines[lines.count - 1] += text } else { lines.append(text) }
      isFull = cells.last.map { $0.chars.0 != 0 } ?? false
    }
    return lines
  }

  /// Row and column of the cursor, from 0.
  public var cursor: (row: Int, column: Int) {
    var position = VTermPos()
    vterm_state_get_cursorpos(state, &position)
    return (Int(position.row), Int(position.col))
  }

  /// The screen as a picture: its rows, with `|` where the cursor stands, without the empty rows
  /// below.
  public var picture: String {
    var lines = screen
    let (row, column) = cursor
    let cells = cells(ofRow: row)
    let before = text(of: cells.prefix(column))
    lines[row] = before + "|" + trimmedText(of: cells.dropFirst(column))
    while lines.last == "" { lines.removeLast() }
    return lines.joined(separator: "\n")
  }

  /// The character at a place: a blank where nothing is, empty in the right half of a wide one.
  public func character(row: Int, column: Int) -> String {
    text(of: CollectionOfOne(cell(row: row, column: column)))
  }

  /// How the cell at a place is drawn; the right half of a wide character is drawn like the left.
  public func style(row: Int, column: Int) -> Style {
    var column = column
    while column > 0 && character(row: row, column: column).isEmpty { column -= 1 }
    let cell = cell(row: row, column: column)
    var style = Style()
    style.isBold = cell.attrs.bold != 0
    style.isItalic = cell.attrs.italic != 0
    style.isUnderlined = cell.attrs.underline != 0
    style.isReverse = cell.attrs.reverse != 0
    style.isStruck = cell.attrs.strike != 0
    style.foreground = index(of: cell.fg, default: VTERM_COLOR_DEFAULT_FG)
    style.background = index(of: cell.bg, default: VTERM_COLOR_DEFAULT_BG)
    return style
  }

  private func index(of color: VTermColor, default flag: VTermColorType) -> UInt8? {
    if UInt32(color.type) & flag.rawValue != 0 { return nil }
    return UInt32(color.type) & VTERM_COLOR_TYPE_MASK.rawValue == VTERM_COLOR_INDEXED.rawValue
      ? color.indexed.idx : nil
  }

  private func cell(row: Int, column: Int) -> VTermScreenCell {
    var cell = VTermScreenCell()
    _ = vterm_screen_get_cell(display, VTermPos(row: Int32(row), col: Int32(column)), &cell)
    return cell
  }

  private func cells(ofRow row: Int) -> [VTermScreenCell] {
    (0..<columns).map { cell(row: row, column: $0) }
  }

  private func trimmedText(of cells: some Collection<VTermScreenCell>) -> String {
    let bytes = bytes(of: cells)
    let end = bytes.lastIndex { $0 != 0x20 }.map { $0 + 1 } ?? 0
    return String(decoding: bytes[..<end], as: UTF8.self)
  }

  private func text(of cells: some Collection<VTermScreenCell>) -> String {
    String(decoding: bytes(of: cells), as: UTF8.self)
  }

  /// In UTF-8, since the tests look at pictures again and again, and strings put together from
  /// characters are slow.
  private func bytes(of cells: some Collection<VTermScreenCell>) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(cells.count)
    for cell in cells {
      switch cell.chars.0 {
      case 0: bytes.append(0x20)
      case 1..<0x80 where cell.chars.1 == 0: bytes.append(UInt8(cell.chars.0))
      // The right half of a wide character.
      case .max: break
      default:
        withUnsafeBytes(of: cell.chars) { chars in
          for value in chars.bindMemory(to: UInt32.self).prefix(while: { $0 != 0 }) {
            bytes += Array(String(Unicode.Scalar(value) ?? "\u{FFFD}").utf8)
          }
        }
      }
    }
    return bytes
  }
}
