// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Glibc
import Platform
import StyledText

/// Emoji and their shortcodes (2.1, 7.8), from `share/hobnob/emoji.tsv`.
///
/// The first query reads the file: a shell in which nobody types `:` does not pay for it. A line is
/// an emoji, a tab, and its shortcodes separated by blanks, the most common first. A `#` without an
/// emoji begins a comment. Lines of any other form are skipped.
///
/// ```swift
/// let emoji = EmojiTable.load(path)
/// emoji["tada"]        // "🎉"
/// emoji.candidates     // for the source under `:` and `+:`
/// ```
package final class EmojiTable {
  /// Finds the file; even that takes time.
  private let path: () -> String
  private lazy var content = Content(file: path())

  private init(path: @escaping () -> String) {
    self.path = path
  }

  /// The table in a file. An unreadable file gives an empty table.
  static func load(_ path: @autoclosure @escaping () -> String) -> EmojiTable {
    EmojiTable(path: path)
  }

  /// Every shortcode in the file's order: `text` is the shortcode without colons, `hint` the emoji.
  ///
  /// An emoji may have several code points: show it with `SafeText(line:)`, since `SafeText(name:)`
  /// splits it.
  package var candidates: [Candidate] { content.candidates }

  /// The emoji of a shortcode, with or without its colons. Case is ignored, and `-` counts as `_`
  /// unless another shortcode matches: other programs write `:flag-de:`.
  package subscript(shortcode: String) -> String? {
    let byShortcode = content.byShortcode
    if let emoji = byShortcode[shortcode] { return emoji }
    var name = shortcode.lowercased()
    if name.utf8.count > 2, name.hasPrefix(":"), name.hasSuffix(":") {
      name = String(name.dropFirst().dropLast())
    }
    if let emoji = byShortcode[name] { return emoji }
    return byShortcode[String(name.map { $0 == "-" ? "_" : $0 })]
  }

  /// A typed or pasted emoji: with the variation selector that the table has and keyboards leave
  /// out, and with its skin tones, which the table does not have (UTS #51, 1.4 and 2.4). Nil if it
  /// is not an emoji.
  package func emoji(_ typed: String) -> String? {
    let bare = Self.bare(typed, tones: false)
    guard !bare.isEmpty, let known = byBare[bare] else { return nil }
    return Self.bare(typed, tones: true) == bare ? known : typed
  }

  /// An emoji by its shortcode between colons, or as it is.
  package func emoji(named name: String) -> String? {
    name.hasPrefix(":") && name.hasSuffix(":") && name.count > 2 ? self[name] : emoji(name)
  }

  /// The emoji of the table, by their form without selectors.
  private lazy var byBare = Dictionary(
    content.candidates.map { (Self.bare($0.hint, tones: false), $0.hint) }
  ) { first, _ in first }

  /// The emoji of the table in a text, as they are or as shortcodes between colons.
  func used(in text: String) -> [String] {
    var found: [String] = []
    if !text.isASCII {
      found = text.filter { !$0.isASCII }.compactMap { byBare[Self.bare(String($0), tones: false)] }
    }
    guard text.utf8.contains(UInt8(ascii: ":")) else { return found }
    for word in text.split(whereSeparator: \.isWhitespace) {
      let name = String(word.hasPrefix("+") ? word.dropFirst() : word)
      if Self.isShortcode(name), let emoji = self[name] { found.append(emoji) }
    }
    return found
  }

  /// Removes presentation selectors and, unless tones are wanted, skin tones.
  private static func bare(_ emoji: String, tones: Bool) -> [UInt32] {
    emoji.unicodeScalars.map(\.value).filter {
      $0 != 0xFE0F && (tones || !(0x1F3FB...0x1F3FF).contains($0))
    }
  }

  /// Whether a text has the form of a shortcode between colons.
  package static func isShortcode(_ text: String) -> Bool {
    text.utf8.count > 2 && text.hasPrefix(":") && text.hasSuffix(":")
      && text.utf8.dropFirst().dropLast().allSatisfy {
        Content.isPartOfShortcode($0 | 0x20) || Content.isPartOfShortcode($0)
      }
  }
}

extension EmojiTable {
  /// The contents of a file.
  struct Content {
    private(set) var candidates: [Candidate] = []
    private(set) var byShortcode: [String: String] = [:]

    /// Longer than any emoji: the flags of England and Scotland have 28 bytes, families 25.
    private static let mostBytesOfEmoji = 64
    /// hobnob's own file has 48 KB. A wrong file must not fill the memory.
    private static let mostBytesOfFile = 1 << 20

    fileprivate init(file path: String) { self.init(Self.bytes(of: path)) }

    init(_ bytes: [UInt8]) {
      // A shortcode takes about ten bytes: reserving the room at once halves the time.
      candidates.reserveCapacity(bytes.count / 12)
      byShortcode.reserveCapacity(bytes.count / 12)
      bytes.withUnsafeBufferPointer { bytes in
        for line in bytes.split(separator: UInt8(ascii: "\n")) { read(line) }
      }
    }

    private mutating func read(_ line: Slice<UnsafeBufferPointer<UInt8>>) {
      let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
      guard let first = line.first else { return }
      // The keycap #️⃣ begins with the same byte.
      if first == UInt8(ascii: "#"), line.dropFirst().first.map({ $0 < 0x80 }) ?? true { return }
      guard let tab = line.firstIndex(of: UInt8(ascii: "\t")), let emoji = Self.emoji(line[..<tab])
      else { return }
      let names = line[line.index(after: tab)...].split(separator: UInt8(ascii: " "))
      guard names.allSatisfy({ $0.allSatisfy(Self.isPartOfShortcode) }) else { return }
      for name in names {
        let name = String(decoding: name, as: UTF8.self)
        if let other = byShortcode.updateValue(emoji, forKey: name) {
          byShortcode[name] = other
        } else {
          candidates.append(Candidate(name, hint: emoji))
        }
      }
    }

    /// Nil for an impossible emoji: no bytes, too many, controls, blanks, letters, damaged UTF-8.
    private static func emoji(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> String? {
      guard (1...mostBytesOfEmoji).contains(bytes.count),
        // Keycaps contain digits, # and *; every emoji also has something beyond ASCII.
        bytes.allSatisfy({ $0 >= 0x80 || (0x30...0x39).contains($0) || $0 == 0x23 || $0 == 0x2A }),
        bytes.contains(where: { $0 >= 0x80 })
      else { return nil }
      return String(validating: bytes, as: UTF8.self)
    }

    fileprivate static func isPartOfShortcode(_ byte: UInt8) -> Bool {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "_"), UInt8(ascii: "+"), UInt8(ascii: "-"):
        true
      default: false
      }
    }

    /// The bytes of a file; empty if it is unreadable or too large.
    private static func bytes(of path: String) -> [UInt8] {
      let descriptor = open(path, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { return [] }
      defer { close(descriptor) }
      let bytes = (try? readAll(descriptor) { $0 <= mostBytesOfFile }) ?? []
      return bytes.count <= mostBytesOfFile ? bytes : []
    }
  }
}
