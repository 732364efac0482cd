// SPDX-License-Identifier: GPL-3.0-or-later
import StyledText

/// The difference between two texts.
package enum TextChange {
  /// The bytes that differ, from the first to the last.
  ///
  /// - Parameter caret: the caret in `new`; the change is assumed to end there if possible.
  /// - Returns: the range of `old` that was replaced and how many bytes of `new` replace it.
  package static func between(_ old: String, _ new: String, caret: Int) -> (Range<Int>, count: Int)
  {
    old.withUTF8Bytes { old in
      new.withUTF8Bytes { new in
        let room = min(old.count, new.count)
        let behindCaret = min(room, max(0, new.count - caret))
        let suffix = commonSuffix(old, new, atMost: behindCaret)
        let prefix = commonPrefix(old, new, atMost: room - suffix)
        // A change that does not end at the caret, such as a deletion by undo, ends elsewhere.
        let tail = commonSuffix(old, new, atMost: room - prefix)
        return (prefix..<(old.count - tail), new.count - tail - prefix)
      }
    }
  }

  /// How many bytes are equal at the beginning of both.
  static func commonPrefix(
    _ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>, atMost limit: Int
  ) -> Int {
    var at = 0
    while at + 8 <= limit, word(a, at) == word(b, at) { at += 8 }
    while at < limit && a[at] == b[at] { at += 1 }
    return at
  }

  /// How many bytes are equal at the end of both.
  static func commonSuffix(
    _ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>, atMost limit: Int
  ) -> Int {
    var count = 0
    while count + 8 <= limit, word(a, a.count - count - 8) == word(b, b.count - count - 8) {
      count += 8
    }
    while count < limit && a[a.count - count - 1] == b[b.count - count - 1] { count += 1 }
    return count
  }

  /// Eight bytes at once, since a long text is compared at every key.
  private static func word(_ bytes: UnsafeBufferPointer<UInt8>, _ at: Int) -> UInt64 {
    UnsafeRawBufferPointer(bytes).loadUnaligned(fromByteOffset: at, as: UInt64.self)
  }
}
