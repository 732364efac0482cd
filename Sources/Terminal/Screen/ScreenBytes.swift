// SPDX-License-Identifier: GPL-3.0-or-later
import StyledText

/// The bytes of one change to the screen, and where they leave the cursor. Rows are counted from
/// the block's first one; every move is relative.
struct ScreenBytes {
  private(set) var bytes: [UInt8] = []
  private(set) var row: Int
  /// The column of the cursor; nil if that is uncertain: at the right margin, or after characters
  /// that terminals draw in different widths.
  private(set) var column: Int?
  private var pen = Style.plain
  private var openLink: Link?
  private let columns: Int

  init(row: Int, column: Int?, columns: Int) {
    self.row = row
    self.column = column
    self.columns = columns
  }

  /// Moves the cursor within rows that are on the screen.
  mutating func move(toRow row: Int, column target: Int) {
    if row < self.row {
      control(self.row - row, "A")
    } else if row > self.row {
      control(row - self.row, "B")
    }
    self.row = row
    move(toColumn: target)
  }

  private mutating func move(toColumn target: Int) {
    guard let current = column else {
      toFirstColumn()
      move(toColumn: target)
      return
    }
    column = target
    if target == current { return }
    if target == 0 {
      bytes.append(0x0D)
    } else if target > current {
      control(target - current, "C")
    } else if current - target <= 3 {
      for _ in target..<current { bytes.append(0x08) }
    } else if target < 10 && current - target >= 10 {
      bytes.append(0x0D)
      control(target, "C")
    } else {
      control(current - target, "D")
    }
  }

  mutating func toFirstColumn() {
    bytes.append(0x0D)
    column = 0
  }

  /// Moves to the first column of the next row; if there is none, scrolls to make one.
  mutating func nextRow() {
    // A background colour would fill the new row.
    set(.plain)
    bytes += [0x0D, 0x0A]
    row += 1
    column = 0
  }

  /// Call this when the row was written up to its margin: what is written next wraps into the next
  /// row, so that the terminal treats both as one line.
  mutating func wrapOn() {
    row += 1
    column = 0
  }

  /// Makes the row below the first one; the rows above it are settled.
  mutating func settle() {
    nextRow()
    row = 0
  }

  /// Ends a line of text that is not for a screen.
  mutating func endLine() { bytes.append(0x0A) }

  /// Erases from the cursor to the end of the row.
  mutating func eraseToEndOfRow() {
    set(.plain)
    text("\u{1B}[K")
  }

  /// Erases from the cursor to the end of the screen. Never call it in the screen's first column
  /// and row: tmux treats that as clearing the screen, and saves its contents into the scrollback.
  mutating func eraseBelow() {
    set(.plain)
    text("\u{1B}[J")
  }

  /// Writes the cells of a range of columns, which begins and ends with whole characters; the
  /// cursor must be at its start.
  mutating func write(_ cells: ArraySlice<Cell>) {
    for (index, cell) in zip(cells.indices, cells) where cell.columns > 0 {
      set(cell.style)
      let width = Int(cell.columns)
      if isDisputed(cell.character) {
        // If the terminal draws the character narrower, nothing old may stay beside it, and what
        // follows must be in its own column.
        for _ in 0..<width { bytes.append(0x20) }
        column = nil
        move(toColumn: index)
        bytes += cell.character.utf8
        column = nil
        if index + width < columns && index + width < cells.endIndex {
          move(toColumn: index + width)
        }
      } else {
        bytes += cell.character.utf8
        column = index + width < columns ? index + width : nil
      }
    }
  }

  /// Writes text that the terminal may wrap.
  mutating func write(_ characters: String, _ style: Style) {
    set(style)
    bytes += characters.utf8
    column = nil
  }

  /// Makes the text written from now on a link; nil ends the link (OSC 8).
  mutating func link(_ link: Link?) {
    if link == openLink { return }
    openLink = link
    text("\u{1B}]8;;" + (link?.target ?? "") + "\u{1B}\\")
  }

  /// Marks the cursor's place as part of a prompt, or of a command's output (OSC 133).
  mutating func mark(_ what: String) { text("\u{1B}]133;\(what)\u{1B}\\") }

  mutating func set(_ style: Style) {
    if style == pen { return }
    defer { pen = style }
    if style == .plain {
      text("\u{1B}[m")
      return
    }
    var codes = ""
    func add(_ code: String) { codes += codes.isEmpty ? code : ";" + code }
    let adds = pen.attributes.isSubset(of: style.attributes)
    if !adds { add("0") }
    let base = adds ? pen : .plain
    for (attribute, code) in Self.attributeCodes
    where style.attributes.contains(attribute) && !base.attributes.contains(attribute) {
      add(code)
    }
    if style.foreground != base.foreground {
      add(style.foreground.map { Self.code($0, normal: 30, bright: 90) } ?? "39")
    }
    if style.background != base.background {
      add(style.background.map { Self.code($0, normal: 40, bright: 100) } ?? "49")
    }
    text("\u{1B}[" + codes + "m")
  }

  private static let attributeCodes: [(Style.Attributes, String)] = [
    (.bold, "1"), (.dim, "2"), (.italic, "3"), (.underline, "4"), (.reverse, "7"), (.strike, "9"),
  ]

  private static func code(_ color: Color, normal: Int, bright: Int) -> String {
    switch color {
    case .indexed(let index) where index < 8: String(normal + Int(index))
    case .indexed(let index) where index < 16: String(bright + Int(index) - 8)
    case .indexed(let index): "\(normal + 8);5;\(index)"
    case .rgb(let red, let green, let blue): "\(normal + 8);2;\(red);\(green);\(blue)"
    // ``Palette/shown(_:)`` has replaced it.
    case .name: String(normal + 9)
    }
  }

  /// Whether terminals draw it in different widths: emoji of several code points, letters that
  /// join, and recent additions to Unicode. All terminals agree on one code point with accents.
  private func isDisputed(_ character: Character) -> Bool {
    if character.isASCII { return false }
    let scalars = character.unicodeScalars
    guard let first = scalars.first else { return false }
    if first.value >= 0x1FA70 && first.value < 0x20000 { return true }
    return scalars.dropFirst().contains { scalar in
      let isAccent =
        (0x300..<0x600).contains(scalar.value) || scalar.value == 0x3099 || scalar.value == 0x309A
      return !isAccent
    }
  }

  mutating func control(_ count: Int, _ final: String) {
    text(count == 1 ? "\u{1B}[\(final)" : "\u{1B}[\(count)\(final)")
  }

  private mutating func text(_ text: String) {
    bytes += text.utf8
  }
}
