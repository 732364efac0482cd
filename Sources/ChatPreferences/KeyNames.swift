// SPDX-License-Identifier: GPL-3.0-or-later
import Sentences

/// Turns readline's notation for keys (`\ea`, `\e[A`, `\C-x\C-e`) into the names that people use
/// (`M-a`, `Up`, `C-x C-e`).
package enum KeyNames {
  /// The names of key sequences that are separated by blanks, without repetitions: `C-j, M-Return`.
  package static func list(_ sequences: String) -> String {
    var found: [String] = []
    for part in sequences.split(separator: " ", omittingEmptySubsequences: false) {
      // There are two blanks in a row: the first one is the last key of a sequence.
      if part.isEmpty, let last = found.popLast() {
        found.append(last + " ")
      } else {
        found.append(String(part))
      }
    }
    var names: [String] = []
    for name in found.map(name) where !names.contains(name) { names.append(name) }
    return names.joined(separator: ", ")
  }

  /// One key sequence; its keys are separated by blanks.
  static func name(_ sequence: String) -> String {
    var keys: [String] = []
    var rest = sequence[...]
    while !rest.isEmpty { keys.append(key(&rest)) }
    return keys.joined(separator: " ")
  }

  /// Removes one key from the front and returns its name.
  private static func key(_ rest: inout Substring) -> String {
    if let key = terminalKey(&rest) { return key }
    for meta in ["\\e", "\\M-"] where rest.hasPrefix(meta) {
      rest.removeFirst(meta.count)
      return rest.isEmpty ? "Esc" : "M-" + key(&rest)
    }
    if rest.hasPrefix("\\C-") {
      rest.removeFirst(3)
      let letter = character(&rest)
      return controls[letter] ?? "C-" + letter
    }
    let letter = character(&rest)
    return letter == " " ? "Space" : letter
  }

  /// Removes a character from the front and returns it; readline writes `\\` and `\"` for backslash
  /// and quote.
  private static func character(_ rest: inout Substring) -> String {
    if rest.first == "\\", rest.count > 1 { rest.removeFirst() }
    return rest.popFirst().map { String($0) } ?? ""
  }

  private static let controls = ["m": "Return", "i": "TAB", "?": "Backspace", "[": "Esc"]

  // MARK: What terminals send

  /// `\e[A`, `\eOA`, `\e[1;5C`, `\e[3~`: the last letter or the first number names
  /// the key, and a second number has the modifiers.
  private static func terminalKey(_ rest: inout Substring) -> String? {
    guard rest.hasPrefix("\\e[") || rest.hasPrefix("\\eO") else { return nil }
    let body = rest.dropFirst(3)
    let numbers = body.prefix { $0.isASCII && ($0.isNumber || $0 == ";") }
    guard let last = body.dropFirst(numbers.count).first else { return nil }
    let parts = numbers.split(separator: ";", omittingEmptySubsequences: false).map { Int($0) ?? 1 }
    let isNumbered = last == "~"
    guard let name = isNumbered ? byNumber[parts.first ?? 0] : byLetter[last] else { return nil }
    rest = body.dropFirst(numbers.count + 1)
    // Some terminals leave out the 1 of `\e[1;5D`.
    let holding = isNumbered && parts.count < 2 ? 1 : parts.last ?? 1
    return held(holding - 1) + name
  }

  private static func held(_ bits: Int) -> String {
    (bits & 4 != 0 ? "C-" : "") + (bits & 2 != 0 ? "M-" : "") + (bits & 1 != 0 ? "S-" : "")
  }

  private static let byLetter: [Character: String] = [
    "A": "Up", "B": "Down", "C": "Right", "D": "Left", "H": "Home", "F": "End", "Z": "S-TAB",
    "P": "F1", "Q": "F2", "R": "F3", "S": "F4",
  ]
  private static let byNumber: [Int: String] = [
    1: "Home", 2: "Insert", 3: "Delete", 4: "End", 5: "PageUp", 6: "PageDown", 7: "Home", 8: "End",
    11: "F1", 12: "F2", 13: "F3", 14: "F4", 15: "F5", 17: "F6", 18: "F7", 19: "F8", 20: "F9",
    21: "F10", 23: "F11", 24: "F12", 200: translated("(a paste)"),
  ]
}
