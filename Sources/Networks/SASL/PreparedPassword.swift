// SPDX-License-Identifier: GPL-3.0-or-later

/// Prepares a name or a password for hashing (SASLprep, RFC 4013).
///
/// ASCII stays as it is, and control characters are refused. Of the other rules, hobnob follows
/// those that people need: other spaces become ASCII spaces, and invisible characters (soft hyphen,
/// joiners, byte order mark) are removed. Letters stay as typed, since keyboards produce the
/// composed forms that NFKC would make. hobnob has no table for other forms (a ligature, a
/// full-width letter), so people have to type those as the server has them.
package enum PreparedPassword {
  /// Returns nil for texts that SASL refuses: an empty one, or one with a control character.
  package static func of(_ text: String) -> String? {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x00A0, 0x1680, 0x2000...0x200B, 0x202F, 0x205F, 0x3000: result.append(" ")
      case 0x00AD, 0x034F, 0x1806, 0x180B...0x180D, 0x200C, 0x200D, 0x2060, 0xFE00...0xFE0F, 0xFEFF:
        continue
      case 0..<0x20, 0x7F..<0xA0, 0x06DD, 0x070F, 0x180E, 0x2028, 0x2029, 0x2061...0x206F,
        0xFFF9...0xFFFF:
        return nil
      default: result.append(scalar)
      }
    }
    return result.isEmpty ? nil : String(result)
  }
}
