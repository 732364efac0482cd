// SPDX-License-Identifier: GPL-3.0-or-later
// An input bar in a program of one's own: TAB completes @names, Return sends, C-d leaves.
import Composer
import Glibc
import StyledText

var (bar, cache, frame) = (InputBar(prompt: "say> "), LayoutCache(), Frame())
let names = ["Anna", "Anton", "Ben", "Zoë"].map { Candidate($0) }

@MainActor func draw(below sent: String = "") {
  let up = { String(repeating: "\u{1B}M", count: $0) }
  print("\(up(frame.caretRow))\r\u{1B}[J\(sent)", terminator: "")
  var size = winsize()
  _ = ioctl(1, UInt(TIOCGWINSZ), &size)
  let (rows, columns) = (Int(size.ws_row), Int(size.ws_col))
  bar.zones[.right] = [Item(id: "count", line: StyledLine(SafeText(bar.composed.text.count)))]
  frame = bar.layout(size: rows, columns: columns, widths: Widths(), cache: &cache).frame
  let drawn = frame.rows.map(\.string).joined(separator: "\r\n")
  print(drawn, terminator: up(frame.rows.count - 1 - frame.caretRow))
  print("\u{1B}[\(frame.caretColumn + 1)G", terminator: "")
}

@MainActor func complete(_ word: FoundWord) {
  let found = Ranking.candidates(names, matching: word.word).beginning
  bar.menu = found.count == 1 ? [] : found.map { StyledLine(SafeText(name: $0.text)) }
  let common = word.prefix + Ranking.commonPart(of: found, typed: word.word)
  if found.count != 1 { return bar.composed.replace(word.range, with: common) }
  let change = Acceptance.replacement(for: found[0], word: word, in: bar.composed.text)
  bar.composed.replace(change.range, with: change.insert, caret: change.caret)
}

var (cooked, key, byte) = (termios(), [UInt8](), UInt8(0))
tcgetattr(0, &cooked)
var raw = cooked
cfmakeraw(&raw)
tcsetattr(0, TCSADRAIN, &raw)
draw()
while fflush(nil) == 0, read(0, &byte, 1) == 1, byte != 4 {
  key.append(byte)
  // A character has all its bytes, an escape sequence its letter.
  if key.count < (~key[0]).leadingZeroBitCount { continue }
  if key[0] == 0x1B && (key.count < 3 || byte < 0x40) { continue }
  let (typed, text, caret) = (key, bar.composed.text, bar.composed.caret)
  let before = Motion.previousGrapheme(in: text, before: caret)
  (key, bar.menu) = ([], [])
  switch String(decoding: typed, as: UTF8.self) {
  case "\r" where LineRules().allowsSending(text):
    bar.composed = ComposedText()
    draw(below: SafeText(body: text).lines.reduce("") { $0 + $1.string + "\r\n" })
  case "\t": WordFinder(prefixes: ["@"]).find(in: text, caret: caret).map(complete)
  case "\u{7F}": bar.composed.replace(before..<caret, with: "")
  case "\u{1B}[D": bar.composed.caret = before
  case "\u{1B}[C": bar.composed.caret = Motion.nextGrapheme(in: text, after: caret)
  case let new: if typed[0] > 0x1B || typed == [10] { bar.composed.insert(new) }
  }
  draw()
}
tcsetattr(0, TCSADRAIN, &cooked)
print("\n\u{1B}[J", terminator: "")
