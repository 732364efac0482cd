// SPDX-License-Identifier: GPL-3.0-or-later

/// Walks over the graphemes of a buffer of UTF-8, from a boundary on.
///
/// The boundaries are those of Swift's `Character`, with two exceptions. Every ASCII control
/// character is a separate grapheme, since even a carriage return before a newline is shown as a
/// separate placeholder. Every byte that is not UTF-8 is also a separate grapheme.
///
/// For most boundaries the two scalars beside them decide; only the rest needs `String`.
struct Graphemes {
  private let utf8: UnsafeBufferPointer<UInt8>
  private let limit: Int
  /// How far the walk has come; always a boundary.
  private(set) var offset: Int
  /// The rest of a stretch whose boundaries only `String` knows.
  private var stretch: Substring = ""

  /// - Parameters:
  ///   - start: a boundary to start from.
  ///   - limit: where to stop; also a boundary.
  init(_ utf8: UnsafeBufferPointer<UInt8>, from start: Int, to limit: Int? = nil) {
    self.utf8 = utf8
    self.offset = start
    self.limit = limit ?? utf8.count
  }

  /// Moves past the next grapheme. Returns its range, or nil at the end.
  mutating func next() -> Range<Int>? {
    let start = offset
    guard start < limit else { return nil }
    if stretch.isEmpty {
      var end = start + utf8.decodedScalar(at: start).length
      if end >= limit || Self.isCertainBoundary(utf8, end) {
        offset = end
        return start..<end
      }
      while end < limit && !Self.isCertainBoundary(utf8, end) {
        end += utf8.decodedScalar(at: end).length
      }
      stretch = String(decoding: utf8[start..<end], as: UTF8.self)[...]
    }
    offset += stretch.removeFirst().utf8.count
    return start..<offset
  }

  /// Whether `skip(to:)` loses nothing: no stretch that `String` has split is left.
  var canSkip: Bool { stretch.isEmpty }

  /// Moves ahead to an offset that the caller knows to be a boundary, without looking at the text.
  mutating func skip(to offset: Int) {
    self.offset = offset
    stretch = ""
  }

  /// Whether the two scalars beside `offset` are enough to show that a boundary is there. False
  /// means that there may or may not be one.
  static func isCertainBoundary(_ utf8: UnsafeBufferPointer<UInt8>, _ offset: Int) -> Bool {
    if offset <= 0 || offset >= utf8.count { return true }
    let (last, first) = (utf8[offset - 1], utf8[offset])
    if last < 0x80 && first < 0x80 { return true }
    guard let after = utf8.decodedScalar(at: offset).scalar,
      let before = utf8.decodedScalar(endingAt: offset).scalar
    else {
      // In the middle of a scalar there is no boundary; beside a bad byte there always is one.
      return utf8.scalarStart(at: offset) == offset
    }
    if isControl(before) || isControl(after) { return true }
    if after.isASCII { return !mayJoinWhatFollows(before) }
    return standsAlone(before) && standsAlone(after)
  }

  /// The nearest certain boundary at or before `offset`.
  static func certainBoundary(_ utf8: UnsafeBufferPointer<UInt8>, atOrBefore offset: Int) -> Int {
    var at = utf8.scalarStart(at: offset)
    while !isCertainBoundary(utf8, at) { at -= utf8.decodedScalar(endingAt: at).length }
    return at
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x20 || scalar.value == 0x7F
  }

  /// Whether the scalar may be a "prepend" of UAX #29. Whole regions of Unicode count as such, so
  /// that a later version of Unicode adds none outside them; the ranges below are those without
  /// any.
  private static func mayJoinWhatFollows(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x600, 0x900..<0xD00, 0xE00..<0x11000, 0x1F000...: false
    default: true
    }
  }

  /// Whether there is a boundary between this scalar and any other that stands alone: UAX #29 calls
  /// it "other" (most letters and symbols), a whole Hangul syllable or a pictograph.
  static func standsAlone(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x20..<0x7F, 0xA1..<0xAD, 0xAE..<0x300, 0x370..<0x483, 0x48A..<0x589: true
    case 0x2010..<0x2028, 0x2030..<0x205F, 0x2100..<0x2C00: true
    case 0x3000..<0x302A, 0x3041..<0x3097, 0x30A0..<0x3100: true
    case 0x3400..<0xA48D, 0xAC00..<0xD7A4, 0xFF01..<0xFF9E: true
    case 0x1F300..<0x1F3FB, 0x1F400..<0x1FB00, 0x20000..<0x2FFFE: true
    default: false
    }
  }
}
