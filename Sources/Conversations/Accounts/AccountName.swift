// SPDX-License-Identifier: GPL-3.0-or-later

/// An account as a person names it: `KIND:ADDRESS`, or the address alone.
package struct AccountName: Hashable, Sendable {
  /// The kind of network, as in `xmpp`; nil if the name does not say it.
  package var kind: String?
  /// The address, in lower case if it has an `@`. In other addresses, such as telephone numbers and
  /// ids, case may matter.
  package var address: String
  /// The address as it was written.
  package var written: String

  package init(_ name: String) {
    let parts = name.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let kind = parts[0].lowercased()
    // Otherwise the colon belongs to the address, as before a port.
    if parts.count == 2, Self.isKind(kind) {
      (self.kind, written) = (kind, String(parts[1]))
    } else {
      written = name
    }
    address = Self.folded(written)
  }

  private static func folded(_ address: String) -> String {
    address.contains("@") ? address.lowercased() : address
  }

  /// Whether a word can be a kind: it is part of the name of an executable.
  package static func isKind(_ word: String) -> Bool {
    let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    guard let first = word.utf8.first, letters.contains(first) else { return false }
    return word.utf8.allSatisfy {
      letters.contains($0) || digits.contains($0) || $0 == UInt8(ascii: "-")
    }
  }

  /// Whether the name means an account.
  package func means(_ account: Account) -> Bool {
    address == Self.folded(account.address) && (kind == nil || kind == account.kind)
  }
}

extension [Account] {
  /// Names that tell these accounts apart, with their kinds if there are several kinds.
  package var names: [String] {
    Set(map(\.kind)).count > 1 ? map(\.network) : map(\.name)
  }
}
