// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import StyledText

/// What stands out in the text of a message (rule 7.9): addresses, `@name`, `#room`, and above all
/// a mention of me.
struct TextMarks: Equatable {
  /// What I am called, folded: the shown name and the identity.
  var myNames: [String] = []
  /// How a mention of me is drawn.
  var me = Style([.bold, .reverse])
  /// Off: addresses are links all the same, and I still find myself.
  var isStyled = true

  init(naming person: Participant? = nil) {
    guard let person else { return }
    myNames = Set([person.name, person.identity]).map(Ranking.folded).sorted()
  }

  /// The marks in one line, ascending.
  ///
  /// - Parameter mine: UTF-8 ranges that are known to name me.
  func overlays(in line: SafeText, mine: [Range<Int>] = []) -> [Overlay] {
    let text = line.string
    // Most messages have nothing of the kind.
    let mayHold = text.utf8.withContiguousStorageIfAvailable { bytes in
      bytes.contains { $0 == 0x40 || $0 == 0x23 || $0 == 0x3A }
    }
    guard mayHold ?? true || !mine.isEmpty else { return [] }
    var found = WebAddresses.ranges(in: text).map { range in
      Overlay(range, isStyled ? .underline : .plain, link: Link(line.bytes(range)))
    }
    for word in Self.words(in: text) {
      let isMe = word.isPerson && names(me: word.name)
      guard isMe || isStyled else { continue }
      found.append(Overlay(word.range, isMe ? me : .bold))
    }
    found += mine.map { Overlay($0, me) }
    found.sort {
      ($0.range.lowerBound, $1.range.upperBound) < ($1.range.lowerBound, $0.range.upperBound)
    }
    var end = 0
    return found.filter { overlay in
      defer { end = max(end, overlay.range.upperBound) }
      return overlay.range.lowerBound >= end
    }
  }

  /// Whether a text calls me by `@` and a name of mine.
  func mentionMe(in text: String) -> Bool {
    text.utf8.contains(0x40) && Self.words(in: text).contains { $0.isPerson && names(me: $0.name) }
  }

  /// `@anna's`: behind the name nothing that could be part of one.
  private func names(me word: Substring) -> Bool {
    let folded = Ranking.folded(String(word))
    return myNames.contains { name in
      guard folded.hasPrefix(name) else { return false }
      guard let next = folded.dropFirst(name.count).first else { return true }
      return !next.isLetter && !next.isNumber && next != "_" && next != "-"
    }
  }

  struct Word {
    /// UTF-8 offsets, sign included.
    var range: Range<Int>
    var isPerson: Bool
    /// Without the sign.
    var name: Substring
  }

  private static let openers = Set(" \t\n([{\"'*_~`".utf8)
  private static let closers = Set(".,;:!?)]}\"'*~`".utf8)

  /// The words that begin with `@` or `#` and hold a letter.
  static func words(in text: String) -> [Word] {
    let bytes = Array(text.utf8)
    var found: [Word] = []
    var at = 0
    while let start = bytes[at...].firstIndex(where: { $0 == 0x40 || $0 == 0x23 }) {
      at = start + 1
      if start > 0, !openers.contains(bytes[start - 1]) { continue }
      var end = at
      while end < bytes.count, bytes[end] != 0x20, bytes[end] != 0x09, bytes[end] != 0x0A {
        end += 1
      }
      at = end
      while end > start + 1, closers.contains(bytes[end - 1]) { end -= 1 }
      let from = text.utf8.index(text.utf8.startIndex, offsetBy: start + 1)
      let name = text[from..<text.utf8.index(text.utf8.startIndex, offsetBy: end)]
      guard let first = name.first, first != "#", first != "@",
        name.contains(where: \.isLetter) || bytes[start] == 0x40 && name.contains(where: \.isNumber)
      else { continue }
      found.append(Word(range: start..<end, isPerson: bytes[start] == 0x40, name: name))
    }
    return found
  }
}
