// SPDX-License-Identifier: GPL-3.0-or-later

/// Where a piece of text leads when it is clicked, for terminals that know OSC 8 (rule 7.9).
///
/// It is made only of the text that is shown, so a link never leads anywhere else than it says.
public struct Link: Hashable, Sendable {
  /// The address in printable ASCII, without blanks; other characters are percent-encoded.
  public let target: String

  /// The schemes that become links.
  public static let schemes = ["http", "https", "mailto", "xmpp"]

  /// - Parameter text: an address as it is shown.
  /// - Returns: nil for other schemes, and for an address that is longer than terminals accept
  ///   (2,000 bytes).
  public init?(_ text: SafeText) {
    let bytes = text.string.utf8
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
      Self.schemes.contains(text.string[..<colon].lowercased()), bytes.count <= 2000
    else { return nil }
    var target = ""
    for byte in bytes {
      // A colon or a lone backslash is harmless inside OSC 8; ESC and BEL never occur in safe text.
      if byte > 0x20, byte < 0x7F {
        target.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        target += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }
    guard target.utf8.count <= 2000 else { return nil }
    self.target = target
  }
}

/// Finds the addresses in a text: `https://…`, `http://…`, `mailto:…`, `xmpp:…` (rule 7.9).
package enum WebAddresses {
  /// The ranges of the addresses: UTF-8 offsets, ascending, not overlapping. Punctuation that ends
  /// a sentence after an address, or closes a bracket that was opened before it, does not belong to
  /// the address. Takes linear time.
  package static func ranges(in text: String) -> [Range<Int>] {
    guard text.utf8.contains(UInt8(ascii: ":")) else { return [] }
    let bytes = Array(text.utf8)
    var found: [Range<Int>] = []
    var at = 0
    while let colon = bytes[at...].firstIndex(of: UInt8(ascii: ":")) {
      at = colon + 1
      guard let start = start(of: bytes, colon), start >= found.last?.upperBound ?? 0 else {
        continue
      }
      let before = start > 0 ? bytes[start - 1] : nil
      let end = end(of: bytes, from: colon + 1, before: before)
      guard bytes[(colon + 1)..<end].contains(where: isLetterOrDigit) else { continue }
      found.append(start..<end)
      at = end
    }
    return found
  }

  private static let schemes = Link.schemes.map { Array($0.utf8) }

  /// Where the address begins, if its scheme ends at this colon.
  private static func start(of bytes: [UInt8], _ colon: Int) -> Int? {
    for scheme in schemes {
      let start = colon - scheme.count
      guard start >= 0, zip(bytes[start..<colon], scheme).allSatisfy({ $0 | 0x20 == $1 }) else {
        continue
      }
      // In `xhttp://`, this is not the scheme but the end of another word.
      if start > 0, bytes[start - 1] < 0x80, isLetterOrDigit(bytes[start - 1]) { continue }
      if scheme[0] == UInt8(ascii: "h") {
        guard bytes.count > colon + 3, bytes[colon + 1] == 0x2F, bytes[colon + 2] == 0x2F else {
          continue
        }
      }
      return start
    }
    return nil
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || byte >= 0x80
  }

  /// Blanks, quotes and brackets that end an address. `<` also begins a placeholder for an unsafe
  /// character, such as `<U+202E>`.
  private static let stops = Set("<>\"^`{}|\\ \t\n".utf8)
  private static let sentenceEnds = Set(".,;:!?'".utf8)

  private static func end(of bytes: [UInt8], from start: Int, before: UInt8?) -> Int {
    var end = start
    while end < bytes.count, !stops.contains(bytes[end]), !isWideStop(bytes, end) { end += 1 }
    var opened = 0
    var squares = 0
    for byte in bytes[start..<end] {
      switch byte {
      case 0x28: opened += 1
      case 0x29: opened -= 1
      case 0x5B: squares += 1
      case 0x5D: squares -= 1
      default: break
      }
    }
    while end > start {
      let last = bytes[end - 1]
      if sentenceEnds.contains(last) || last == before && [0x2A, 0x5F, 0x7E].contains(last) {
        end -= 1
      } else if last == 0x29, opened < 0 {
        opened += 1
        end -= 1
      } else if last == 0x5D, squares < 0 {
        squares += 1
        end -= 1
      } else {
        break
      }
    }
    return end
  }

  /// The no-break space, the CJK space and marks such as 、。「」 (U+3000–303F), and the full-width
  /// marks and digits (U+FF00–FF1F).
  private static func isWideStop(_ bytes: [UInt8], _ at: Int) -> Bool {
    guard at + 1 < bytes.count else { return false }
    return bytes[at] == 0xE3 && bytes[at + 1] == 0x80
      || bytes[at] == 0xEF && bytes[at + 1] == 0xBC && at + 2 < bytes.count && bytes[at + 2] < 0xA0
      || bytes[at] == 0xC2 && bytes[at + 1] == 0xA0
  }
}
