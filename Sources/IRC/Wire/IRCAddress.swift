// SPDX-License-Identifier: GPL-3.0-or-later

/// The address of an account, as in `anna@irc.example.net`: a nick, and the host of a server.
package struct IRCAddress: Hashable, Sendable {
  package var nick: String
  package var server: String

  /// - Returns: nil if the text is not such an address.
  package init?(_ text: String) {
    let parts = text.split(separator: "@", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2, Self.isNick(parts[0]), !parts[1].isEmpty,
      parts[1].unicodeScalars.map(Character.init).allSatisfy({
        $0.isLetter || $0.isNumber || ".-_:[]".contains($0)
      })
    else { return nil }
    (nick, server) = (parts[0], parts[1].lowercased())
  }

  /// Whether a text can be a nick on some server; each server has further rules.
  package static func isNick(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= 64
      && text.unicodeScalars.allSatisfy { scalar in
        scalar.value > 0x20 && scalar.value != 0x7F && !",!@*?.:#&".unicodeScalars.contains(scalar)
      }
      && !(text.first?.isNumber ?? true) && !text.hasPrefix("~")
  }

  package var text: String { nick + "@" + server }
}
