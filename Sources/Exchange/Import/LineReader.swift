// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Glibc
import Platform

/// Reads the lines of an open file, which may be a pipe or a terminal.
final class LineReader {
  /// The number of the last line read, from 1.
  private(set) var number = 0
  private let descriptor: Int32
  private var buffer = [UInt8](repeating: 0, count: 1 << 18)
  /// The bytes read and not yet returned.
  private var rest = 0..<0
  private var isAtEnd = false
  /// Receives the number of each line that is too long.
  private let skipped: (Int) -> Void

  init(descriptor: Int32, skipped: @escaping (Int) -> Void) {
    (self.descriptor, self.skipped) = (descriptor, skipped)
  }

  /// Returns the first lines, as far as they were read, without consuming them.
  func peek() throws -> [[UInt8]] {
    while rest.count < 1 << 16, !isAtEnd { try fill() }
    return buffer[rest].split(separator: UInt8(ascii: "\n"), maxSplits: 64).map(Array.init)
  }

  /// Passes the next line to `body`, without its newline or CR and newline. Skips a line that is
  /// too long, and never holds it in memory as a whole.
  ///
  /// - Returns: nil at the end.
  /// - Throws: `SystemFailure`, `LineFault` if memory is short, and what `body` throws.
  func next<T>(_ body: (UnsafeBufferPointer<UInt8>) throws -> T) throws -> T? {
    var searched = rest.lowerBound
    while true {
      let end = newline(from: searched)
      if (end ?? rest.upperBound) - rest.lowerBound > JSONShape.longestLine {
        try skipLine(upTo: end)
        searched = rest.lowerBound
        continue
      }
      if let end { return try handOut(upTo: end, consuming: end + 1, body) }
      if isAtEnd {
        if rest.isEmpty { return nil }
        return try handOut(upTo: rest.upperBound, consuming: rest.upperBound, body)
      }
      let length = rest.count
      try fill()
      searched = rest.lowerBound + length
    }
  }

  private func newline(from position: Int) -> Int? {
    buffer.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress, position < rest.upperBound else { return nil }
      let found = memchr(base + position, 0x0A, rest.upperBound - position)
      return found.map { UnsafeRawPointer($0) - base }
    }
  }

  /// - Parameter end: the offset of its newline, if that has been read.
  private func skipLine(upTo end: Int?) throws {
    var end = end
    while end == nil, !isAtEnd {
      rest = 0..<0
      try fill()
      end = newline(from: 0)
    }
    rest = (end.map { $0 + 1 } ?? rest.upperBound)..<rest.upperBound
    number += 1
    skipped(number)
  }

  private func handOut<T>(
    upTo end: Int, consuming next: Int, _ body: (UnsafeBufferPointer<UInt8>) throws -> T
  ) throws -> T {
    var line = rest.lowerBound..<end
    if let last = buffer[line].last, last == UInt8(ascii: "\r") {
      line = line.lowerBound..<(end - 1)
    }
    // A byte order mark, which some editors write.
    if number == 0, buffer[line].starts(with: [0xEF, 0xBB, 0xBF]) {
      line = (line.lowerBound + 3)..<line.upperBound
    }
    number += 1
    rest = next..<rest.upperBound
    return try buffer.withUnsafeBufferPointer { try body(UnsafeBufferPointer(rebasing: $0[line])) }
  }

  private func fill() throws {
    if rest.lowerBound > 0 {
      buffer.withUnsafeMutableBytes { bytes in
        guard let base = bytes.baseAddress else { return }
        memmove(base, base + rest.lowerBound, rest.count)
      }
      rest = 0..<rest.count
    }
    if rest.count == buffer.count {
      guard Memory.hasRoom(forText: buffer.count * 2) else {
        number += 1
        throw LineFault("there is not enough memory for the line")
      }
      buffer += [UInt8](repeating: 0, count: buffer.count)
    }
    let room = rest.upperBound..<buffer.count
    let count = buffer.withUnsafeMutableBytes {
      read(descriptor, $0.baseAddress.map { $0 + room.lowerBound }, room.count)
    }
    if count < 0, errno == EAGAIN {
      var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      poll(&ready, 1, -1)
    } else if count < 0, errno != EINTR {
      throw SystemFailure()
    } else if count == 0 {
      isAtEnd = true
    } else if count > 0 {
      rest = 0..<(rest.count + count)
    }
  }
}
