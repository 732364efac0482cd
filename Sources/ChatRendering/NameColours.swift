// SPDX-License-Identifier: GPL-3.0-or-later
import Platform
import StyledText

/// The colours of names. They follow from people's identities, as in other programs (XEP-0392),
/// unless somebody else in the conversation has the same colour.
package enum NameColours {
  /// A colour by its index, which the store keeps.
  static func color(_ hue: Int) -> Color { .name(UInt8(min(max(0, hue), Palette.names - 1))) }

  /// The index for an identity: its hue, which is the beginning of its SHA-1 (XEP-0392, 5.1).
  static func hue(of identity: String) -> Int {
    let digest = SHA1.digest(of: identity)
    let angle = Int(digest[0]) | Int(digest[1]) << 8
    return (angle * Palette.names) >> 16
  }

  /// The index for an identity, or the next free one; nil if all are taken.
  package static func free(for identity: String, excluding taken: some Collection<Int>) -> Int? {
    guard taken.count < Palette.names else { return nil }
    let taken = Set(taken)
    let first = hue(of: identity)
    return (0..<Palette.names).map { (first + $0) % Palette.names }.first { !taken.contains($0) }
  }
}
