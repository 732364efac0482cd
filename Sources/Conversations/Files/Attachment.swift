// SPDX-License-Identifier: GPL-3.0-or-later

/// A file that travels with a message. The store's folder holds its bytes under their hash, so the
/// name never chooses a path (rule 8.2, 12.4).
public struct Attachment: Hashable, Sendable {
  /// The SHA-256 of its bytes in 64 lower-case hexadecimal digits.
  public var hash: String
  /// A safe base name, see `FileName.safe`; when shown, still untrusted text.
  public var name: String
  /// The MIME type according to its bytes, whatever the sender claims.
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
    var (tenths, unit) = (min(max(0, bytes), .max - 1000), 0)
    if tenths < 1000 { return "\(tenths) B" }
    // Counts in tenths, rounded to the nearest, so that 999,999 is not "1000.0 kB".
    while unit == 0 || tenths >= 10_000 {
      tenths = unit == 0 ? (tenths + 50) / 100 : (tenths + 500) / 1000
      unit += 1
    }
    return "\(tenths / 10).\(tenths % 10) \(units[unit])"
  }
}
