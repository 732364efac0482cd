// SPDX-License-Identifier: GPL-3.0-or-later
import ChatPreferences
import Glibc
import StyledText

/// Standard output of the commands for scripts: buffered lines, and no error when the reader goes
/// away (`hobnob log | head`).
@MainActor
package final class StandardOutput {
  private var buffer: [UInt8] = []
  private let descriptor: Int32
  /// Whether the reader closed its end, or writing failed: further output is pointless.
  package private(set) var isClosed = false
  private var failure: Int32?

  package init(descriptor: Int32 = 1) { self.descriptor = descriptor }

  package func write(_ line: SafeText) {
    guard !isClosed else { return }
    buffer += line.string.utf8
    buffer.append(0x0A)
    if buffer.count > 32_768 { flush() }
  }

  /// Writes a line in styles.
  ///
  /// - Parameter isMarked: whether to use bold, which only a terminal can show.
  func write(_ line: StyledLine, isMarked: Bool) {
    guard isMarked, !isClosed else { return write(line.plain) }
    for run in line.runs {
      let isBold = run.style.attributes.contains(.bold)
      buffer += (isBold ? "\u{1B}[1m" : "").utf8
      buffer += run.text.string.utf8
      buffer += (isBold ? "\u{1B}[m" : "").utf8
    }
    write(SafeText())
  }

  /// Whether standard output is a terminal.
  static var isTerminal: Bool { isatty(1) == 1 }

  /// Writes lines for programs; the caller has removed everything that controls a terminal.
  func write(data: [UInt8]) {
    guard !isClosed else { return }
    buffer += data
    if buffer.count > 32_768 { flush() }
  }

  package func flush() {
    var start = 0
    while start < buffer.count, !isClosed {
      let count = buffer[start...].withUnsafeBytes {
        Glibc.write(descriptor, $0.baseAddress, $0.count)
      }
      if count >= 0 {
        start += count
      } else if errno == EAGAIN {
        var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&ready, 1, -1)
      } else if errno != EINTR {
        isClosed = true
        // A reader that has gone away (`| head`) has read what it wanted.
        if errno != EPIPE { failure = errno }
      }
    }
    buffer.removeAll(keepingCapacity: true)
  }

  /// Writes the buffer.
  ///
  /// - Throws: a sentence if that fails, but not if the reader went away.
  func finish() throws {
    flush()
    if let failure {
      throw Refusal(say("Standard output could not be written: %1.", systemReason(failure)))
    }
  }
}

/// The numbers of standard input, output and error.
package enum StandardDescriptors {
  /// Opens the descriptors that are closed (`>&-`), so that no file of hobnob's gets their number,
  /// and with it their output. Reading and writing them fails, as it should.
  package static func claim() {
    for descriptor in Int32(0)...2 where fcntl(descriptor, F_GETFD) < 0 && errno == EBADF {
      // The lowest free number is the missing one.
      _ = open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY)
    }
  }

  /// Whether standard output was open when the program started.
  package static var outputIsWritable: Bool {
    let flags = fcntl(1, F_GETFL)
    return flags >= 0 && flags & O_ACCMODE != O_RDONLY
  }
}

/// Standard error: one sentence a line, with the program's name before it.
package enum StandardError {
  package static func say(_ sentence: SafeText) { write("hobnob: " + sentence) }

  static func write(_ text: SafeText) {
    let bytes = Array(text.string.utf8) + [0x0A]
    _ = bytes.withUnsafeBytes { Glibc.write(2, $0.baseAddress, $0.count) }
  }
}
