// SPDX-License-Identifier: GPL-3.0-or-later

/// Secret words on a line, which nobody must find again (rule 1.12).
package enum Secrets {
  /// The option that comes before a password.
  package static let option = "--password"

  /// Whether a line gives a password to a command, or tries to: such a line never enters the input
  /// history, even if it was refused.
  ///
  /// - Parameter line: without aliases.
  package static func isIn(_ line: String) -> Bool {
    guard line.hasPrefix("/") else { return false }
    let words = line.split(maxSplits: 2, whereSeparator: \.isWhitespace).map(String.init)
    switch words[0] {
    // A line in a network's own language can give a password anywhere.
    case "/irc": return true
    case "/msg", "/query", "/notice": return words.count == 3 && isLogin(words[2], to: words[1])
    default: break
    }
    let all = line.split(whereSeparator: \.isWhitespace).map { $0.prefix { $0 != "=" } }
    return all.contains { $0 == option } || words[0] == "/account" && all.contains("password")
  }

  /// Whether a message gives a password to one of a network's services, such as NickServ.
  ///
  /// - Parameter name: of the conversation or its person, with or without `@`.
  package static func isLogin(_ text: String, to name: String) -> Bool {
    let person = name.drop { $0 == "@" }.lowercased().prefix { !"@/".contains($0) }
    guard person.hasSuffix("serv") || person == "q" || person == "x" else { return false }
    let first = text.prefix { !$0.isWhitespace }.lowercased()
    return withPassword.contains(first)
  }

  /// The commands of services that a password can follow.
  private static let withPassword: Set = [
    "identify", "id", "login", "auth", "register", "ghost", "recover", "release", "regain", "group",
    "set", "setpass", "resetpass", "sidentify", "drop", "confirm", "verify", "sendpass", "newpass",
  ]
}
