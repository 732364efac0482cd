// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Emulator
import Testing

extension PseudoTerminal {
  /// How a part of the screen is drawn, where it stands lowest; nil where it is not there or not
  /// drawn in one style.
  func style(of part: String) -> Emulator.Style? {
    for row in (0..<emulator.rows).reversed() {
      let characters = (0..<emulator.columns).map { emulator.character(row: row, column: $0) }
      for start in characters.indices.reversed()
      where characters[start...].joined().hasPrefix(part) {
        var style: Emulator.Style?
        var (text, column) = ("", start)
        while text.count < part.count, column < characters.count {
          let here = emulator.style(row: row, column: column)
          if let style, style != here { return nil }
          style = here
          text += characters[column]
          column += 1
        }
        return style
      }
    }
    return nil
  }

  /// Waits until the style of a part of the screen meets the condition; returns whether it did.
  func waits(forStyleOf part: String, _ condition: (Emulator.Style) -> Bool) -> Bool {
    wait(for: 10) { _ in style(of: part).map(condition) ?? false }
  }

  /// Presses TAB in the open menu and waits until its first candidate is selected.
  func enterMenu(sourceLocation: SourceLocation = #_sourceLocation) throws {
    send("\t")
    let isEntered = wait(for: 10) { $0.style(row: $0.cursor.row + 1, column: 0).isReverse }
    try #require(isEntered, "\(emulator.picture)", sourceLocation: sourceLocation)
  }

  /// Waits as long as drawing the result of a key may take.
  func rest(_ seconds: Double = 0.2) { _ = wait(for: seconds) { _ in false } }

  /// Types a command and waits until it is carried out.
  func command(_ line: String) throws {
    send(line + "\r")
    // The line looks the same until the first key arrives.
    settle()
    try expect("#lobby> |")
  }
}

extension Home {
  /// A lobby in which people have spoken, the last one last, and rooms that ben has made; none of
  /// them is there any more.
  static func withPeople(
    _ names: [String] = ["ben", "bea", "carl", "cleo", "coco", "cyan", "cent"],
    rooms: [String] = []
  ) throws -> Home {
    let home = try Home()
    let store = try Store(path: home.store, options: .init(createIfMissing: true))
    defer { store.close() }
    try store.writeDurably { transaction in
      let lobby = try transaction.makeRoom("lobby")
      for name in names {
        let person = try transaction.participant(identity: name)
        try transaction.join(person.id, lobby.id)
        try transaction.send("hello", in: lobby.id, by: person.id)
        for room in rooms where name == "ben" {
          try transaction.join(person.id, try transaction.makeRoom(room).id)
        }
      }
    }
    return home
  }
}

/// Keys as a terminal sends them.
enum Key {
  static let up = "\u{1B}[A"
  static let down = "\u{1B}[B"
  static let undo = "\u{1F}"
  static let redo = "\u{1B}/"

  static func paste(_ text: String) -> String { "\u{1B}[200~\(text)\u{1B}[201~" }
}
