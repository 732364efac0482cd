// SPDX-License-Identifier: GPL-3.0-or-later

/// An option or another word of a command line, and the property of a command that it fills.
package struct Parameter<Command> {
  /// `--lines`, or for a word that is no option's, its place in the usage: `CONVERSATION`.
  let name: String
  /// What the value of an option is called, as in `--lines <n>`; nil if it takes none.
  let value: String?
  let completion: WordCompletion
  let isRequired: Bool
  let isRepeated: Bool
  /// Whether its value may begin with `-`, as a number can.
  let takesDash: Bool
  /// Whether all words from here on are a text, except options at its beginning and its end.
  let isText: Bool
  /// The value without this option, as its help says.
  let usual: String?
  let help: StaticString
  /// - Returns: false if the word is no such value.
  let fill: (inout Command, String) -> Bool

  /// - Parameters:
  ///   - path: the property, which keeps its value without this parameter.
  ///   - value: what the value is called; nil for a flag, and for a word that is no option's.
  ///   - isRequired: whether the command line must have it; nil if only its type decides that.
  package init<Value: ArgumentValue>(
    _ name: String, _ path: WritableKeyPath<Command, Value>, value: String? = nil,
    completes completion: WordCompletion = .none, isRequired: Bool? = nil, takesDash: Bool = false,
    isText: Bool = false, usual: String? = nil, _ help: StaticString
  ) {
    (self.name, self.value, self.completion, self.help) = (name, value, completion, help)
    (self.takesDash, self.isText, self.usual) = (takesDash, isText, usual)
    (self.isRequired, isRepeated) = (isRequired ?? Value.isRequired, Value.isRepeated)
    fill = { $0[keyPath: path].fill(with: $1) }
  }

  private init<Part>(_ part: Parameter<Part>, at path: WritableKeyPath<Command, Part>) {
    (name, value, completion, help) = (part.name, part.value, part.completion, part.help)
    (takesDash, isText, usual) = (part.takesDash, part.isText, part.usual)
    (isRequired, isRepeated) = (part.isRequired, part.isRepeated)
    fill = { part.fill(&$0[keyPath: path], $1) }
  }

  /// The same parameter for a value that has a part with this property.
  package func of<Whole>(_ path: WritableKeyPath<Whole, Command>) -> Parameter<Whole> {
    Parameter<Whole>(self, at: path)
  }

  var isOption: Bool { name.hasPrefix("-") }

  /// As in the list of options: `--lines <n>`.
  var label: String { value.map { "\(name) <\($0)>" } ?? name }

  /// As in the usage: `[--wait sent | seen]`, `[TEXT ...]`.
  var usage: String {
    var usage = label
    if case .words(let words) = completion {
      usage = (isOption ? name + " " : "") + words.joined(separator: " | ")
    }
    if isRepeated, !isOption { usage += " ..." }
    return isRequired && !isOption ? usage : "[\(usage)]"
  }
}

/// A property that a parameter can fill.
package protocol ArgumentValue {
  /// - Returns: false if the word is no such value.
  mutating func fill(with word: String) -> Bool
  static var isRequired: Bool { get }
  static var isRepeated: Bool { get }
}

extension ArgumentValue {
  package static var isRequired: Bool { false }
  package static var isRepeated: Bool { false }
}

extension ArgumentValue where Self: LosslessStringConvertible {
  package mutating func fill(with word: String) -> Bool {
    guard let value = Self(word) else { return false }
    self = value
    return true
  }
}

extension Int: ArgumentValue {}
extension Int64: ArgumentValue {}
extension UInt16: ArgumentValue {}
extension String: ArgumentValue {
  package static var isRequired: Bool { true }
}

extension Bool: ArgumentValue {
  package mutating func fill(with word: String) -> Bool {
    self = true
    return true
  }
}

extension Optional: ArgumentValue where Wrapped: ArgumentValue & LosslessStringConvertible {
  package mutating func fill(with word: String) -> Bool {
    self = Wrapped(word)
    return self != nil
  }
}

extension [String]: ArgumentValue {
  package static var isRepeated: Bool { true }

  package mutating func fill(with word: String) -> Bool {
    append(word)
    return true
  }
}
