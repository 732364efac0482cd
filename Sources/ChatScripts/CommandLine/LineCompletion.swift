// SPDX-License-Identifier: GPL-3.0-or-later
import StyledText

/// What may come in place of the last word of a line.
enum Candidates {
  case files
  case names([(name: String, help: SafeText?)])
}

extension Program {
  /// - Parameter raw: the words of a line as typed, quotes included, up to the caret.
  func candidates(for raw: [String]) -> Candidates {
    let words = raw.dropFirst().dropLast().map(TypedWord.meaning)
    let names =
      commands.map { ($0.name, Optional(say($0.abstract))) }
      + [("help", say("Show help information."))]
    if words.first == "help" { return .names(names) }
    let (command, rest) = command(in: words)
    let expected = (command ?? bare).expected(for: raw.last ?? "", after: rest)
    let before = command == nil && expected.isFirstWord ? names : []
    let found: [String]
    switch expected.completion {
    case .none: return .names(before + expected.options)
    case .files: return .files
    case .words(let words): found = words
    case .names(let query):
      found = NameCompletion(expected.word, expected.launch).answer(query)
    }
    return .names(before + found.map { (name: expected.prefix + $0, help: nil) })
  }
}

/// What a command expects at a place of its line.
struct ExpectedWord {
  var completion = WordCompletion.none
  /// The word so far, or the part of it that is the value of an option.
  var word: String
  /// The part before it, as in `--as=anna`.
  var prefix = ""
  var isFirstWord = false
  var options: [(name: String, help: SafeText?)] = []
  var launch: LaunchOptions
}

extension Subcommand {
  static func expected(for word: String, after words: [String]) -> ExpectedWord {
    var reader = ArgumentReader<Self>()
    for word in words { try? reader.take(word) }
    var invocation = Invocation<Self>()
    reader.fillKnown(&invocation)
    var expected = ExpectedWord(word: word, launch: invocation.options)
    if let option = reader.awaiting {
      expected.completion = option.completion
    } else if !reader.takesOptions || !word.hasPrefix("-") {
      expected.completion = reader.place?.completion ?? .none
      expected.isFirstWord = reader.place != nil && reader.takesOptions
    } else if let equals = word.firstIndex(of: "=") {
      expected.prefix = String(word[...equals])
      expected.word = String(word[word.index(after: equals)...])
      expected.completion =
        reader.openOptions.first { $0.name + "=" == expected.prefix }?.completion ?? .none
    } else {
      expected.options =
        reader.openOptions.map { ($0.name, $0.explanation) }
        + [("--version", say("Show the version.")), ("--help", say("Show help information."))]
    }
    return expected
  }
}
