// SPDX-License-Identifier: GPL-3.0-or-later
/// The type of a file, judged by its first bytes. It covers the types that people send most.
public enum FileType {
  /// The type of a file about which nothing more is known.
  public static let unknown = "application/octet-stream"

  /// The maximum number of first bytes that are needed to tell the type.
  static let beginning = 4096

  /// The MIME type of a file that begins with these bytes; only the first `beginning` count.
  static func type(ofBytes bytes: [UInt8]) -> String {
    let bytes = bytes.prefix(beginning)
    let isText = Self.isText(bytes)
    for mark in marks where mark.isPossibleText || !isText {
      if mark.parts.allSatisfy({ bytes.dropFirst($0.offset).starts(with: $0.bytes) }) {
        return mark.type
      }
    }
    if isText { return isSVG(bytes) ? "image/svg+xml" : "text/plain" }
    // Matroska and WebM begin with the same bytes; the name that distinguishes them follows a
    // little later.
    if bytes.starts(with: [0x1A, 0x45, 0xDF, 0xA3]) {
      return bytes.prefix(64).hasText("webm") ? "video/webm" : "video/x-matroska"
    }
    return unknown
  }

  /// A MIME type without parameters, safe for a header or a screen; nil for anything else.
  package static func checked(_ said: String) -> String? {
    var bytes = said.utf8[...]
    while let last = bytes.last, last == 0x0A || last == 0x20 { bytes.removeLast() }
    let parts = bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard parts.count == 2, bytes.count <= 127, !parts.contains(where: \.isEmpty),
      parts.joined().allSatisfy(isTypeCharacter), !bytes.starts(with: "inode/".utf8)
    else { return nil }
    return String(bytes)
  }

  private static func isTypeCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "."), UInt8(ascii: "+"), UInt8(ascii: "-"):
      true
    default:
      false
    }
  }

  // MARK: Marks

  /// The bytes that all files of a type have at certain offsets.
  private struct Mark {
    var type: String
    var parts: [(offset: Int, bytes: [UInt8])]
    /// Whether the first bytes of such a file may all be text.
    var isPossibleText = false

    init(_ type: String, _ bytes: [UInt8], at offset: Int = 0) {
      (self.type, parts) = (type, [(offset, bytes)])
    }

    init(_ type: String, text: String) {
      self.init(type, Array(text.utf8))
      isPossibleText = true
    }

    /// A RIFF file: its kind follows its length.
    init(_ type: String, riff kind: String) {
      (self.type, parts) = (type, [(0, Array("RIFF".utf8)), (8, Array(kind.utf8))])
    }

    /// A file of ISO base media, which begins with a box of this brand.
    init(_ type: String, brand: String) {
      self.init(type, Array("ftyp".utf8) + brand.utf8, at: 4)
    }
  }

  private static let marks: [Mark] = [
    Mark("image/png", [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]),
    Mark("image/jpeg", [0xFF, 0xD8, 0xFF]),
    Mark("image/gif", text: "GIF87a"),
    Mark("image/gif", text: "GIF89a"),
    Mark("image/webp", riff: "WEBP"),
    Mark("image/avif", brand: "avif"),
    Mark("image/heic", brand: "heic"),
    Mark("image/tiff", [0x49, 0x49, 0x2A, 0x00]),
    Mark("image/tiff", [0x4D, 0x4D, 0x00, 0x2A]),
    Mark("audio/x-m4a", brand: "M4A"),
    Mark("video/quicktime", brand: "qt"),
    Mark("video/mp4", brand: ""),
    Mark("video/x-msvideo", riff: "AVI "),
    Mark("audio/x-wav", riff: "WAVE"),
    Mark("audio/ogg", Array("OggS".utf8)),
    Mark("audio/flac", Array("fLaC".utf8)),
    Mark("audio/mpeg", Array("ID3".utf8)),
    // Frames of MPEG-1 and -2, layer III, with and without a checksum.
    Mark("audio/mpeg", [0xFF, 0xFB]),
    Mark("audio/mpeg", [0xFF, 0xFA]),
    Mark("audio/mpeg", [0xFF, 0xF3]),
    Mark("audio/mpeg", [0xFF, 0xF2]),
    Mark("application/pdf", text: "%PDF-"),
    Mark("application/zip", [0x50, 0x4B, 0x03, 0x04]),
    Mark("application/gzip", [0x1F, 0x8B]),
    Mark("application/x-bzip2", Array("BZh".utf8)),
    Mark("application/x-xz", [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]),
    Mark("application/zstd", [0x28, 0xB5, 0x2F, 0xFD]),
    Mark("application/x-7z-compressed", [0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C]),
    Mark("application/x-tar", Array("ustar".utf8), at: 257),
  ]

  private static func isText(_ bytes: ArraySlice<UInt8>) -> Bool {
    let isBinary = bytes.contains { $0 < 0x20 && !(0x07...0x0D).contains($0) && $0 != 0x1B }
    guard !bytes.isEmpty, !isBinary, !bytes.contains(0x7F) else { return false }
    // The last character may be incomplete.
    return (0..<min(4, bytes.count)).contains {
      String(validating: bytes.dropLast($0), as: UTF8.self) != nil
    }
  }

  /// An SVG drawing begins with its own element, or with something that may precede an XML element.
  private static func isSVG(_ bytes: ArraySlice<UInt8>) -> Bool {
    let start = bytes.drop { $0 == 0x20 || (0x09...0x0D).contains($0) }
    if start.starts(with: "<svg".utf8) { return true }
    return (start.starts(with: "<?xml".utf8) || start.starts(with: "<!".utf8))
      && start.hasText("<svg")
  }
}

extension ArraySlice<UInt8> {
  fileprivate func hasText(_ text: StaticString) -> Bool {
    let wanted = text.description.utf8
    return indices.contains { self[$0] == wanted.first && self[$0...].starts(with: wanted) }
  }
}
