// SPDX-License-Identifier: GPL-3.0-or-later

/// Cuts a text into the pieces that the search index holds.
///
/// FTS5's own tokenizers fail for languages without blanks: `unicode61` treats a whole Chinese,
/// Japanese or Thai sentence as one word and drops emoji; `trigram` finds nothing shorter than
/// three characters, at twice the size. So in this one
/// - letters and digits in a row are one piece, folded as in `LetterFolds`; marks of other scripts
///   belong to it, accents and invisible characters are dropped;
/// - a Han, kana, Hangul, Thai, Lao, Khmer or Myanmar character, with the marks on it, is a piece
///   by itself, and a word of several is found as a phrase: anywhere in a sentence. (Hangul has
///   blanks, but particles stick to its nouns; syllable by syllable 회의 finds 회의를.)
/// - so is an emoji or other symbol; skin tones and presentation selectors are dropped, the two
///   letters of a flag stay together;
/// - everything else separates.
///
/// Cutting folded text again does not change it.
enum Tokenizer {
  /// The longest piece to index, in bytes; FTS5 itself cuts at 32 KiB.
  static let longest = 1024

  /// Precedes a word that says something about a message (see Schema+Search.swift). Such a word
  /// takes the form of one single character, which no text has: so it is in no prefix index, where
  /// it would be useless and take as much room as in the index itself.
  static let factMark: Unicode.Scalar = "\u{10FFFF}"

  /// A piece of a text.
  struct Token: Hashable {
    /// The piece as it is in the index, in UTF-8.
    var folded: [UInt8]
    /// Its range in the text, in UTF-8 bytes.
    var range: Range<Int>
  }

  static func tokens(of text: String) -> [Token] {
    var text = text
    var result: [Token] = []
    text.withUTF8 { bytes in
      _ = scan(bytes) { folded, range in
        result.append(Token(folded: Array(folded), range: range))
        return 0
      }
    }
    return result
  }

  /// - Parameters:
  ///   - text: UTF-8; invalid bytes separate.
  ///   - emit: receives each piece and its range; anything but 0 ends the scan.
  /// - Returns: what `emit` returned last, or 0.
  static func scan(
    _ text: UnsafeBufferPointer<UInt8>,
    emit: (UnsafeBufferPointer<UInt8>, Range<Int>) -> Int32
  ) -> Int32 {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: longest) { buffer in
      var scanner = Scanner(buffer: buffer)
      var position = 0
      while position < text.count {
        let byte = text[position]
        let start = position
        let code: Int32
        if byte < 0x80 {
          position += 1
          code = scanner.add(ascii: byte, at: start, emit)
        } else {
          let scalar = Tokenizer.nextScalar(in: text, at: &position)
          code = scanner.add(scalar, at: start..<position, emit)
        }
        if code != 0 { return code }
      }
      return scanner.finish(emit)
    }
  }

  /// The next scalar; for invalid UTF-8, U+0000, which separates.
  private static func nextScalar(
    in text: UnsafeBufferPointer<UInt8>, at position: inout Int
  ) -> UInt32 {
    let lead = text[position]
    position += 1
    let more: Int
    var value: UInt32
    switch lead {
    case 0xC2...0xDF: (more, value) = (1, UInt32(lead & 0x1F))
    case 0xE0...0xEF: (more, value) = (2, UInt32(lead & 0x0F))
    case 0xF0...0xF4: (more, value) = (3, UInt32(lead & 0x07))
    default: return 0
    }
    guard position + more <= text.count else { return 0 }
    for offset in 0..<more {
      guard text[position + offset] & 0xC0 == 0x80 else { return 0 }
      value = value << 6 | UInt32(text[position + offset] & 0x3F)
    }
    position += more
    return value
  }
}

/// The piece being collected.
private struct Scanner {
  typealias Emit = (UnsafeBufferPointer<UInt8>, Range<Int>) -> Int32

  private enum State {
    case between
    case inWord
    /// A character that is a piece by itself; marks may follow.
    case single(UInt32)
    /// The first letter of a flag.
    case halfFlag
    /// A word after ``Tokenizer/factMark``.
    case fact
  }

  private let buffer: UnsafeMutableBufferPointer<UInt8>
  private var count = 0
  private var start = 0
  private var end = 0
  private var state = State.between

  init(buffer: UnsafeMutableBufferPointer<UInt8>) {
    self.buffer = buffer
  }

  mutating func finish(_ emit: Emit) -> Int32 {
    if case .between = state { return 0 }
    state = .between
    defer { count = 0 }
    return count == 0 ? 0 : emit(UnsafeBufferPointer(rebasing: buffer[..<count]), start..<end)
  }

  mutating func add(ascii byte: UInt8, at position: Int, _ emit: Emit) -> Int32 {
    let folded: UInt8
    switch byte {
    case 0x61...0x7A, 0x30...0x39: folded = byte
    case 0x41...0x5A: folded = byte | 0x20
    default: return finish(emit)
    }
    var code: Int32 = 0
    var isFact = false
    switch state {
    case .inWord: break
    case .fact: isFact = true
    default: code = begin(.inWord, at: position, emit)
    }
    if count < buffer.count {
      // The bytes that continue a character have these bits.
      buffer[count] = isFact ? 0x80 | folded & 0x3F : folded
      count += 1
    }
    end = position + 1
    return code
  }

  mutating func add(_ scalar: UInt32, at range: Range<Int>, _ emit: Emit) -> Int32 {
    var code: Int32 = 0
    if scalar == Tokenizer.factMark.value {
      code = begin(.fact, at: range.lowerBound, emit)
      buffer[0] = 0xFF
      count = 1
      end = range.upperBound
      return code
    }
    switch CharacterClass(of: scalar) {
    case .separator:
      return finish(emit)
    case .dropped:
      if case .between = state { return 0 }
    case .letter(let one, let other):
      if case .inWord = state {} else { code = begin(.inWord, at: range.lowerBound, emit) }
      append(one)
      if let other { append(other) }
    case .mark:
      switch state {
      case .between:
        state = .inWord
        start = range.lowerBound
        append(scalar)
      case .inWord, .halfFlag, .fact: append(scalar)
      case .single(let base): join(scalar, to: base)
      }
    case .single:
      if case .single(let base) = state, let whole = Composition.hangul(base, scalar) {
        replace(by: whole)
      } else {
        code = begin(.single(scalar), at: range.lowerBound, emit)
        append(scalar)
      }
    case .flagLetter:
      if case .halfFlag = state {
        append(scalar)
        end = range.upperBound
        return finish(emit)
      }
      code = begin(.halfFlag, at: range.lowerBound, emit)
      append(scalar)
    }
    end = range.upperBound
    return code
  }

  private mutating func begin(_ next: State, at position: Int, _ emit: Emit) -> Int32 {
    let code = finish(emit)
    state = next
    start = position
    return code
  }

  private mutating func join(_ mark: UInt32, to base: UInt32) {
    if let whole = Composition.kana(base, mark) { replace(by: whole) } else { append(mark) }
  }

  private mutating func replace(by scalar: UInt32) {
    count = 0
    append(scalar)
    state = .single(scalar)
  }

  private mutating func append(_ scalar: UInt32) {
    let length = scalar < 0x80 ? 1 : scalar < 0x800 ? 2 : scalar < 0x10000 ? 3 : 4
    guard count + length <= buffer.count else { return }
    if length == 1 {
      buffer[count] = UInt8(scalar)
    } else {
      var rest = scalar
      for position in (1..<length).reversed() {
        buffer[count + position] = UInt8(0x80 | rest & 0x3F)
        rest >>= 6
      }
      buffer[count] = UInt8(truncatingIfNeeded: (0xF00 >> length) & 0xFF) | UInt8(rest)
    }
    count += length
  }
}
