// SPDX-License-Identifier: GPL-3.0-or-later
import ChatScripts
import ChatShell

/// Keeps a text on the command line from being taken for options: a script sends whatever `"$msg"`
/// holds.
enum TextArguments {
  /// Questions about `send`, which count only where the line ends.
  private static let questions: Set = ["--help", "--version"]
  private static let send = OptionNames(of: SendScript.self)

  /// The arguments of `hobnob send` with its options in front and `--` before the text.
  ///
  /// Behind the conversation all is text but send's own long options in front of it, and a row of
  /// them, `--help` and `--version` with which the line ends. Behind `--` all is text. Other commands
  /// stay as they are.
  static func marked(_ arguments: [String]) -> [String] {
    guard arguments.first == "send" else { return arguments }
    var rest = arguments.dropFirst()
    var options: [String] = []
    takeOptions(from: &rest, into: &options)
    // Anything else there is the parser's to refuse, or to help with.
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

  /// The word of `hobnob search` that the parser would take for short options, which it has not.
  static func slippedWord(_ arguments: [String]) -> String? {
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
    while let count = width(of: rest) {
      options += rest.prefix(count)
      rest = rest.dropFirst(count)
    }
  }

  private static func areOptions(_ words: ArraySlice<String>) -> Bool {
    var rest = words
    while let count = rest.first.map(questions.contains) == true ? 1 : width(of: rest),
      count <= rest.count,
      count == 1 || isValue(rest[rest.startIndex + 1], of: rest[rest.startIndex])
    {
      rest = rest.dropFirst(count)
    }
    return rest.isEmpty
  }

  private static func isValue(_ word: String, of option: String) -> Bool {
    !word.hasPrefix("-") || option == "--reply"
  }

  /// How many words the option takes with which a command line begins; nil where none does.
  private static func width(of words: ArraySlice<String>) -> Int? {
    guard let word = words.first else { return nil }
    if send.flags.contains(word) { return 1 }
    if send.withValue.contains(word) { return 2 }
    let name = String(word.prefix { $0 != "=" })
    return name != word && send.withValue.contains(name) ? 1 : nil
  }
}
