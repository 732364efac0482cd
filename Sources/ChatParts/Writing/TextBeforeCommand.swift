// SPDX-License-Identifier: GPL-3.0-or-later
import Composer

/// The text that was deleted to make room for a command: the line before several characters
/// disappeared at once. Deleting letters one by one is a correction.
package struct TextBeforeCommand {
  private var last = LineDraft()
  private var beforeCut: LineDraft?
  /// Whether the text outlives the present line, because the command asks a question in the next.
  private var isHeld = false

  /// - Parameter draft: the line's text before anything is typed.
  init(_ draft: LineDraft = LineDraft()) { last = draft }

  /// The deleted text; nil while the line has text, or if it had none before.
  var text: LineDraft? { last.isEmpty ? beforeCut : nil }

  package mutating func hold() { isHeld = true }

  /// Call this when the next line has begun.
  mutating func beginLine() {
    if !isHeld { self = TextBeforeCommand() }
    isHeld = false
  }

  mutating func note(_ draft: LineDraft) {
    let (before, now) = (last.text.utf8.count, draft.text.utf8.count)
    if now > before { beforeCut = nil }
    if now < before, beforeCut == nil, Self.isCut(draft.text, from: last.text) { beforeCut = last }
    last = draft
  }

  /// Whether more than one character disappeared. The line may be very long, and each Backspace
  /// asks this: it only examines the deleted text.
  private static func isCut(_ text: String, from former: String) -> Bool {
    let bytes = former.utf8.count - text.utf8.count
    // A character with its marks hardly has more bytes.
    guard (2...100).contains(bytes) else { return bytes > 100 }
    let start = zip(former.utf8, text.utf8).prefix { $0 == $1 }.count
    let utf8 = Array(former.utf8.dropFirst(max(0, start - 3)).prefix(bytes + 3))
    // Go back to the beginning of a character that shares its first bytes with the next.
    var at = min(start, 3)
    while at > 0, utf8[at] & 0xC0 == 0x80 { at -= 1 }
    return String(decoding: utf8.dropFirst(at).prefix(bytes), as: UTF8.self).count > 1
  }
}
