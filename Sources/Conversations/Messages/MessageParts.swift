// SPDX-License-Identifier: GPL-3.0-or-later

/// How a text is cut for a network on which a message is one short line, as on IRC.
package enum MessageParts {
  /// A part of a line of the text.
  package struct Part: Hashable, Sendable {
    /// Without a newline; the blank at which the line was cut stays at its end.
    package var text: String
    /// Whether it continues the line of the part before it.
    package var continues: Bool
  }

  /// Cuts a text at its newlines, and longer lines after blanks; never inside a grapheme, unless
  /// that grapheme alone is too long, and never inside a character.
  ///
  /// - Parameter bytes: of the longest part, in UTF-8; at least 16.
  /// - Returns: an empty part for each blank line.
  package static func of(_ text: String, longest bytes: Int) -> [Part] {
    let most = max(16, bytes)
    var parts: [Part] = []
    for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
      var rest = line
      var continues = false
      while rest.utf8.count > most {
        let end = cut(rest, most)
        parts.append(Part(text: String(rest[..<end]), continues: continues))
        rest = rest[end...]
        continues = true
      }
      parts.append(Part(text: String(rest), continues: continues))
    }
    return parts
  }

  /// Where to cut a line that is longer than `most` bytes.
  private static func cut(_ line: Substring, _ most: Int) -> Substring.Index {
    var (end, afterBlank, bytes) = (line.startIndex, line.startIndex, 0)
    while end < line.endIndex {
      let next = line.index(after: end)
      bytes += line[end..<next].utf8.count
      if bytes > most { break }
      if line[end].isWhitespace { afterBlank = next }
      end = next
    }
    if afterBlank > line.startIndex { return afterBlank }
    if end > line.startIndex { return end }
    // One grapheme, such as a letter with a hundred marks.
    bytes = 0
    for index in line.unicodeScalars.indices {
      bytes += UTF8.width(line.unicodeScalars[index])
      if bytes > most { return index }
    }
    return line.endIndex
  }
}

extension Abilities {
  /// Bytes around each part of an action (CTCP).
  private static let besideAction = 9

  /// How many messages a text becomes in the conversation with an address; 1 on networks without
  /// short lines. Blank lines are not sent unless people see all lines as one message.
  ///
  /// - Parameter most: the largest number to return; it bounds the work for a long text.
  package func messageCount(
    of text: String, kind: Message.Kind = .text, to address: String, upTo most: Int = .max
  ) -> Int {
    guard let longestLine else { return 1 }
    let longest = longestLine - address.utf8.count - (kind == .action ? Self.besideAction : 0)
    if (text.utf8.count - 1) / max(16, longest) >= most { return most }
    let parts = MessageParts.of(text, longest: longest)
    return min(most, max(1, parts.count { !$0.text.allSatisfy(\.isWhitespace) }))
  }
}
