// SPDX-License-Identifier: GPL-3.0-or-later
import CLinux
import Glibc

/// Why a terminal cannot be used.
public enum TerminalFailure: Error, Hashable, CustomStringConvertible {
  /// The keyboard is a file or a pipe.
  case notATerminal
  /// The terminal does not say how it is set; the system's error number.
  case modesUnreadable(Int32)

  public var description: String {
    switch self {
    case .notATerminal: "The shell needs a terminal to be typed into."
    case .modesUnreadable(let number):
      "The modes of the terminal cannot be read (\(String(cString: strerror(number))))."
    }
  }
}

/// The terminal the program runs on: its modes, its size, its bytes.
///
/// Between `enter` and `leave` every key arrives as bytes, C-c and C-z too; output is processed as
/// before, so that what a crash or another program prints stays readable.
@MainActor public final class TerminalDevice {
  /// Whether to ask the terminal to say when its window gains or loses the focus (7.3). Set it
  /// before `enter`.
  public var reportsFocus = false
  /// Whether nothing can be written any more: the terminal has hung up.
  public private(set) var isDead = false

  /// The descriptor of the keyboard, for the loop to watch.
  public let input: Int32
  /// What is drawn goes there: mostly the same terminal.
  public let output: Int32
  private let found: termios
  private var isEntered = false
  private var isPlain = false
  /// Reading is on the way of every key; it allocates no more than the key.
  private let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 4096)

  /// Bracketed paste; Shift-Return and the like apart from their plain keys, in xterm's way (tmux)
  /// and in kitty's (with what Shift makes of a key).
  private static let entering = "\u{1B}[?2004h\u{1B}[>4;1m\u{1B}[>5u"
  private static let focusReports = "\u{1B}[?1004h"

  /// Takes note of how the terminal is set; changes nothing.
  ///
  /// - Parameters:
  ///   - input: the descriptor of the keyboard.
  ///   - output: the descriptor of the screen.
  /// - Throws: `TerminalFailure`.
  public init(input: Int32 = 0, output: Int32 = 1) throws {
    guard isatty(input) == 1 else { throw TerminalFailure.notATerminal }
    var modes = termios()
    guard tcgetattr(input, &modes) == 0 else { throw TerminalFailure.modesUnreadable(errno) }
    self.input = input
    self.output = output
    found = modes
  }

  /// Whether what is drawn goes to another program, which may end before this one.
  public var drawsIntoPipe: Bool {
    var status = stat()
    return fstat(output, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
  }

  /// The size of the screen now; 24 × 80 where the terminal does not know it.
  public var size: Size {
    var rows: UInt16 = 0
    var columns: UInt16 = 0
    for descriptor in [output, input]
    where clinux_window_size(descriptor, &rows, &columns) == 0 && rows > 0 && columns > 0 {
      return Size(rows: Int(rows), columns: Int(columns))
    }
    return Size(rows: 24, columns: 80)
  }

  /// Puts the terminal into the modes the line editor needs. Again after a suspension.
  ///
  /// - Parameter plain: only the modes; no escape sequence is sent (11.5).
  public func enter(plain: Bool = false) {
    if isEntered { return }
    isPlain = plain
    var modes = found
    modes.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG | IEXTEN)
    modes.c_iflag &= ~tcflag_t(IXON | ICRNL | INLCR | IGNCR | ISTRIP)
    withUnsafeMutableBytes(of: &modes.c_cc) { characters in
      characters[Int(VMIN)] = 1
      characters[Int(VTIME)] = 0
    }
    setModes(modes)
    isEntered = true
    CrashReset.arm(input: input, output: output, modes: found, sends: !plain)
    if plain { return }
    write(Array((Self.entering + (reportsFocus ? Self.focusReports : "")).utf8))
  }

  /// Puts everything back as it was found. Nothing happens when it was not entered.
  public func leave() {
    guard isEntered else { return }
    isEntered = false
    CrashReset.disarm()
    if !isPlain { write(CrashReset.sequence) }
    setModes(found)
  }

  /// Takes the terminal again after a stop from outside, during which a shell had it.
  public func takeAgain() {
    guard isEntered else { return }
    isEntered = false
    enter(plain: isPlain)
  }

  /// Writes all of the bytes. A terminal that has hung up is ignored.
  public func write(_ bytes: [UInt8]) {
    if isDead { return }
    bytes.withUnsafeBytes { buffer in
      var written = 0
      while written < buffer.count {
        let count = Glibc.write(
          output, buffer.baseAddress?.advanced(by: written), buffer.count - written)
        if count >= 0 {
          written += count
        } else if errno == EAGAIN {
          // Somebody who shares the terminal has set it so.
          var ready = pollfd(fd: output, events: Int16(POLLOUT), revents: 0)
          poll(&ready, 1, -1)
        } else if errno != EINTR {
          isDead = true
          return
        }
      }
    }
  }

  /// From now on a crash or `exit` leaves the terminal usable: when the process ends between `enter`
  /// and `leave`, the modes are put back.
  public func restoreOnCrash() {
    CrashReset.install()
  }

  /// What has been typed, without waiting; empty when nothing has.
  ///
  /// - Returns: nil at the end of input: the terminal has hung up.
  public func readAvailable() -> [UInt8]? {
    var bytes: [UInt8] = []
    // A terminal gives 4,095 bytes at a time; the bound lets others have their turn in a paste.
    while bytes.count < 1 << 16 {
      var ready = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
      let answer = poll(&ready, 1, 0)
      if answer < 0 && errno == EINTR { continue }
      if answer <= 0 { break }
      let count = read(input, buffer.baseAddress, buffer.count)
      if count > 0 {
        bytes += buffer[..<count]
        // Few bytes are all there is: no need to ask again behind each key.
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
