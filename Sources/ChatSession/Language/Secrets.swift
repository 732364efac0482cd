// SPDX-License-Identifier: GPL-3.0-or-later

/// Words on a line that nobody is to find again (rule 1.12).
enum Secrets {
  /// Behind it stands a password.
  static let option = "--password"

  /// Whether a line gives a password to a command, or means to: such a line does not enter the input
  /// history, also when it was refused.
  static func isIn(_ line: String) -> Bool {
    guard line.hasPrefix("/") else { return false }
    let words = line.split(whereSeparator: \.isWhitespace)
    return words.contains { $0 == option }
      || words[0] == "/account" && words.contains("password")
  }
}
