// SPDX-License-Identifier: GPL-3.0-or-later
import Repeatable

extension FixedRandom {
  /// Bytes as an attacker would choose them: parts of escape sequences, controls, broken and whole
  /// UTF-8, invisible and combining code points.
  mutating func hostileBytes() -> [UInt8] {
    let scalars: [UInt32] = [
      0x1B, 0x9B, 0x7F, 0x00, 0x0D, 0x0A, 0x09, 0x301, 0x300, 0x200B, 0x200D, 0x202E, 0x2066,
      0x2028,
      0xFE0F, 0x1F3F4, 0xE0067, 0xE0062, 0xE007F, 0x1F469, 0x1F1E9, 0xAD, 0xFFFE, 0xFEFF, 0x3000,
      0x20, 0x41, 0xE9, 0x6F22, 0x1160, 0x3164, 0x600, 0x10FFFF, 0xFFF9, 0xA670,
    ]
    var bytes: [UInt8] = []
    for _ in 0..<Int.random(in: 0..<24, using: &self) {
      switch Int.random(in: 0..<4, using: &self) {
      case 0: bytes.append(UInt8.random(in: 0...255, using: &self))
      case 1: bytes += "[31m".utf8
      default:
        let scalar = Unicode.Scalar(scalars.randomElement(using: &self)!)!
        let encoded = Array(String(Character(scalar)).utf8)
        bytes += Int.random(in: 0..<12, using: &self) == 0 ? encoded.dropLast() : encoded[...]
        if scalar.value == 0x301 { for _ in 0..<6 { bytes += encoded } }
      }
    }
    return bytes
  }
}
