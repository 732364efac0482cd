// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Sentences

/// A JSON object; query its members by name and kind. Unknown members are ignored, so that newer
/// exports can add some; null counts as missing.
struct JSONObject {
  private let members: [String: JSON]

  /// - Throws: `LineFault` for anything but an object.
  init(line: UnsafeBufferPointer<UInt8>, _ database: Database) throws {
    if line.contains(0) { throw LineFault("the line holds a NUL byte") }
    guard let text = String(validating: line, as: UTF8.self) else {
      throw LineFault("the line is not UTF-8")
    }
    guard text.utf8.first(where: { $0 != 0x20 && $0 != 0x09 }) == UInt8(ascii: "{") else {
      throw LineFault("the line is not a JSON object")
    }
    guard let object = try JSON(text, database).flatMap(JSONObject.init) else {
      throw LineFault("the line is not JSON")
    }
    self = object
  }

  /// Nil for anything but an object.
  init?(_ value: JSON) {
    guard case .object(let members) = value else { return nil }
    self.members = members
  }

  subscript(_ name: JSONName) -> JSON? {
    members[name.rawValue].flatMap { $0 == .null ? nil : $0 }
  }

  // MARK: Kinds

  func optionalText(_ name: JSONName) throws -> String? {
    switch self[name] {
    case nil: nil
    case .text(let text): text
    default: throw LineFault("“%1” is not text", name.rawValue)
    }
  }

  func text(_ name: JSONName) throws -> String {
    try required(optionalText(name), name)
  }

  func optionalInteger(_ name: JSONName, in range: ClosedRange<Int64>) throws -> Int64? {
    switch self[name] {
    case nil: return nil
    case .integer(let number) where range.contains(number): return number
    case .integer(let number):
      throw LineFault("%2 is too small or too large for “%1”", name.rawValue, String(number))
    default: throw LineFault("“%1” is not a whole number", name.rawValue)
    }
  }

  func integer(_ name: JSONName, in range: ClosedRange<Int64>) throws -> Int64 {
    try required(optionalInteger(name, in: range), name)
  }

  /// Whether the value is true, or 1 as in earlier exports; not if it is missing.
  func flag(_ name: JSONName) throws -> Bool {
    switch self[name] {
    case nil, .flag(false): false
    case .flag(true), .integer(1): true
    default: throw LineFault("“%1” is not true or false", name.rawValue)
    }
  }

  func optionalTime(_ name: JSONName) throws -> Milliseconds? {
    guard let text = try optionalText(name) else { return nil }
    guard let time = DateParser(text)?.exact else {
      throw LineFault(
        "“%1” is not a time: %2; write times like 2026-11-21T10:00:00.000Z", name.rawValue,
        text)
    }
    return time
  }

  func time(_ name: JSONName) throws -> Milliseconds {
    try required(optionalTime(name), name)
  }

  /// The number of the value among some words; nil if it is missing.
  func choice(_ name: JSONName, of words: JSONWords) throws -> Int? {
    guard let text = try optionalText(name) else { return nil }
    guard let number = words.number(of: text) else {
      throw LineFault(
        "“%2” is not a valid value for “%1”; use %3", name.rawValue, text,
        words.all.map(\.word).joinedAsList())
    }
    return number
  }

  /// The objects of an array; empty if it is missing.
  func objects(_ name: JSONName) throws -> [JSONObject] {
    if self[name] == nil { return [] }
    return try values(name).map {
      guard let object = JSONObject($0) else {
        throw LineFault("“%1” contains something that is not an object", name.rawValue)
      }
      return object
    }
  }

  /// The values of an array.
  func values(_ name: JSONName) throws -> [JSON] {
    guard case .array(let items) = self[name] else {
      throw LineFault("“%1” is not an array", name.rawValue)
    }
    return items
  }

  /// The mentions in a text; none if they are missing. Earlier exports have a string with a line
  /// such as `4-8 ben` for each.
  func mentions(_ name: JSONName) throws -> [Mention] {
    guard case .text(let lines) = self[name] else {
      return self[name] == nil ? [] : [Mention](.array(try values(name)))
    }
    return lines.split(separator: "\n").compactMap { line in
      let parts = line.split(separator: " ", maxSplits: 1)
      let numbers = parts.first?.split(separator: "-").compactMap { Int($0) } ?? []
      guard parts.count == 2, numbers.count == 2, numbers[0] < numbers[1] else { return nil }
      return Mention(range: numbers[0]..<numbers[1], identity: String(parts[1]))
    }
  }

  private func required<T>(_ value: T?, _ name: JSONName) throws -> T {
    guard let value else { throw LineFault.missing(name) }
    return value
  }
}
