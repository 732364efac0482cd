// SPDX-License-Identifier: GPL-3.0-or-later
import StyledText

/// One scalar, or one bad byte, in a buffer of UTF-8 that may be damaged.
struct DecodedScalar {
  /// Nil for a bad byte; the length is then 1.
  var scalar: Unicode.Scalar?
  var length: Int
}

extension UnsafeBufferPointer<UInt8> {
  /// The scalar that begins at `at`, strictly: no overlong forms, no surrogates.
  func decodedScalar(at: Int) -> DecodedScalar {
    guard let found = decodeScalar(self, at: at) else {
      return DecodedScalar(scalar: nil, length: 1)
    }
    return DecodedScalar(scalar: found.scalar, length: found.length)
  }

  /// The scalar that ends at `end`, or a bad byte if no scalar ends there. `end` must be above 0.
  func decodedScalar(endingAt end: Int) -> DecodedScalar {
    var start = end - 1
    while start > 0 && end - start < 4 && self[start] & 0xC0 == 0x80 { start -= 1 }
    let spot = decodedScalar(at: start)
    return spot.length == end - start ? spot : DecodedScalar(scalar: nil, length: 1)
  }

  /// The start of the scalar that `offset` lies in; `offset` itself if it lies between two.
  func scalarStart(at offset: Int) -> Int {
    guard offset > 0 && offset < count && self[offset] & 0xC0 == 0x80 else { return offset }
    var start = offset - 1
    while start > 0 && offset - start < 3 && self[start] & 0xC0 == 0x80 { start -= 1 }
    return start + decodedScalar(at: start).length > offset ? start : offset
  }
}

extension String {
  /// The index of a UTF-8 offset, moved back to the start of its scalar and into the text.
  func index(atByte offset: Int) -> String.Index {
    var index = utf8.index(startIndex, offsetBy: min(max(0, offset), utf8.count))
    while index < endIndex && utf8[index] & 0xC0 == 0x80 { index = utf8.index(before: index) }
    return index
  }

  /// The UTF-8 offset of an index.
  func byteOffset(of index: String.Index) -> Int {
    utf8.distance(from: startIndex, to: index)
  }

  /// The text of a range of UTF-8 offsets, without the part of the range outside the text.
  func slice(_ bytes: Range<Int>) -> Substring {
    self[index(atByte: bytes.lowerBound)..<index(atByte: bytes.upperBound)]
  }

  /// Whether both are the same bytes; `==` also treats é and e with an accent as equal.
  func hasSameBytes(as other: String) -> Bool {
    // A typed letter changes the length; comparing would reach the difference only at the end.
    guard utf8.count == other.utf8.count else { return false }
    return utf8.withContiguousStorageIfAvailable { ours in
      other.utf8.withContiguousStorageIfAvailable { ours.elementsEqual($0) }
    }
    .flatMap(\.self) ?? utf8.elementsEqual(other.utf8)
  }
}
