// SPDX-License-Identifier: GPL-3.0-or-later

// What can be told without a program, for processes that must not start any: the kinds of file that
// people send each other most.
extension FileType {
  /// How many bytes are looked at.
  static let beginning = 512

  /// What the files of a type have at some offset.
  private static let marks: [(type: String, offset: Int, bytes: [UInt8])] = [
    ("image/png", 0, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]),
    ("image/jpeg", 0, [0xFF, 0xD8, 0xFF]),
    ("image/gif", 0, Array("GIF8".utf8)),
    ("image/webp", 8, Array("WEBP".utf8)),
    ("image/avif", 4, Array("ftypavif".utf8)),
    ("image/heic", 4, Array("ftypheic".utf8)),
    ("audio/x-m4a", 4, Array("ftypM4A".utf8)),
    ("video/mp4", 4, Array("ftyp".utf8)),
    ("video/webm", 0, [0x1A, 0x45, 0xDF, 0xA3]),
    ("audio/ogg", 0, Array("OggS".utf8)),
    ("audio/mpeg", 0, Array("ID3".utf8)),
    ("audio/x-wav", 8, Array("WAVE".utf8)),
    ("application/pdf", 0, Array("%PDF-".utf8)),
    ("application/zip", 0, [0x50, 0x4B, 0x03, 0x04]),
    ("application/gzip", 0, [0x1F, 0x8B]),
    ("application/x-xz", 0, [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]),
  ]

  /// The MIME type of what begins with these bytes, at most `beginning` of them; `unknown` where that
  /// says nothing.
  static func type(ofBytes bytes: [UInt8]) -> String {
    for mark in marks where bytes.dropFirst(mark.offset).starts(with: mark.bytes) {
      return mark.type
    }
    return isText(bytes) ? "text/plain" : unknown
  }

  private static func isText(_ bytes: [UInt8]) -> Bool {
    let isBinary = bytes.contains { $0 < 0x20 && !(0x07...0x0D).contains($0) && $0 != 0x1B }
    guard !bytes.isEmpty, !isBinary, !bytes.contains(0x7F) else { return false }
    // The last character may be cut.
    return (0...3).contains { String(validating: bytes.dropLast($0), as: UTF8.self) != nil }
  }
}
