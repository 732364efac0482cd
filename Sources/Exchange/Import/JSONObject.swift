// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Sentences

/// A JSON object, parsed by SQLite; query its members by name and kind. Unknown members are
/// ignored, so that newer exports can add some; null counts as missing.
struct JSONObject {
  enum Value: Hashable {
    case text(String)
    case integer(Int64)
    /// The text of this case and the next is JSON.
    case array(String)
    case object(String)
    /// A fraction, a number beyond 64 bits, true or false: nothing here has such a value.
    case other
  }

  private let members: [(name: String, value: Value)]
  private let nul: NULPlaceholder?
  private let database: Database

  /// - Throws: `LineFault` for anything but an object.
  init(line: UnsafeBufferPointer<UInt8>, _ database: Database) throws {
    // SQLite would read a NUL as the end.
    if line.contains(0) { throw LineFault("the line holds a NUL byte") }
    guard let text = String(validating: line, as: UTF8.self) else {
      throw LineFault("the line is not UTF-8")
    }
    // Most lines have no escapes, and searching for a byte costs next to nothing.
    let nul = line.contains(UInt8(ascii: "\\")) ? try NULPlaceholder(for: text) : nil
    try self.init(nul?.text ?? text, nul, database)
  }

  init(_ text: String, _ nul: NULPlaceholder?, _ database: Database) throws {
    guard text.utf8.first(where: { $0 != 0x20 && $0 != 0x09 }) == UInt8(ascii: "{") else {
      throw LineFault("the line is not a JSON object")
    }
    var members: [(name: String, value: Value)] = []
    members.reserveCapacity(16)
    do {
      try database.each("SELECT key, type, value FROM json_each(?)", text) { row in
        let name = row.text("key")
        switch row.text("type") {
        case "text":
          let text = row.text("value")
          members.append((name, .text(nul?.restored(text) ?? text)))
        case "integer" where row.isInteger("value"):
          members.append((name, .integer(row.int64("value"))))
        case "array": members.append((name, .array(row.text("value"))))
        case "object": members.append((name, .object(row.text("value"))))
        case "null": break
        default: members.append((name, .other))
        }
        return true
      }
    } catch StoreError.failed(_, let detail) where detail.contains("JSON") {
      throw LineFault("the line is not JSON")
    }
    (self.members, self.nul, self.database) = (members, nul, database)
  }

  subscript(_ name: String) -> Value? {
    for member in members where member.name == name { return member.value }
    return nil
  }

  // MARK: Kinds

  func optionalText(_ name: String) throws -> String? {
    switch self[name] {
    case nil: nil
    case .text(let text): text
    default: throw LineFault("“%1” is not text", name)
    }
  }

  func text(_ name: String) throws -> String {
    try required(optionalText(name), name)
  }

  func optionalInteger(_ name: String, in range: ClosedRange<Int64>) throws -> Int64? {
    switch self[name] {
    case nil: return nil
    case .integer(let number) where range.contains(number): return number
    case .integer(let number):
      throw LineFault("%2 is too small or too large for “%1”", name, String(number))
    default: throw LineFault("“%1” is not a whole number", name)
    }
  }

  func integer(_ name: String, in range: ClosedRange<Int64>) throws -> Int64 {
    try required(optionalInteger(name, in: range), name)
  }

  func optionalTime(_ name: String) throws -> Milliseconds? {
    guard let text = try optionalText(name) else { return nil }
    guard let time = DateParser(text)?.exact else {
      throw LineFault(
        "“%1” is not a time: %2; write times like 2026-11-21T10:00:00.000Z", name, text)
    }
    return time
  }

  func time(_ name: String) throws -> Milliseconds {
    try required(optionalTime(name), name)
  }

  /// The index of the value among some words; the first one if it is missing.
  func choice(_ name: String, of words: [String]) throws -> Int {
    guard let text = try optionalText(name) else { return 0 }
    guard let index = words.firstIndex(of: text) else {
      throw LineFault(
        "“%2” is not a valid value for “%1”; use %3", name, text,
        words.filter { !$0.isEmpty }.joinedAsList())
    }
    return index
  }

  /// The objects of an array; empty if it is missing.
  func objects(_ name: String) throws -> [JSONObject] {
    switch self[name] {
    case nil: return []
    case .array(let json):
      let parts = try database.rows("SELECT type, value FROM json_each(?)", json) {
        $0.text("type") == "object" ? $0.text("value") : nil
      }
      return try parts.map {
        guard let part = $0 else {
          throw LineFault("“%1” contains something that is not an object", name)
        }
        return try JSONObject(part, nul, database)
      }
    default: throw LineFault("“%1” is not an array", name)
    }
  }

  /// The object in a value.
  func object(_ value: Value) throws -> JSONObject? {
    guard case .object(let json) = value else { return nil }
    return try JSONObject(json, nul, database)
  }

  /// The values of an array of texts and objects.
  func values(_ name: String) throws -> [Value] {
    guard case .array(let json) = self[name] else { throw LineFault("“%1” is not an array", name) }
    return try database.rows("SELECT type, value FROM json_each(?)", json) {
      switch $0.text("type") {
      case "text": .text(nul?.restored($0.text("value")) ?? $0.text("value"))
      case "object": .object($0.text("value"))
      default: .other
      }
    }
  }

  private func required<T>(_ value: T?, _ name: String) throws -> T {
    guard let value else { throw LineFault("“%1” is missing", name) }
    return value
  }
}

/// Replaces each `\u0000` in a JSON text with another character, since SQLite's functions would end
/// the text there.
struct NULPlaceholder {
  let text: String
  private let scalar: Unicode.Scalar

  /// Nil if there is nothing to replace.
  ///
  /// - Throws: `LineFault` if the text contains every possible character.
  init?(for json: String) throws {
    guard json.contains("\\u0000") else { return nil }
    // Code points that Unicode reserves for use inside programs.
    let small = json.lowercased()
    guard
      let free = (0xFDD0...0xFDEF as ClosedRange<UInt32>).compactMap(Unicode.Scalar.init).first(
        where: {
          !json.unicodeScalars.contains($0) && !small.contains(String($0.value, radix: 16))
        })
    else { throw LineFault("the line has too many unusual code points (Unicode noncharacters)") }
    scalar = free
    var result: [UInt8] = []
    let escape = Array("\\u0000".utf8)
    var rest = Array(json.utf8)[...]
    while let first = rest.first {
      if rest.starts(with: escape) {
        result += UTF8.encode(free)!
        rest = rest.dropFirst(escape.count)
      } else {
        // The character after a backslash belongs to the escape.
        let length = first == UInt8(ascii: "\\") ? 2 : 1
        result += rest.prefix(length)
        rest = rest.dropFirst(length)
      }
    }
    text = String(decoding: result, as: UTF8.self)
  }

  func restored(_ value: String) -> String {
    var result = String.UnicodeScalarView()
    for each in value.unicodeScalars { result.append(each == scalar ? "\u{0}" : each) }
    return String(result)
  }
}
