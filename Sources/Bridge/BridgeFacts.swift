// SPDX-License-Identifier: GPL-3.0-or-later
import Sentences
import Storage

/// What a program keeps with hobnob, such as a token: facts about the account's server, in a file
/// that only the user can read. Each value is there as JSON, so that it may have line breaks.
enum BridgeFacts {
  static let prefix = "kept."

  /// - Returns: an empty value to forget it.
  /// - Throws: ``BridgeFault`` for a name that a file cannot have, or a value that is too long.
  static func fact(
    _ name: String, _ value: String
  ) throws(BridgeFault) -> (name: String, value: String) {
    guard !name.isEmpty, name.utf8.count <= 100, !name.contains(where: \.isWhitespace) else {
      throw BridgeFault(filled(("“%1” is not a name to keep a value under", [name])))
    }
    // The file has a line for each.
    let written = ["\u{85}": "\\u0085", "\u{2028}": "\\u2028", "\u{2029}": "\\u2029"]
      .reduce(JSON.text(value).line) { $0.replacing($1.key, with: $1.value) }
    guard written.utf8.count <= BridgeLimits.keptValue else {
      throw BridgeFault(
        filled(
          (
            "the value to keep as “%1” has more than %2 bytes; larger ones belong into the program's folder",
            [name, String(BridgeLimits.keptValue)]
          )))
    }
    return (prefix + name, value.isEmpty ? "" : written)
  }

  static func kept(in facts: [String: String], _ parser: JSONParser) -> [String: JSON] {
    facts.reduce(into: [:]) { kept, fact in
      guard fact.key.hasPrefix(prefix), case .text(let value)? = parser.parse(fact.value) else {
        return
      }
      kept[String(fact.key.dropFirst(prefix.count))] = .text(value)
    }
  }
}
