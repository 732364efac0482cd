// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Glibc
import Platform
import Sentences

/// Reads the pages of a database file as the last transaction left them; pages in its write-ahead
/// log take precedence. It does not use SQLite, which stops at any damage
/// (https://www.sqlite.org/fileformat2.html).
final class DatabasePages {
  /// Bytes of a page.
  let size: Int
  /// The number of the last page; the first has 1.
  let count: Int
  private let file: Int32
  /// The descriptor of the write-ahead log; -1 if there is none.
  private let log: Int32
  /// The offsets of pages in the log.
  private let logged: [Int: Int]

  /// SQLite's default for a new file.
  static let usualSize = 4096

  /// - Parameter size: the bytes of a page; nil to use the file's value.
  /// - Throws: `StoreError` `.isLink`, `.cannotOpen`.
  init(path: String, size wanted: Int? = nil) throws {
    (file, log) = (try Self.opened(path), (try? Self.opened(path + "-wal")) ?? -1)
    let stated = (Self.read(file, at: 16, count: 2) ?? []).number(at: 0, bytes: 2) ?? 0
    let isSize = (512...32_768).contains(stated) && stated & (stated - 1) == 0
    size = wanted ?? (isSize ? stated : Self.usualSize)
    let committed = Self.committed(in: log, size: size)
    logged = committed.pages
    var found = Glibc.stat()
    let present = fstat(file, &found) == 0 ? (Int(found.st_size) + size - 1) / size : 0
    // Frames after the last transaction are remains of older ones.
    count = committed.pages.isEmpty ? present : committed.count
  }

  deinit {
    close(file)
    if log >= 0 { close(log) }
  }

  /// The bytes of a page; nil if the page is missing. If the file was cut off within the page, only
  /// its beginning.
  subscript(_ number: Int) -> [UInt8]? {
    guard number >= 1, number <= count else { return nil }
    if let offset = logged[number] { return Self.read(log, at: offset, count: size) }
    return Self.read(file, at: (number - 1) * size, count: size)
  }

  private static func opened(_ path: String) throws -> Int32 {
    let file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    if file < 0 {
      let failure = SystemFailure()
      if failure.code == ELOOP { throw StoreError.isLink(path: path) }
      throw StoreError.cannotOpen(path: path, reason: failure.reason)
    }
    var found = Glibc.stat()
    guard fstat(file, &found) == 0, found.st_mode & S_IFMT == S_IFREG else {
      close(file)
      throw StoreError.cannotOpen(path: path, reason: translated("it is not a regular file"))
    }
    return file
  }

  private static func read(_ file: Int32, at offset: Int, count: Int) -> [UInt8]? {
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, length in
      length = max(0, pread(file, buffer.baseAddress, count, offset))
    }
    return bytes.isEmpty ? nil : bytes
  }

  /// The pages of the complete transactions in a write-ahead log, each at its latest offset, and
  /// the number of pages that the file then has.
  private static func committed(
    in log: Int32, size: Int
  ) -> (pages: [Int: Int], count: Int) {
    guard let header = read(log, at: 0, count: 32), let magic = header.number(at: 0, bytes: 4),
      header.count == 32, magic & ~1 == 0x377f_0682, header.number(at: 8, bytes: 4) == size
    else { return ([:], 0) }
    var sum = LogChecksum(isBigEndian: magic & 1 == 1)
    sum.add(header[0..<24])
    guard sum.equals(header[24..<32]) else { return ([:], 0) }
    var (pages, new): ([Int: Int], [Int: Int]) = ([:], [:])
    var (count, offset) = (0, 32)
    while let frame = read(log, at: offset, count: 24 + size), frame.count == 24 + size,
      let page = frame.number(at: 0, bytes: 4), let end = frame.number(at: 4, bytes: 4)
    {
      sum.add(frame[0..<8])
      sum.add(frame[24...])
      guard frame[8..<16] == header[16..<24], sum.equals(frame[16..<24]) else { break }
      new[page] = offset + 24
      offset += frame.count
      guard end > 0 else { continue }
      pages.merge(new) { _, new in new }
      new = [:]
      count = end
    }
    return (pages, count)
  }
}

/// The running checksum of a write-ahead log.
private struct LogChecksum {
  let isBigEndian: Bool
  private var sums: (UInt32, UInt32) = (0, 0)

  init(isBigEndian: Bool) { self.isBigEndian = isBigEndian }

  /// - Parameter bytes: a multiple of eight.
  mutating func add(_ bytes: ArraySlice<UInt8>) {
    bytes.withUnsafeBytes { raw in
      for offset in stride(from: 0, to: raw.count - 7, by: 8) {
        let one = raw.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
        let two = raw.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
        sums.0 &+= (isBigEndian ? one.bigEndian : one.littleEndian) &+ sums.1
        sums.1 &+= (isBigEndian ? two.bigEndian : two.littleEndian) &+ sums.0
      }
    }
  }

  func equals(_ bytes: ArraySlice<UInt8>) -> Bool {
    Array(bytes).number(at: 0, bytes: 8) == Int(sums.0) << 32 | Int(sums.1)
  }
}

extension [UInt8] {
  /// An unsigned number, highest byte first; nil if it would reach beyond the end.
  func number(at offset: Int, bytes length: Int) -> Int? {
    guard offset >= 0, offset <= count - length else { return nil }
    var value = 0
    for index in offset..<(offset + length) { value = value << 8 | Int(self[index]) }
    return value
  }

  /// A number in SQLite's format of one to nine bytes, and the offset after it.
  func varint(at offset: Int) -> (value: Int64, next: Int)? {
    var value: UInt64 = 0
    var next = offset
    while next >= 0, next < count {
      let byte = self[next]
      next += 1
      if next - offset == 9 {
        value = value << 8 | UInt64(byte)
      } else {
        value = value << 7 | UInt64(byte & 0x7F)
        if byte >= 0x80 { continue }
      }
      return (Int64(bitPattern: value), next)
    }
    return nil
  }
}
