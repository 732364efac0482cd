// SPDX-License-Identifier: GPL-3.0-or-later

/// Finds the ends of stanzas in the bytes of a stream. It keeps only a name in memory, so it can
/// skip a stanza of any size and depth.
///
/// It trusts the server to pass on well-formed XML. The parser also reads everything that is not
/// skipped.
struct StanzaScanner {
  private enum State {
    case text
    /// After `<`.
    case tag
    /// In the name of a start tag, and after it.
    case name, startTag
    case value(quote: UInt8)
    case endTag
    /// After `<!`.
    case markup
    case cdata(brackets: Int)
    /// In markup that XMPP forbids; expat reads all of it.
    case forbidden
  }

  private var state = State.text
  /// How many elements are open; the stream is one of them.
  private var depth = 0
  private var previous: UInt8 = 0
  /// The beginning of the stanza's name, at most `longestName` bytes.
  private var name: [UInt8] = []
  private static let longestName = 64
  /// The forbidden markup that has begun since the last stanza ended.
  private(set) var fault: XMLFault?

  /// The last stanza, with its name only; nil between stanzas.
  var stanza: Element? {
    if name.isEmpty { return nil }
    let isClient = !name.contains(UInt8(ascii: ":"))
    return Element(
      String(decoding: name, as: UTF8.self), namespace: isClient ? "" : Namespace.none)
  }

  /// Reads up to the end of a stanza or of the stream's header, or else all bytes.
  ///
  /// - Returns: how many bytes it read, and whether they reach such an end.
  mutating func read(_ bytes: UnsafeBufferPointer<UInt8>) -> (count: Int, isEnd: Bool) {
    if case .text = state, depth <= 1 { (name, fault) = ([], nil) }
    for (index, byte) in bytes.enumerated() {
      if ends(with: byte) { return (index + 1, true) }
    }
    return (bytes.count, false)
  }

  private mutating func ends(with byte: UInt8) -> Bool {
    defer { previous = byte }
    switch (state, byte) {
    case (.text, UInt8(ascii: "<")): state = .tag
    case (.text, _): break
    case (.tag, _): beginTag(byte)
    case (.name, UInt8(ascii: ">")), (.startTag, UInt8(ascii: ">")):
      state = .text
      if previous != UInt8(ascii: "/") { depth += 1 }
      return depth == 1
    case (.name, 0x09), (.name, 0x0A), (.name, 0x0D), (.name, 0x20): state = .startTag
    case (.name, UInt8(ascii: "/")): break
    case (.name, _): if depth == 1, name.count < Self.longestName { name.append(byte) }
    case (.startTag, UInt8(ascii: "'")), (.startTag, UInt8(ascii: "\"")):
      state = .value(quote: byte)
    case (.startTag, _): break
    case (.value(let quote), _): if byte == quote { state = .startTag }
    case (.endTag, UInt8(ascii: ">")):
      state = .text
      depth -= 1
      return depth == 1
    case (.endTag, _): break
    case (.markup, UInt8(ascii: "[")): state = .cdata(brackets: 0)
    case (.markup, _):
      state = .forbidden
      fault = byte == UInt8(ascii: "-") ? .comment : .docType
    case (.cdata(let brackets), UInt8(ascii: "]")): state = .cdata(brackets: brackets + 1)
    case (.cdata(let brackets), _):
      state = byte == UInt8(ascii: ">") && brackets >= 2 ? .text : .cdata(brackets: 0)
    case (.forbidden, _): if byte == UInt8(ascii: ">") { state = .text }
    }
    return false
  }

  private mutating func beginTag(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "/"): state = .endTag
    case UInt8(ascii: "!"): state = .markup
    case UInt8(ascii: "?"):
      state = .forbidden
      fault = .processingInstruction
    default:
      state = .name
      if depth == 1 { name = [byte] }
    }
  }
}
