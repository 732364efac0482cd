// SPDX-License-Identifier: GPL-3.0-or-later

/// What the value of a member can be.
package indirect enum JSONForm: Sendable {
  case text
  /// A whole number, at least this one.
  case number(from: Int64? = 0)
  /// True or false.
  case flag
  /// True or false, or a whole number from 0.
  case flagOrNumber
  /// An object with any members, all of them texts.
  case map
  /// The number 1; the member is left out otherwise.
  case one
  /// A time, such as `2026-11-21T10:00:00.000Z`.
  case time
  case person
  case conversation
  /// A `Remark`.
  case sentence
  case word(JSONWords)
  /// One of these words, or one that only a later version knows.
  case growingWord(JSONWords)
  case list(JSONForm)
  case object([JSONMember])
}

/// The words that a member can have, and the numbers that the store has for them.
package struct JSONWords: ExpressibleByDictionaryLiteral, Sendable {
  package let all: [(number: Int, word: String)]

  package init(dictionaryLiteral elements: (Int, String)...) {
    all = elements.map { (number: $0.0, word: $0.1) }
  }

  /// Words for which the store has no numbers.
  package init(_ words: [String]) {
    all = words.enumerated().map { (number: $0.offset, word: $0.element) }
  }

  package subscript(_ number: Int) -> String? { all.first { $0.number == number }?.word }
  package func number(of word: String) -> Int? { all.first { $0.word == word }?.number }
}

/// A member of a JSON object.
package struct JSONMember: Sendable {
  package let name: JSONName
  package let form: JSONForm
  /// Whether it is always there. Others are left out if they have no value.
  package let isAlways: Bool

  package static func always(_ name: JSONName, _ form: JSONForm) -> JSONMember {
    JSONMember(name: name, form: form, isAlways: true)
  }

  package static func maybe(_ name: JSONName, _ form: JSONForm) -> JSONMember {
    JSONMember(name: name, form: form, isAlways: false)
  }
}

extension [JSONMember] {
  /// Stops the program if something is written that is not in the table, so that a test fails which
  /// writes it: in another order, without a member that is always there, or with an unknown one.
  package func check(_ names: [JSONName]) {
    let known = filter { $0.isAlways || names.contains($0.name) }.map(\.name)
    assert(known == names, "\(names) is not as in the table: \(known)")
  }
}

/// A type of lines: objects whose member `type` is its name.
package struct JSONType: Sendable {
  package let name: String
  /// In the order in which they are written, after `type`. Not every line of the type can have all
  /// of them.
  package let members: [JSONMember]

  package init(_ name: String, _ members: [JSONMember]) {
    (self.name, self.members) = (name, members)
  }

  /// A line with these values, without those that are null.
  package func line(_ values: KeyValuePairs<JSONName, JSON>) -> String {
    members.check(values.filter { $0.value != .null }.map(\.key))
    return Self.adding(values, to: "{\"\(JSONName.type.rawValue)\":\"\(name)\"}")
  }

  /// A line of this type, with more of its members.
  package func adding(_ values: KeyValuePairs<JSONName, JSON>, to line: String) -> String {
    members.filter { !$0.isAlways }.check(values.map(\.key))
    return Self.adding(values, to: line)
  }

  private static func adding(
    _ values: KeyValuePairs<JSONName, JSON>, to line: String
  ) -> String {
    let added = values.filter { $0.value != .null }
      .map { ",\"\($0.key.rawValue)\":\($0.value.line)" }
    return line.dropLast() + added.joined() + "}"
  }
}
