// SPDX-License-Identifier: GPL-3.0-or-later

/// A file that belongs to a message. Its bytes are in the store's folder, in a file named by their
/// hash, so the attachment's own name never determines a path (rules 8.2 and 12.4).
public struct Attachment: Hashable, Sendable {
  /// The SHA-256 of its bytes in 64 lower-case hexadecimal digits.
  public var hash: String
  /// A base name that `FileName.safe` made safe for a path. It is still untrusted text: make it
  /// safe before you print it.
  public var name: String
  /// The MIME type that its bytes suggest; what the sender claims does not matter.
  public var type: String
  public var bytes: Int

  public init(hash: String, name: String, type: String = FileType.unknown, bytes: Int) {
    self.hash = hash
    self.name = name
    self.type = type
    self.bytes = bytes
  }

  /// A number of bytes as people write it: `0 B`, `999 B`, `1.4 MB`, in powers of a thousand.
  package static func size(_ bytes: Int) -> String {
    let units = ["B", "kB", "MB", "GB", "TB", "PB", "EB"]
    var (amount, unit) = (min(max(0, bytes), .max - 1000), 0)
    if amount < 1000 { return "\(amount) B" }
    // From kB on, count tenths, rounded to the nearest, so that 999,999 is not "1000.0 kB".
    while unit == 0 || amount >= 10_000 {
      amount = unit == 0 ? (amount + 50) / 100 : (amount + 500) / 1000
      unit += 1
    }
    return "\(amount / 10).\(amount % 10) \(units[unit])"
  }
}
