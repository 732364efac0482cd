// SPDX-License-Identifier: GPL-3.0-or-later

/// What is left of Swift (or C) source when comments and the text of literals are taken out, so
/// that a rule about names can be checked by looking for names. Interpolated code stays.
struct SwiftCode {
  let text: String

  init(_ source: String) {
    var scanner = Scanner(source)
    scanner.code(until: nil)
    text = scanner.kept
  }

  /// The modules imported, in order: `public import A`, `import struct B.C`, `@testable import D`.
  var imports: [String] {
    text.split(whereSeparator: \.isNewline).flatMap { line in
      line.split(separator: ";").compactMap { statement in
        var words = statement.split(whereSeparator: \.isWhitespace)[...]
        let before = words.prefix { $0 != "import" }
        let modifiers: Set<Substring> = ["public", "package", "internal", "fileprivate", "private"]
        guard before.allSatisfy({ $0.hasPrefix("@") || modifiers.contains($0) }) else { return nil }
        words = words.dropFirst(before.count + 1)
        let kinds: Set<Substring> = [
          "struct", "class", "enum", "protocol", "func", "var", "let", "typealias",
        ]
        if let first = words.first, kinds.contains(first) { words = words.dropFirst() }
        return words.first?.split(separator: ".").first.map(String.init)
      }
    }
  }

  /// Every identifier, once.
  var names: Set<Substring> {
    Set(text.split { !($0.isLetter || $0.isNumber || $0 == "_") })
  }

  private struct Scanner {
    private let source: [Character]
    private var place = 0
    private(set) var kept = ""

    init(_ source: String) { self.source = Array(source) }

    private func sees(_ text: String) -> Bool {
      source[place...].starts(with: text)
    }

    /// Reads code until the parenthesis that ends an interpolation, or the end.
    mutating func code(until closing: Character?) {
      var depth = 0
      while place < source.count {
        if sees("//") {
          place = source[place...].firstIndex(where: \.isNewline) ?? source.count
        } else if sees("/*") {
          comment()
        } else if let hashes = literalStart() {
          literal(hashes: hashes)
        } else {
          let character = source[place]
          if character == "(" { depth += 1 }
          if character == ")" {
            if depth == 0, closing != nil { return }
            depth -= 1
          }
          kept.append(character)
          place += 1
        }
      }
    }

    private mutating func comment() {
      var depth = 0
      repeat {
        if sees("/*") {
          depth += 1
          place += 2
        } else if sees("*/") {
          depth -= 1
          place += 2
        } else {
          place += 1
        }
      } while depth > 0 && place < source.count
      kept.append(" ")
    }

    /// The number of `#` before a quotation mark that stands here.
    private func literalStart() -> Int? {
      let hashes = source[place...].prefix { $0 == "#" }.count
      let quote = place + hashes
      return quote < source.count && source[quote] == "\"" ? hashes : nil
    }

    private mutating func literal(hashes: Int) {
      let fence = String(repeating: "#", count: hashes)
      place += hashes
      let quotes = sees("\"\"\"") ? "\"\"\"" : "\""
      place += quotes.count
      kept.append("\"")
      while place < source.count, !sees(quotes + fence) {
        if sees("\\" + fence + "(") {
          place += fence.count + 2
          kept.append(" ")
          code(until: ")")
          kept.append(" ")
          place += 1
        } else if sees("\\" + fence) {
          place += fence.count + 2
        } else {
          place += 1
        }
      }
      place += quotes.count + fence.count
      kept.append("\"")
    }
  }
}
