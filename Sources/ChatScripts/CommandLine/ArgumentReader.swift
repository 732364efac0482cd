// SPDX-License-Identifier: GPL-3.0-or-later
import ChatPreferences
import Sentences
import StyledText

/// What a command line asks for instead of running its command.
package enum HelpRequest: Error {
  case help, version
}

/// Reads the words of a command's line one by one, and knows what may come next.
struct ArgumentReader<Command: Subcommand> {
  typealias Read = Parameter<Invocation<Command>>

  private let parameters = Invocation<Command>.parameters
  private var values: [(parameter: Read, word: String)] = []
  /// The places of the next words that are no options.
  private var places: ArraySlice<Read>
  private var request: HelpRequest?
  /// The option whose value comes next.
  private(set) var awaiting: Read?
  /// Whether options may come.
  private(set) var takesOptions = true

  init() { places = parameters.filter { !$0.isOption }[...] }

  /// The parameter that the next word fills, unless it is an option; nil if all are filled.
  var place: Read? { places.first }

  /// The options that may still come.
  var openOptions: [Read] {
    parameters.filter { option in
      option.isOption
        && (option.isRepeated || !values.contains { $0.parameter.name == option.name })
    }
  }

  /// - Throws: `WrongUsage` if the word cannot come here.
  mutating func take(_ word: String) throws {
    if let option = awaiting {
      guard option.takesDash || !isOption(word) else { throw missingValue(option) }
      awaiting = nil
      values.append((option, word))
    } else if !takesOptions || !isOption(word) || place?.takesDash == true && Int(word) != nil {
      try put(word)
    } else if word == "--" {
      takesOptions = false
    } else if word == "--help" || word == "-h" {
      request = request ?? .help
    } else if word == "--version" {
      request = request ?? .version
    } else {
      try takeOption(word)
    }
  }

  private func isOption(_ word: String) -> Bool { word.hasPrefix("-") && word != "-" }

  private mutating func put(_ word: String) throws {
    guard let place = places.first else {
      throw WrongUsage(say("Unexpected argument '%1'", SafeText(line: word)))
    }
    values.append((place, word))
    if !place.isRepeated { places.removeFirst() }
  }

  private mutating func takeOption(_ word: String) throws {
    let name = Self.name(of: word)
    guard let option = parameters.first(where: { $0.name == name }) else {
      throw Command.refusal(of: word) ?? unknownOption(word)
    }
    if option.value == nil {
      guard name == word else {
        throw WrongUsage(say("%1 takes no value.", SafeText(line: name)))
      }
      values.append((option, ""))
    } else if name == word {
      awaiting = option
    } else {
      values.append((option, String(word.dropFirst(name.count + 1))))
    }
  }

  private func unknownOption(_ word: String) -> WrongUsage {
    let known = parameters.filter(\.isOption).map { String($0.name.dropFirst(2)) }
    let near = Spelling.nearest(
      to: String(Self.name(of: word).drop { $0 == "-" }), among: known)
    let shown = SafeText(line: word)
    return WrongUsage(
      near.map { say("Unknown option '%1'. Did you mean '%2'?", shown, "--" + SafeText(line: $0)) }
        ?? say("Unknown option '%1'", shown))
  }

  /// The option of `--lines=5`.
  private static func name(of word: String) -> String { String(word.prefix { $0 != "=" }) }

  private func missingValue(_ option: Read) -> WrongUsage {
    WrongUsage(
      say("%1 needs a value: %2", SafeText(line: option.name), SafeText(line: option.label)))
  }

  // MARK: A text of several words

  /// Whether the text of a message begins with this word: a script may send any text, as in
  /// `hobnob send @ben "$msg"`. Behind the conversation, options of this command may come first.
  func beginsText(_ word: String) -> Bool {
    guard place?.isText == true, awaiting == nil else { return false }
    let option = parameters.first { $0.isOption && $0.name == Self.name(of: word) }
    return option == nil || option?.value == nil && option?.name != word
  }

  /// Takes a text with the options at its end, where `--help` and `--version` count, too. All that
  /// comes after a `--` in front is text.
  mutating func takeText(_ words: ArraySlice<String>) throws {
    let hasMark = takesOptions && words.first == "--"
    let text = words.dropFirst(hasMark ? 1 : 0)
    let end = hasMark ? nil : text.indices.first { areOptions(text[$0...]) }
    for word in text[..<(end ?? text.endIndex)] { try put(word) }
    for word in text[(end ?? text.endIndex)...] { try take(word) }
  }

  private func areOptions(_ words: ArraySlice<String>) -> Bool {
    var probe = self
    return words.allSatisfy { word in
      let isValue = probe.awaiting != nil
      guard isValue || word.hasPrefix("--") && word != "--" else { return false }
      return (try? probe.take(word)) != nil
    } && probe.awaiting == nil
  }

  // MARK: The end

  /// Fills in all that was read.
  ///
  /// - Throws: `WrongUsage` if something is missing or has a wrong value; ``HelpRequest``.
  func finish(_ invocation: inout Invocation<Command>) throws {
    if let request { throw request }
    if let awaiting { throw missingValue(awaiting) }
    for (parameter, word) in values { try fill(parameter, with: word, &invocation) }
    if let place, place.isRequired, !values.contains(where: { $0.parameter.name == place.name }) {
      throw WrongUsage(say("%1 is missing. %2", SafeText(line: place.name), place.explanation))
    }
  }

  /// Fills in the values, as far as they are right.
  func fillKnown(_ invocation: inout Invocation<Command>) {
    for (parameter, word) in values { try? fill(parameter, with: word, &invocation) }
  }

  private func fill(
    _ parameter: Read, with word: String, _ invocation: inout Invocation<Command>
  ) throws {
    if parameter.isOption, case .words(let words) = parameter.completion, !words.contains(word) {
      throw WrongUsage(
        say(
          "“%2” is not a valid value for %1; use %3.", SafeText(line: parameter.name),
          SafeText(line: word), words.map { SafeText(line: $0) }.joinedAsList()))
    }
    guard parameter.fill(&invocation, word) else {
      throw WrongUsage(
        say(
          "“%2” is not a valid value for %1. %3", SafeText(line: parameter.label),
          SafeText(line: word), parameter.explanation))
    }
  }
}

extension Parameter {
  /// Its help as a text for people.
  var explanation: SafeText { SafeText(body: translated(help)) }
}
