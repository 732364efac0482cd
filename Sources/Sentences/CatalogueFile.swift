// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc

/// A compiled catalogue (.mo; GNU gettext manual, "The Format of GNU MO Files").
///
/// glibc relies on what such a file says of itself: in a damaged one it reads beyond the end or
/// searches for ever, and every command of hobnob would crash.
enum CatalogueFile {
  /// Whether gettext can use the file as it is.
  ///
  /// - Returns: nil if there is no file that this user can read.
  static func isSound(_ path: String) -> Bool? {
    let file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var found = stat()
    guard fstat(file, &found) == 0, found.st_mode & S_IFMT == S_IFREG, found.st_size > 0,
      let bytes = mmap(nil, Int(found.st_size), PROT_READ, MAP_PRIVATE, file, 0),
      bytes != MAP_FAILED
    else { return false }
    defer { munmap(bytes, Int(found.st_size)) }
    return isSound(UnsafeRawBufferPointer(start: bytes, count: Int(found.st_size)))
  }

  static func isSound(_ bytes: UnsafeRawBufferPointer) -> Bool {
    // Revision 0 is what msgfmt writes for texts like hobnob's.
    guard bytes.count >= 28 else { return false }
    let magic = bytes.loadUnaligned(as: UInt32.self)
    let isSwapped = magic.byteSwapped == 0x9504_12de
    func word(_ offset: Int) -> Int {
      let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
      return Int(isSwapped ? word.byteSwapped : word)
    }
    func holds(_ count: Int, of size: Int, at offset: Int) -> Bool {
      offset.isMultiple(of: 4) && offset <= bytes.count && count <= (bytes.count - offset) / size
    }
    guard isSwapped || magic == 0x9504_12de, word(4) == 0 else { return false }
    let (count, originals, translations) = (word(8), word(12), word(16))
    let (hashSize, hashTable) = (word(20), word(24))
    guard holds(count, of: 8, at: originals), holds(count, of: 8, at: translations),
      holds(hashSize, of: 4, at: hashTable)
    else { return false }
    for table in [originals, translations] {
      for entry in 0..<count {
        let (length, offset) = (word(table + entry * 8), word(table + entry * 8 + 4))
        // A text ends in NUL, which its length does not count.
        guard offset < bytes.count, length < bytes.count - offset, bytes[offset + length] == 0
        else { return false }
      }
    }
    // The search ends at a free entry, which it is sure to meet if the size is a prime number.
    var free = 0
    for entry in 0..<hashSize {
      let number = word(hashTable + entry * 4)
      guard number <= count else { return false }
      if number == 0 { free += 1 }
    }
    return hashSize == 0 || free > 0 && isPrime(hashSize)
  }

  private static func isPrime(_ number: Int) -> Bool {
    if number < 3 { return false }
    var divisor = 2
    while divisor * divisor <= number {
      if number.isMultiple(of: divisor) { return false }
      divisor += 1
    }
    return true
  }
}
