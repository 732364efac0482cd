// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

extension IRCLine {
  /// When the server received the message of this line.
  var time: Milliseconds? { tags["time"].flatMap { Timestamp.read($0) } }
}

/// Times in tags, as in `2026-11-25T10:00:00.123Z` (IRCv3 server-time).
enum Timestamp {
  static func read(_ text: String) -> Milliseconds? {
    text.utf8.count <= 64 ? DateParser(text)?.exact : nil
  }

  static func text(_ time: Milliseconds) -> String {
    let milliseconds = String(1_000 + ((time % 1_000) + 1_000) % 1_000).dropFirst()
    return DateParser.text(time).dropLast() + "." + milliseconds + "Z"
  }
}
