// SPDX-License-Identifier: GPL-3.0-or-later

/// A path as the URL of its file. A path may contain any byte except NUL, but a `String` only
/// UTF-8. So hobnob keeps a path that is not UTF-8 as its URL, from the command line or a paste to
/// the draft and the system call that opens it.
package enum FileURL {
  private static let scheme = "file://"

  /// `file:///tmp/b%E4r.txt`
  ///
  /// - Parameter path: absolute, without its NUL.
  package static func written(_ path: some Collection<UInt8>) -> String {
    path.reduce(into: scheme) { url, byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x2F, 0x5F, 0x7E:
        url.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        url += (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
      }
    }
  }

  /// The bytes of a path for the system: those of the text, or those that a URL of a file on this
  /// machine encodes, without NUL. Nil if there is a NUL, or if the URL is not valid.
  static func bytes(of path: String) -> [UInt8]? {
    var bytes = Array(path.utf8)
    if bytes.starts(with: (scheme + "/").utf8) {
      guard let decoded = decoded(bytes[scheme.utf8.count...]) else { return nil }
      bytes = decoded
    }
    return bytes.contains(0) ? nil : bytes
  }

  /// The name under which other people get the file.
  static func name(of path: String) -> String {
    FileName.safe(bytes(of: path).map { String(decoding: $0, as: UTF8.self) } ?? path)
  }

  /// Decodes the percent escapes of a URL; nil for an invalid one.
  package static func decoded(_ escaped: ArraySlice<UInt8>) -> [UInt8]? {
    var rest = escaped
    var path: [UInt8] = []
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        path.append(byte)
        continue
      }
      guard rest.count >= 2, rest.first != UInt8(ascii: "+"), rest.first != UInt8(ascii: "-"),
        let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
      else { return nil }
      rest = rest.dropFirst(2)
      path.append(value)
    }
    return path
  }
}
