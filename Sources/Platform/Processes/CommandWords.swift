// SPDX-License-Identifier: GPL-3.0-or-later

extension ChildProcess {
  /// A command as people write it into a setting or a variable: words between blanks, with quotes
  /// and backslashes removed as in a shell. `$`, `~`, `*` and `|` are plain characters. A command
  /// with an unclosed quote is only split at blanks.
  package static func words(_ command: String) -> [String] {
    var words: [String] = []
    var word: String?
    var quote: Character?
    var rest = Substring(command)
    while let next = rest.popFirst() {
      if next == "\\", quote != "'", let escaped = rest.first {
        let isItself = quote == "\"" && escaped != "\"" && escaped != "\\"
        word = (word ?? "") + (isItself ? "\\" : "") + String(escaped)
        rest.removeFirst()
      } else if next == quote {
        quote = nil
      } else if quote == nil, next == "'" || next == "\"" {
        quote = next
        word = word ?? ""
      } else if quote == nil, next.isWhitespace {
        if let word { words.append(word) }
        word = nil
      } else {
        word = (word ?? "") + String(next)
      }
    }
    if quote != nil { return command.split(whereSeparator: \.isWhitespace).map(String.init) }
    return words + [word].compactMap { $0 }
  }
}
