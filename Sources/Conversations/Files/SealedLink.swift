// SPDX-License-Identifier: GPL-3.0-or-later
import Platform

/// The link to a file that its sender encrypted before uploading it (XEP-0454): `aesgcm://`, the
/// host and path of the file, `#`, and in hexadecimal digits the IV and the key.
package struct SealedLink: Hashable, Sendable {
  /// Where the file is, without its key: `https://…`.
  package let address: String
  /// 12 bytes; 16 by older programs.
  package let iv: [UInt8]
  package let key: [UInt8]

  private static let scheme = "aesgcm://"
  private static let keyLength = 32

  /// - Parameter address: where the file is; the link is nil if it cannot have a key behind it.
  package init?(_ address: String, iv: [UInt8], key: [UInt8]) {
    guard address.lowercased().hasPrefix("https://"), !address.utf8.contains(UInt8(ascii: "#"))
    else { return nil }
    (self.address, self.iv, self.key) = (address, iv, key)
  }

  /// Reads a link, which is a whole line of a text.
  package init?(_ line: some StringProtocol) {
    guard let end = line.utf8.firstIndex(of: UInt8(ascii: "#")),
      line[..<end].lowercased().hasPrefix(Self.scheme),
      line.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
      let secret = bytes(ofHexadecimal: line[end...].dropFirst().lowercased()),
      [12, 16].contains(secret.count - Self.keyLength)
    else { return nil }
    address = "https://" + line[..<end].dropFirst(Self.scheme.count)
    (iv, key) = (Array(secret.dropLast(Self.keyLength)), Array(secret.suffix(Self.keyLength)))
  }

  package var text: String {
    Self.scheme + address.dropFirst("https://".count) + "#" + hexadecimal(iv + key)
  }

  /// Whether a text has such a link anywhere, whatever surrounds it.
  package static func isIn(_ text: String) -> Bool {
    guard mayHaveLinks(text) else { return false }
    return text.split(whereSeparator: \.isWhitespace).contains { word in
      let word = word.lowercased()
      return word.ranges(of: scheme).contains { range in
        let secret = word[range.upperBound...].drop { $0 != "#" }.dropFirst()
        return secret.prefix { $0.isASCII && $0.isHexDigit }.count >= 2 * (12 + keyLength)
      }
    }
  }

  /// The lines of a text that are such links.
  package static func links(in text: String) -> [String] {
    mayHaveLinks(text)
      ? text.split(separator: "\n").map(String.init).filter { Self($0) != nil } : []
  }

  /// Cuts such links off before the `#`, since nobody needs to see a key. The rest of each line stays
  /// where it is.
  package static func hidingKeys(in text: String) -> String {
    guard mayHaveLinks(text) else { return text }
    return text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { Self($0) == nil ? $0 : $0.prefix { $0 != "#" } }.joined(separator: "\n")
  }

  /// Most texts are too short, or have no `#`.
  private static func mayHaveLinks(_ text: String) -> Bool {
    text.utf8.count > 2 * keyLength && text.utf8.contains(UInt8(ascii: "#"))
  }
}
