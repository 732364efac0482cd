// SPDX-License-Identifier: GPL-3.0-or-later
import CLinux
import Glibc
import Platform
import Sentences

/// Why a terminal cannot be used.
package enum TerminalFailure: Error, Hashable, CustomStringConvertible {
  /// The keyboard is a file or a pipe.
  case notATerminal
  /// The modes of the terminal cannot be read; the value is the system's error number.
  case modesUnreadable(Int32)

  package var description: String {
    switch self {
    case .notATerminal: translated("The shell needs a terminal for its input.")
    case .modesUnreadable(let number):
      filled(
        ("The modes of the terminal cannot be read (%1).", [String(cString: strerror(number))]))
    }
  }
}

/// The terminal that the program runs on: its modes, its size, its bytes.
///
/// Between `enter` and `leave` every key arrives as bytes, even C-c and C-z. Output is processed as
/// before, so that what a crash or another program prints stays readable.
@MainActor package final class TerminalDevice {
  /// Whether to ask the terminal to report when its window gains or loses the focus (7.3). Set it
  /// before `enter`.
  package var reportsFocus = false
  /// The title of the window between `enter` and `leave`; nil leaves it as it was found. It must be
  /// safe to write, and on one line.
  package var title: String? {
    didSet {
      guard isEntered, !isPlain, title != oldValue else { return }
      armCrashReset()
      write(title == nil ? CrashReset.titles : titleBytes(isFirst: oldValue == nil))
    }
  }

  /// Sets the titles of window and icon, or tab (OSC 0); the first time, the terminal first saves
  /// the old ones.
  private func titleBytes(isFirst: Bool) -> [UInt8] {
    guard let title else { return [] }
    return Array(((isFirst ? "\u{1B}[22;0t" : "") + "\u{1B}]0;\(title)\u{1B}\\").utf8)
  }

  private func armCrashReset() {
    CrashReset.arm(
      input: input, output: writer, modes: found, sends: !isPlain, hasTitle: title != nil)
  }

  /// Whether nothing can be written any more: the terminal has hung up.
  package private(set) var isDead = false

  /// The descriptor of the keyboard, for the loop to watch.
  package let input: Int32
  /// The descriptor for drawing; usually the same terminal.
  package let output: Int32
  /// The descriptor that writing uses, for the loop to watch.
  package let writer: Int32
  /// Called when the terminal has not accepted everything that was written. From then on, call
  /// ``writeMore()`` whenever it can accept something.
  package var fellBehind: () -> Void = {}
  /// The bytes that were written and that the terminal has not accepted yet, in order.
  private var untaken: ArraySlice<UInt8> = []
  private let found: termios
  private var isEntered = false
  private var isPlain = false
  /// Every key is read into this buffer, so that reading allocates only the key itself.
  private let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 4096)

  /// Turns on bracketed paste, and makes Shift-Return and the like distinguishable from their plain
  /// keys, in xterm's way (for tmux) and in kitty's (with the character that Shift gives).
  private static let entering = "\u{1B}[?2004h\u{1B}[>4;1m\u{1B}[>5u"
  private static let focusReports = "\u{1B}[?1004h"

  /// Reads the current modes of the terminal; changes nothing.
  ///
  /// - Parameters:
  ///   - input: the descriptor of the keyboard.
  ///   - output: the descriptor of the screen.
  /// - Throws: `TerminalFailure`.
  package init(input: Int32 = 0, output: Int32 = 1) throws {
    guard isatty(input) == 1 else { throw TerminalFailure.notATerminal }
    var modes = termios()
    guard tcgetattr(input, &modes) == 0 else { throw TerminalFailure.modesUnreadable(errno) }
    self.input = input
    self.output = output
    writer = Self.ownWriter(of: output) ?? output
    found = modes
  }

  isolated deinit {
    // Otherwise a crash would reset a terminal whose descriptor is closed.
    leave()
    buffer.deallocate()
    if writer != output { close(writer) }
  }

  /// Opens the terminal anew for writing without waiting. That flag is shared by all processes that
  /// inherited the descriptor, including the shell that started this one.
  ///
  /// - Returns: nil if that is not allowed, as after su(1), and for an output that never makes a
  ///   writer wait.
  private static func ownWriter(of output: Int32) -> Int32? {
    guard isatty(output) == 1 || isPipe(output) else { return nil }
    let own = open(
      "/proc/self/fd/\(output)", O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    return own >= 0 ? own : nil
  }

  private static func isPipe(_ descriptor: Int32) -> Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
  }

  /// Whether the output goes to another program, which may end before this one.
  package var drawsIntoPipe: Bool { Self.isPipe(output) }

  /// The current size of the screen; 24 × 80 if the terminal does not know it.
  package var size: Size {
    var rows: UInt16 = 0
    var columns: UInt16 = 0
    for descriptor in [output, input]
    where clinux_window_size(descriptor, &rows, &columns) == 0 && rows > 0 && columns > 0 {
      return Size(rows: Int(rows), columns: Int(columns))
    }
    return Size(rows: 24, columns: 80)
  }

  /// Whether the terminal showed typed text when it was found. If not, another program shows it and
  /// sends whole lines, as Emacs does in M-x shell.
  package var echoes: Bool { found.c_lflag & tcflag_t(ECHO) != 0 }

  /// Puts the terminal into the modes that the line editor needs. Call it again after a suspension.
  ///
  /// - Parameter plain: whether to change only the modes and send no escape sequence (11.5).
  package func enter(plain: Bool = false) { enter(plain: plain, keepsTitle: true) }

  /// - Parameter keepsTitle: whether the terminal should save the title that it has.
  private func enter(plain: Bool, keepsTitle: Bool) {
    if isEntered { return }
    isPlain = plain
    var modes = found
    modes.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG | IEXTEN)
    modes.c_iflag &= ~tcflag_t(IXON | ICRNL | INLCR | IGNCR | ISTRIP)
    // Such a program ends its lines with a newline.
    if plain, !echoes { modes.c_iflag |= tcflag_t(INLCR) }
    withUnsafeMutableBytes(of: &modes.c_cc) { characters in
      characters[Int(VMIN)] = 1
      characters[Int(VTIME)] = 0
    }
    setModes(modes)
    isEntered = true
    armCrashReset()
    if plain { return }
    write(Array((Self.entering + (reportsFocus ? Self.focusReports : "")).utf8))
    write(titleBytes(isFirst: keepsTitle))
  }

  /// How long leaving waits for a terminal that accepts nothing, in milliseconds.
  package static let patience: Int64 = 1000

  /// Restores everything as it was found; does nothing if the terminal was not entered. Waits no
  /// longer than ``patience`` for a terminal that accepts nothing.
  ///
  /// - Parameter most: the maximum number of milliseconds to wait for a terminal that accepts
  ///   little at a time.
  package func leave(atMost most: Int64 = .max / 2) {
    guard isEntered else { return }
    isEntered = false
    CrashReset.disarm()
    if !isPlain { write(CrashReset.sequence + (title != nil ? CrashReset.titles : [])) }
    catchUp(within: Self.patience, atMost: most)
    setModes(found)
  }

  /// Takes the terminal again after another process stopped this one; a shell had the terminal in
  /// that time.
  package func takeAgain() {
    guard isEntered else { return }
    isEntered = false
    // The terminal still has the title and the keys' modes from before.
    if !isPlain { write(CrashReset.sequence) }
    enter(plain: isPlain, keepsTitle: false)
  }

  /// Whether the terminal has not accepted everything that was written: nobody reads it, or it is
  /// slow.
  package var isBehind: Bool { !untaken.isEmpty }

  /// Writes the bytes without waiting for the terminal: ``writeMore()`` later writes what it does
  /// not accept now, in order. Does nothing if the terminal has hung up.
  package func write(_ bytes: [UInt8]) {
    if isDead || bytes.isEmpty { return }
    if isBehind {
      untaken += bytes
      return
    }
    let count = writeNow(bytes[...])
    // Keep no reference to the array if everything was written, so that the caller can reuse its
    // memory.
    guard count < bytes.count else { return }
    untaken = bytes[count...]
    fellBehind()
  }

  /// Writes as much of the waiting bytes as the terminal accepts now.
  package func writeMore() {
    let count = writeNow(untaken)
    untaken = count < untaken.count ? untaken.dropFirst(count) : []
  }

  /// Waits until the terminal has accepted everything.
  ///
  /// - Parameters:
  ///   - milliseconds: how long to wait at most after the terminal last accepted something.
  ///   - most: the maximum number of milliseconds in all.
  package func catchUp(within milliseconds: Int64, atMost most: Int64 = .max / 2) {
    let latest = Clock.steady() + most
    var end = min(latest, Clock.steady() + milliseconds)
    while isBehind, case let left = end - Clock.steady(), left > 0 {
      var ready = pollfd(fd: writer, events: Int16(POLLOUT), revents: 0)
      _ = poll(&ready, 1, Int32(clamping: left))
      let count = untaken.count
      writeMore()
      if untaken.count < count { end = min(latest, Clock.steady() + milliseconds) }
    }
  }

  /// Writes as many of the bytes as the terminal accepts now. Returns how many; all, if it is dead.
  private func writeNow(_ bytes: ArraySlice<UInt8>) -> Int {
    let flags = writer == output ? fcntl(output, F_GETFL) : -1
    // The terminal could not be opened anew, so set the flag only for this moment.
    if flags >= 0 { _ = fcntl(output, F_SETFL, flags | O_NONBLOCK) }
    defer { if flags >= 0 { _ = fcntl(output, F_SETFL, flags) } }
    return bytes.withUnsafeBytes { buffer in
      var written = 0
      while written < buffer.count {
        let count = Glibc.write(
          writer, buffer.baseAddress?.advanced(by: written), buffer.count - written)
        if count >= 0 {
          written += count
        } else if errno == EAGAIN {
          return written
        } else if errno != EINTR {
          isDead = true
          return buffer.count
        }
      }
      return written
    }
  }

  /// Makes sure that a crash or `exit` leaves the terminal usable: if the process ends between
  /// `enter` and `leave`, the modes are restored.
  package func restoreOnCrash() {
    CrashReset.install()
  }

  /// Restores the modes at once, in a signal handler too, for a process that ends without `leave`.
  package static let restoreNow: @convention(c) () -> Void = restoreTerminal

  /// Returns what has been typed, without waiting; empty if nothing has.
  ///
  /// - Returns: nil at the end of input: the terminal has hung up.
  package func readAvailable() -> [UInt8]? {
    var bytes: [UInt8] = []
    // A terminal returns 4,095 bytes at a time; the limit gives other work a turn during a paste.
    while bytes.count < 1 << 16 {
      var ready = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
      let answer = poll(&ready, 1, 0)
      if answer < 0 && errno == EINTR { continue }
      if answer <= 0 { break }
      let count = read(input, buffer.baseAddress, buffer.count)
      if count > 0 {
        bytes += buffer[..<count]
        // So few bytes are all there are; no need to read again after each key.
        if count < 1024 { break }
      } else if count < 0 && errno == EINTR {
        continue
      } else if count < 0 && errno == EAGAIN {
        break
      } else {
        return bytes.isEmpty ? nil : bytes
      }
    }
    return bytes
  }

  private func setModes(_ modes: termios) {
    var modes = modes
    while tcsetattr(input, TCSANOW, &modes) != 0 && errno == EINTR {}
  }
}
