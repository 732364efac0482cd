// SPDX-License-Identifier: GPL-3.0-or-later

/// Cuts the server's bytes into lines. A line that is not UTF-8 counts as Latin-1, which people on
/// old networks still write.
struct LineReader: Sendable {
  /// The most bytes of a line: of its tags and of the rest (IRCv3 message-tags, "Size limit").
  static let longest = 8_191 + 512

  private var unfinished: [UInt8] = []
  private var isSkipping = false
  /// How many longer lines it has skipped.
  private(set) var skipped = 0

  init() {}

  /// - Returns: the lines that are complete now.
  mutating func read(_ bytes: [UInt8]) -> [IRCLine] {
    var lines: [IRCLine] = []
    var rest = bytes[...]
    while let end = rest.firstIndex(of: 0x0A) {
      let part = rest[..<end]
      rest = rest[(end + 1)...]
      if isSkipping {
        isSkipping = false
        continue
      }
      let whole = unfinished.isEmpty ? part : (unfinished + part)[...]
      unfinished = []
      if whole.count > Self.longest {
        skipped += 1
      } else if let line = Self.line(whole) {
        lines.append(line)
      }
    }
    if !isSkipping { unfinished += rest }
    if unfinished.count > Self.longest {
      (unfinished, isSkipping) = ([], true)
      skipped += 1
    }
    return lines
  }

  private static func line(_ bytes: ArraySlice<UInt8>) -> IRCLine? {
    var bytes = bytes
    while bytes.last == 0x0D { bytes.removeLast() }
    if let text = String(validating: bytes, as: UTF8.self) { return IRCLine(text) }
    let latin = bytes.map { Unicode.Scalar($0) }
    return IRCLine(String(String.UnicodeScalarView(latin)))
  }
}
