// SPDX-License-Identifier: GPL-3.0-or-later
import Platform

/// An identity key as people compare it: 64 hexadecimal digits in eight groups of eight.
struct Fingerprint: Hashable, Sendable {
  static let length = 64
  static let groups = 8

  /// In small letters, without blanks.
  let digits: String

  /// - Parameter key: in the legacy form, whose first byte says only which curve it is on.
  init(_ key: [UInt8]) { digits = hexadecimal(Array(key.dropFirst())) }

  /// - Parameter typed: grouped in any way.
  init(typed: some StringProtocol) {
    digits = String(typed.filter { !$0.isWhitespace && $0 != ":" && $0 != "-" }).lowercased()
  }

  /// Whether it has as many digits as there are, and nothing else.
  var isWhole: Bool {
    digits.utf8.count == Self.length && digits.allSatisfy { $0.isASCII && $0.isHexDigit }
  }

  var text: String { (0..<Self.groups).map(group).joined(separator: " ") }

  /// - Parameter index: from 0.
  func group(_ index: Int) -> String {
    let size = Self.length / Self.groups
    return String(digits.dropFirst(index * size).prefix(size))
  }

  /// The groups that differ, in order.
  func differences(from other: Fingerprint) -> [Int] {
    (0..<Self.groups).filter { group($0) != other.group($0) }
  }
}

/// A link that says which fingerprints the devices of an account have, as other programs show it in
/// a QR code: `xmpp:ADDRESS?omemo-sid-NUMBER=FINGERPRINT`, with `;` or `&` before each further one.
struct FingerprintLink {
  let account: Address
  private(set) var keys: [UInt32: Fingerprint] = [:]

  init?(_ link: String) {
    guard link.hasPrefix("xmpp:"), let mark = link.firstIndex(of: "?"),
      let account = Address(String(link[link.index(link.startIndex, offsetBy: 5)..<mark]))?.bare
    else { return nil }
    self.account = account
    let sign = "omemo-sid-"
    for part in link[link.index(after: mark)...].split(whereSeparator: { ";&".contains($0) })
    where part.hasPrefix(sign) {
      let pair = part.dropFirst(sign.count).split(separator: "=", maxSplits: 1)
      guard pair.count == 2, let number = deviceNumber(String(pair[0])) else { continue }
      let key = Fingerprint(typed: pair[1])
      if key.isWhole { keys[number] = key }
    }
  }
}
