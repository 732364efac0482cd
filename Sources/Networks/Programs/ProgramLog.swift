// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc
import Platform

/// What the program of a network writes to its standard error, in a file that only the user reads.
struct ProgramLog: ~Copyable {
  /// In bytes, for each of `log` and `log.old`.
  private static let largest = 1 << 19
  /// In bytes, of the line that an account's status shows.
  private static let longestLine = 300

  private let folder: String
  private var file: OpenFile?
  private var size = 0
  private var line: [UInt8] = []
  private var lastLine: [UInt8] = []

  /// - Parameter folder: the account's.
  init(in folder: String) {
    self.folder = folder
    open()
  }

  private mutating func open() {
    let descriptor = Glibc.open(
      folder + "/log", O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      file = nil
      return
    }
    let opened = OpenFile(descriptor)
    size = Int((try? opened.status())?.st_size ?? 0)
    file = consume opened
  }

  mutating func add(_ bytes: ArraySlice<UInt8>) {
    for byte in bytes {
      if byte != 0x0A {
        if line.count < Self.longestLine { line.append(byte) }
      } else if !line.isEmpty {
        (lastLine, line) = (line, [])
      }
    }
    if size + bytes.count > Self.largest {
      rename(folder + "/log", folder + "/log.old")
      open()
    }
    size += bytes.count
    _ = bytes.withUnsafeBytes { try? file?.write($0) }
  }

  /// The last line that is not empty.
  var last: String { String(decoding: line.isEmpty ? lastLine : line, as: UTF8.self) }
}
