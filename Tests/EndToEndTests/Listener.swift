// SPDX-License-Identifier: GPL-3.0-or-later

/// A screen reader of a console: it follows what the program writes, byte by byte, and speaks a row
/// when the cursor leaves it. It understands printable text, CR, LF and BS, and nothing else.
struct Listener {
  /// The rows that it spoke, without the times and without those that begin with the prompt.
  private(set) var spoken: [String] = []
  /// The rows that begin with the prompt.
  private(set) var typed: [String] = []
  /// What it could not follow: other bytes, and rows that changed after they were written.
  private(set) var offences: [String] = []
  /// The row that the cursor is in.
  private(set) var row: [Character] = []
  private var column = 0
  private var returns = 0
  private var isRewritten = false

  init(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    if !text.utf8.elementsEqual(bytes) { offences.append("not UTF-8") }
    // CR and LF together are one Character.
    for scalar in text.unicodeScalars { hear(scalar) }
  }

  private mutating func hear(_ scalar: Unicode.Scalar) {
    switch scalar {
    case "\r":
      returns += 1
      column = 0
    case "\n":
      speak()
    case "\u{08}":
      isRewritten = true
      column = max(0, column - 1)
    case "\u{20}"..."\u{7E}", "\u{A0}"...:
      // A CR that no LF follows begins the row anew.
      if returns > 0, !row.isEmpty { isRewritten = true }
      returns = 0
      put(scalar)
    default: offences.append("U+" + String(scalar.value, radix: 16))
    }
  }

  private mutating func put(_ scalar: Unicode.Scalar) {
    let character = Character(scalar)
    if column < row.count { row[column] = character } else { row.append(character) }
    column += 1
  }

  private mutating func speak() {
    var text = String(row)
    while text.last == " " { text.removeLast() }
    let isPrompt = text.firstMatch(of: #/^(#[a-z]+|edit \d+|switch to)>/#) != nil
    if isPrompt || text.hasPrefix("(") {
      typed.append(text)
    } else {
      if isRewritten { offences.append("rewritten: \(text)") }
      spoken.append(text.replacing(#/^\d\d:\d\d /#, with: ""))
    }
    row = []
    (column, returns, isRewritten) = (0, 0, false)
  }
}
