// SPDX-License-Identifier: GPL-3.0-or-later

/// Cuts what a program writes into lines of a limited length.
struct InputLines {
  /// The longest line, in bytes.
  static let longest = 1 << 20

  private var line: [UInt8] = []
  private var isTooLong = false

  /// The lines that end in a piece of input, without their newlines; nil for each that is too long.
  mutating func take(_ piece: some Collection<UInt8>) -> [[UInt8]?] {
    let parts = piece.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    var lines: [[UInt8]?] = []
    for (number, part) in parts.enumerated() {
      if number > 0 { lines.append(end()) }
      if line.count + part.count > Self.longest { (line, isTooLong) = ([], true) }
      if !isTooLong { line += part }
    }
    return lines
  }

  /// The last line, which has no newline; empty if there is none.
  mutating func end() -> [UInt8]? {
    defer { (line, isTooLong) = ([], false) }
    return isTooLong ? nil : line
  }
}
