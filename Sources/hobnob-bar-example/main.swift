// SPDX-License-Identifier: GPL-3.0-or-later
// An input bar in a program of one's own: TAB completes @names, Return sends, C-d leaves.
import Composer
import Glibc
import StyledText

var registry = CompletionRegistry()
let names = CandidateList(["Anna", "Anton", "Ben", "Zoë"].map { Candidate($0) })
registry.register("@", source: names, PrefixRules(behindAtLineStart: ":"))
let controller = BarController(TypedLine(prompt: "say> "), registry: registry)
controller.completion.isLive = false
var (frame, sent) = (Frame(), "")
controller.listen(names) { event in
  guard case .sent(let text) = event else { return }
  sent = SafeText(body: text).lines.reduce("") { $0 + $1.string + "\r\n" }
}

@MainActor func draw() {
  let up = { String(repeating: "\u{1B}M", count: $0) }
  print("\(up(frame.caretRow))\r\u{1B}[J\(sent)", terminator: "")
  var size = winsize()
  _ = ioctl(1, UInt(TIOCGWINSZ), &size)
  let count = SafeText(controller.draft.text.count)
  controller.bar.zones[.right] = [Item(id: "count", line: StyledLine(count))]
  let (rows, columns) = (Int(size.ws_row), Int(size.ws_col))
  frame = controller.layout(rows: rows, columns: columns, widths: Widths()).frame
  let drawn = frame.rows.map(\.string).joined(separator: "\r\n")
  print(drawn, terminator: up(frame.rows.count - 1 - frame.caretRow))
  print("\u{1B}[\(frame.caretColumn + 1)G", terminator: "")
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
  if let known = BarKey(String(decoding: key, as: UTF8.self)) { controller.type(known) }
  key = []
  draw()
  sent = ""
}
tcsetattr(0, TCSADRAIN, &cooked)
print("\n\u{1B}[J", terminator: "")
