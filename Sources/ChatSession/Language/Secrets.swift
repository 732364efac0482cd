// SPDX-License-Identifier: GPL-3.0-or-later

/// Secret words on a line, which nobody must find again (rule 1.12).
enum Secrets {
  /// The option that comes before a password.
  static let option = "--password"

  /// Whether a line gives a password to a command, or tries to: such a line never enters the input
  /// history, even if it was refused.
  static func isIn(_ line: String) -> Bool {
    guard line.hasPrefix("/") else { return false }
    let words = line.split(whereSeparator: \.isWhitespace)
    return words.contains { $0 == option }
      || words[0] == "/account" && words.contains("password")
  }
}
