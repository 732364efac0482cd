// SPDX-License-Identifier: GPL-3.0-or-later
import ChatScripts
import ChatShell

/// Prevents the argument parser from reading a message as options: a script may send any text, as
/// in `hobnob send @ben "$msg"`.
enum TextArguments {
  /// Options that ask about `send`; they count only at the end of the arguments.
  private static let helpOptions: Set = ["--help", "--version"]
  private static let send = OptionNames(of: SendScript.self)

  /// The arguments of `hobnob send` with its options in front and `--` before the text.
  ///
  /// After the conversation, `send`'s own long options count only in two places: directly after it,
  /// and at the very end, where `--help` and `--version` also count. Everything else is text, as is
  /// everything after `--`. The arguments of other commands stay unchanged.
  static func separatingText(in arguments: [String]) -> [String] {
    guard arguments.first == "send" else { return arguments }
    var rest = arguments.dropFirst()
    var options: [String] = []
    takeOptions(from: &rest, into: &options)
    // An option that is not `send`'s comes first: leave it to the parser.
    guard let conversation = rest.first, !conversation.hasPrefix("-") else { return arguments }
    rest.removeFirst()
    takeOptions(from: &rest, into: &options)
    if rest.first == "--" {
      rest.removeFirst()
    } else if let start = rest.indices.first(where: { areOptions(rest[$0...]) }) {
      options += rest[start...]
      rest = rest[..<start]
    }
    return ["send"] + options + [conversation] + (rest.isEmpty ? [] : ["--"] + rest)
  }

  /// The first word of a `hobnob search` query that the parser would read as short options, which
  /// `search` does not have.
  static func wordThatLooksLikeOptions(_ arguments: [String]) -> String? {
    guard arguments.first == "search" else { return nil }
    let options = OptionNames(of: SearchScript.self)
    var rest = arguments.dropFirst()
    while let word = rest.popFirst(), word != "--" {
      if options.withValue.contains(word) {
        rest = rest.dropFirst()
      } else if word.hasPrefix("-"), !word.hasPrefix("--"), word.count > 1, word != "-h" {
        return word
      }
    }
    return nil
  }

  private static func takeOptions(from rest: inout ArraySlice<String>, into options: inout [String])
  {
    while let count = optionLength(in: rest) {
      options += rest.prefix(count)
      rest = rest.dropFirst(count)
    }
  }

  private static func areOptions(_ words: ArraySlice<String>) -> Bool {
    var rest = words
    while let count = lastOptionLength(in: rest) { rest = rest.dropFirst(count) }
    return rest.isEmpty
  }

  /// Like `optionLength(in:)`, but for options after the text: the help options count, and an
  /// option without its value does not.
  private static func lastOptionLength(in words: ArraySlice<String>) -> Int? {
    guard let word = words.first else { return nil }
    if helpOptions.contains(word) { return 1 }
    guard let count = optionLength(in: words), count <= words.count else { return nil }
    return count == 1 || isValue(words[words.startIndex + 1], of: word) ? count : nil
  }

  private static func isValue(_ word: String, of option: String) -> Bool {
    !word.hasPrefix("-") || option == "--reply"
  }

  /// The number of words of the option that `words` begin with, its value included; nil if they
  /// begin with another word.
  private static func optionLength(in words: ArraySlice<String>) -> Int? {
    guard let word = words.first else { return nil }
    if send.flags.contains(word) { return 1 }
    if send.withValue.contains(word) { return 2 }
    let name = String(word.prefix { $0 != "=" })
    return name != word && send.withValue.contains(name) ? 1 : nil
  }
}
