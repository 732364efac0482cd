// SPDX-License-Identifier: GPL-3.0-or-later

/// A JSON value (RFC 8259), parsed by SQLite.
///
/// ```swift
/// let status = JSON.object(["state": .text("offline"), "next": .integer(12)])
/// status.line  // {"next":12,"state":"offline"}
/// try JSON(status.line, database)?["next"].integer  // 12
/// ```
package enum JSON: Hashable, Sendable {
  case null
  case flag(Bool)
  case integer(Int64)
  case text(String)
  case array([JSON])
  /// A member that is `null` counts as missing.
  case object([String: JSON])
  /// A fraction, or a number beyond 64 bits: nothing here has such a value.
  case otherNumber

  /// Nil if the text is not JSON.
  ///
  /// - Throws: `StoreError`.
  package init?(_ text: String, _ database: any Queries) throws {
    // SQLite's functions would end the text at a NUL.
    if text.utf8.contains(0) { return nil }
    let nul = NULPlaceholder(for: text)
    if nul == nil, NULPlaceholder.isNeeded(for: text) { return nil }
    var builder = Builder()
    do {
      // Children follow their parents.
      try database.each(
        "SELECT id, parent, key, type, atom FROM json_tree(?)", nul?.text ?? text
      ) { row in
        func text(_ name: StaticString) -> String {
          let text = row.text(name)
          return nul?.restored(text) ?? text
        }
        let value: JSON =
          switch row.text("type") {
          case "text": .text(text("atom"))
          case "integer" where row.isInteger("atom"): .integer(row.int64("atom"))
          case "true": .flag(true)
          case "false": .flag(false)
          case "null": .null
          case "array": .array([])
          case "object": .object([:])
          default: .otherNumber
          }
        // The elements of an array have numbers.
        let name = row.isNull("key") || row.isInteger("key") ? "" : text("key")
        builder.add(
          id: row.int64("id"), in: row.optionalInt64("parent"), name: name, value)
        return true
      }
    } catch StoreError.failed(_, let detail) where detail.contains("JSON") {
      return nil
    }
    self = builder.finished()
  }

  // MARK: Parts

  /// A member of an object; null if it is missing, or this is no object.
  package subscript(_ name: String) -> JSON {
    if case .object(let members) = self { members[name] ?? .null } else { .null }
  }

  package var text: String? { if case .text(let text) = self { text } else { nil } }
  package var integer: Int64? { if case .integer(let number) = self { number } else { nil } }
  package var flag: Bool? { if case .flag(let flag) = self { flag } else { nil } }
  package var items: [JSON] { if case .array(let items) = self { items } else { [] } }

  // MARK: Writing

  /// The value in one line, with the members of objects sorted by name.
  package var line: String {
    var result = ""
    write(to: &result)
    return result
  }

  private func write(to result: inout String) {
    switch self {
    case .null, .otherNumber: result += "null"
    case .flag(let flag): result += flag ? "true" : "false"
    case .integer(let number): result += String(number)
    case .text(let text): Self.write(text, to: &result)
    case .array(let items):
      for (index, item) in items.enumerated() {
        result += index == 0 ? "[" : ","
        item.write(to: &result)
      }
      result += items.isEmpty ? "[]" : "]"
    case .object(let members):
      result += "{"
      let known = members.filter { $0.value != .null }.sorted { $0.key < $1.key }
      for (index, member) in known.enumerated() {
        if index > 0 { result += "," }
        Self.write(member.key, to: &result)
        result += ":"
        member.value.write(to: &result)
      }
      result += "}"
    }
  }

  private static func write(_ text: String, to result: inout String) {
    result += "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": result += "\\\(scalar)"
      case "\u{00}"..."\u{1F}":
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    result += "\""
  }

  // MARK: Reading

  /// Builds a value from the rows of `json_tree`.
  private struct Builder {
    private struct Open {
      var id: Int64
      var name: String
      var value: JSON
      var items: [JSON] = []
      var members: [String: JSON] = [:]

      var finished: JSON {
        switch value {
        case .array: .array(items)
        case .object: .object(members)
        default: value
        }
      }

      mutating func take(_ child: Open) {
        if case .array = value {
          items.append(child.finished)
        } else if members[child.name] == nil {
          members[child.name] = child.finished
        }
      }
    }

    /// Each is inside the one before it.
    private var open: [Open] = []

    mutating func add(id: Int64, in parent: Int64?, name: String, _ value: JSON) {
      while open.count > 1, open.last?.id != parent { close() }
      open.append(Open(id: id, name: name, value: value))
    }

    private mutating func close() {
      let child = open.removeLast()
      open[open.count - 1].take(child)
    }

    mutating func finished() -> JSON {
      while open.count > 1 { close() }
      return open.first?.finished ?? .null
    }
  }
}

// MARK: Literals

extension JSON: ExpressibleByStringLiteral {
  package init(stringLiteral text: String) { self = .text(text) }
}

extension JSON: ExpressibleByArrayLiteral {
  package init(arrayLiteral items: JSON...) { self = .array(items) }
}

extension JSON: ExpressibleByDictionaryLiteral {
  package init(dictionaryLiteral members: (String, JSON)...) {
    self = .object(Dictionary(uniqueKeysWithValues: members))
  }
}

/// Replaces each `\u0000` in a JSON text with another character.
private struct NULPlaceholder {
  let text: String
  private let scalar: Unicode.Scalar

  static func isNeeded(for json: String) -> Bool {
    // Most texts have no escapes, and searching for a byte costs next to nothing.
    json.utf8.contains(UInt8(ascii: "\\")) && json.contains("\\u0000")
  }

  /// Nil if there is nothing to replace, or every possible character occurs.
  init?(for json: String) {
    guard Self.isNeeded(for: json) else { return nil }
    // Code points that Unicode reserves for use inside programs.
    let small = json.lowercased()
    let free = (0xFDD0...0xFDEF as ClosedRange<UInt32>).compactMap(Unicode.Scalar.init).first {
      !json.unicodeScalars.contains($0) && !small.contains(String($0.value, radix: 16))
    }
    guard let free else { return nil }
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
