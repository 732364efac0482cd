// SPDX-License-Identifier: GPL-3.0-or-later
import CLinux
import Glibc
import Platform
import Sentences

/// Why a terminal cannot be used.
public enum TerminalFailure: Error, Hashable, CustomStringConvertible {
  /// The keyboard is a file or a pipe.
  case notATerminal
  /// The terminal does not say how it is set; the system's error number.
  case modesUnreadable(Int32)

  public var description: String {
    switch self {
    case .notATerminal: translated("The shell needs a terminal for its input.")
    case .modesUnreadable(let number):
      filled(
        ("The modes of the terminal cannot be read (%1).", [String(cString: strerror(number))]))
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
  /// The title of the window while the terminal is entered; nil: as it was found. It must be safe to
  /// write, and on one line.
  public var title: String? {
    didSet {
      guard isEntered, !isPlain, title != oldValue else { return }
      armCrashReset()
      write(title == nil ? CrashReset.titles : titleBytes(isFirst: oldValue == nil))
    }
  }

  /// Sets the titles of window and icon, or tab (OSC 0), once the terminal has kept the former ones.
  private func titleBytes(isFirst: Bool) -> [UInt8] {
    guard let title else { return [] }
    return Array(((isFirst ? "\u{1B}[22;0t" : "") + "\u{1B}]0;\(title)\u{1B}\\").utf8)
  }

  private func armCrashReset() {
    CrashReset.arm(
      input: input, output: writer, modes: found, sends: !isPlain, hasTitle: title != nil)
  }

  /// Whether nothing can be written any more: the terminal has hung up.
  public private(set) var isDead = false

  /// The descriptor of the keyboard, for the loop to watch.
  public let input: Int32
  /// What is drawn goes there: mostly the same terminal.
  public let output: Int32
  /// What it is written by, for the loop to watch.
  public let writer: Int32
  /// Called when the terminal has not taken all that was written; from then on ``writeMore()`` is to
  /// be called whenever it takes something.
  public var fellBehind: () -> Void = {}
  /// What was written and the terminal has not taken yet, in order.
  private var untaken: ArraySlice<UInt8> = []
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
    writer = Self.ownWriter(of: output) ?? output
    found = modes
  }

  isolated deinit {
    // Or a crash would reset what has no descriptor any more.
    leave()
    buffer.deallocate()
    if writer != output { close(writer) }
  }

  /// Whether writing waits is a property that all who have the terminal from one another share, the
  /// shell that started this one too; so it is opened anew.
  ///
  /// - Returns: nil where that is not allowed, as behind su(1), and for what never makes anyone wait.
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

  /// Whether what is drawn goes to another program, which may end before this one.
  public var drawsIntoPipe: Bool { Self.isPipe(output) }

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

  /// Whether the terminal was found showing what is typed. Otherwise another program shows it, and
  /// sends whole lines: Emacs in M-x shell.
  public var echoes: Bool { found.c_lflag & tcflag_t(ECHO) != 0 }

  /// Puts the terminal into the modes the line editor needs. Again after a suspension.
  ///
  /// - Parameter plain: only the modes; no escape sequence is sent (11.5).
  public func enter(plain: Bool = false) { enter(plain: plain, keepsTitle: true) }

  /// - Parameter keepsTitle: whether the terminal is to keep the title that it has.
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

  /// How long leaving waits for a terminal that takes nothing, in milliseconds.
  public static let patience: Int64 = 1000

  /// Puts everything back as it was found. Nothing happens when it was not entered. A terminal that
  /// takes nothing is waited for no longer than ``patience``.
  ///
  /// - Parameter most: milliseconds to wait for one that takes little at a time.
  public func leave(atMost most: Int64 = .max / 2) {
    guard isEntered else { return }
    isEntered = false
    CrashReset.disarm()
    if !isPlain { write(CrashReset.sequence + (title != nil ? CrashReset.titles : [])) }
    catchUp(within: Self.patience, atMost: most)
    setModes(found)
  }

  /// Takes the terminal again after a stop from outside, during which a shell had it.
  public func takeAgain() {
    guard isEntered else { return }
    isEntered = false
    // The terminal still has the title and the keys' modes from before.
    if !isPlain { write(CrashReset.sequence) }
    enter(plain: isPlain, keepsTitle: false)
  }

  /// Whether the terminal has not taken all that was written: nobody reads it, or it is slow.
  public var isBehind: Bool { !untaken.isEmpty }

  /// Writes the bytes, without waiting for the terminal: what it does not take now follows with
  /// ``writeMore()``, in order. One that has hung up is ignored.
  public func write(_ bytes: [UInt8]) {
    if isDead || bytes.isEmpty { return }
    if isBehind {
      untaken += bytes
      return
    }
    let count = writeNow(bytes[...])
    // Nothing of them is kept, or the caller could not use their place again.
    guard count < bytes.count else { return }
    untaken = bytes[count...]
    fellBehind()
  }

  /// Writes of what was not taken as much as is taken now.
  public func writeMore() {
    let count = writeNow(untaken)
    untaken = count < untaken.count ? untaken.dropFirst(count) : []
  }

  /// Waits until the terminal has taken everything.
  ///
  /// - Parameters:
  ///   - milliseconds: how long at most, since it took something last.
  ///   - most: milliseconds in all.
  public func catchUp(within milliseconds: Int64, atMost most: Int64 = .max / 2) {
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

  /// How many of the bytes the terminal takes now; of a dead one all.
  private func writeNow(_ bytes: ArraySlice<UInt8>) -> Int {
    let flags = writer == output ? fcntl(output, F_GETFL) : -1
    // No description of its own: then only for this moment.
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
