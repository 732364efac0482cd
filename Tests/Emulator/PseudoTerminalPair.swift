// SPDX-License-Identifier: GPL-3.0-or-later
import CLinux
import CVTerm
import Glibc

/// The two ends of a pseudo-terminal within one process, to test what talks to a terminal.
public final class PseudoTerminalPair {
  /// The end a terminal emulator holds. It does not block.
  public private(set) var controller: Int32
  /// The end a program has as its standard input and output; −1 until `openTerminal`.
  public private(set) var terminal: Int32 = -1
  /// The terminal in the file system.
  public let path: String

  /// - Throws: `SpawnFailure`.
  public init(rows: Int = 24, columns: Int = 80) throws {
    controller = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
    guard controller >= 0 else {
      throw SpawnFailure(what: "posix_openpt", errorNumber: errno)
    }
    var name = [CChar](repeating: 0, count: 128)
    guard grantpt(controller) == 0, unlockpt(controller) == 0,
      ptsname_r(controller, &name, name.count) == 0
    else {
      let number = errno
      close(controller)
      throw SpawnFailure(what: "grantpt", errorNumber: number)
    }
    path = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
    resize(rows: rows, columns: columns)
  }

  deinit {
    close(terminal)
    close(controller)
  }

  /// Opens the program's end.
  public func openTerminal() -> Int32 {
    terminal = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
    return terminal
  }

  public func resize(rows: Int, columns: Int) {
    _ = clinux_set_window_size(controller, UInt16(rows), UInt16(columns))
  }

  /// Types bytes.
  public func send(_ text: String) { send(Array(text.utf8)) }

  /// Types bytes.
  public func send(_ bytes: [UInt8]) {
    _ = write(controller, bytes, bytes.count)
  }

  /// What the program has written so far.
  public func received() -> String {
    var all: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(controller, &buffer, buffer.count)
      if count <= 0 { break }
      all += buffer[..<count]
    }
    return String(decoding: all, as: UTF8.self)
  }

  /// Closes the emulator's end, as when its window is closed.
  public func hangUp() {
    close(takeController())
  }

  /// Gives the emulator's end away.
  func takeController() -> Int32 {
    defer { controller = -1 }
    return controller
  }
}
