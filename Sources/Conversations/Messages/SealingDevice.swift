// SPDX-License-Identifier: GPL-3.0-or-later
import Platform

/// The device that encrypted a message, and the key that proves it.
package struct SealingDevice: Hashable, Sendable {
  /// Unique within its account.
  package var number: Int64
  /// Its public identity key.
  package var key: [UInt8]

  package init(number: Int64, key: [UInt8]) { (self.number, self.key) = (number, key) }

  /// The key as people compare it: hexadecimal digits in groups of eight.
  package var fingerprint: String {
    let digits = hexadecimal(key)
    return stride(from: 0, to: digits.count, by: 8)
      .map { String(digits.dropFirst($0).prefix(8)) }.joined(separator: " ")
  }
}

extension Access {
  /// The device that encrypted a message; nil if that is unknown.
  package func sealingDevice(of message: ID<Message>) throws -> SealingDevice? {
    try database.first(
      "SELECT device, device_key FROM message WHERE id = ? AND device_key IS NOT NULL", message
    ) { SealingDevice(number: $0.int64("device"), key: $0.bytes("device_key")) }
  }
}

extension Access where Mode: MayWrite {
  package func note(_ device: SealingDevice, of message: ID<Message>) throws {
    try database.run(
      "UPDATE message SET device = ?, device_key = ? WHERE id = ?", device.number, device.key,
      message)
  }
}
