// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc

/// Puts the terminal back when the process ends without `TerminalDevice.leave`. What runs here runs
/// in a signal handler: constant bytes, `write`, `tcsetattr`, and no memory from anywhere.
enum CrashReset {
  /// Focus reports, bracketed paste, modifyOtherKeys and kitty's keys off, cursor visible, plain
  /// style.
  static let sequence = Array(
    "\u{1B}[?1004l\u{1B}[?2004l\u{1B}[>4;0m\u{1B}[<u\u{1B}[?25h\u{1B}[m".utf8)
  /// Takes the titles from the terminal's stack (xterm); only for a terminal that was told to keep
  /// them there.
  static let titles = Array("\u{1B}[23;0t".utf8)

  private static let fatal = [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT, SIGFPE, SIGSYS]

  /// - Parameters:
  ///   - sends: whether the sequence is sent too; a dumb terminal gets none.
  ///   - hasTitle: whether the titles have to be put back.
  @MainActor static func arm(
    input: Int32, output: Int32, modes: termios, sends: Bool, hasTitle: Bool
  ) {
    let crashState = crashState ?? allocate()
    crashState.pointee.isArmed = false
    crashState.pointee.input = input
    crashState.pointee.output = output
    crashState.pointee.modes = modes
    crashState.pointee.count =
      sends ? sequence.count + (hasTitle ? titles.count : 0) : 0
    crashState.pointee.isArmed = true
  }

  @MainActor static func disarm() {
    crashState?.pointee.isArmed = false
  }

  @MainActor static func install() {
    let crashState = crashState ?? allocate()
    if crashState.pointee.isInstalled { return }
    crashState.pointee.isInstalled = true
    // A function, not a closure: that would belong to the main actor, and a process may end on
    // another thread.
    atexit(reset)
    // A stack of its own, for when the stack has overflowed.
    let size = 1 << 16
    var stack = stack_t(ss_sp: malloc(size), ss_flags: 0, ss_size: size)
    sigaltstack(&stack, nil)
    for signal in fatal {
      var action = sigaction()
      action.__sigaction_handler.sa_handler = { signal in
        reset()
        // The raised signal waits until this handler has returned, and ends the process. Not
        // through Swift's own handler: at a terminal that asks questions, and goes on after a
        // signal that another process sent.
        Glibc.signal(signal, SIG_DFL)
        raise(signal)
      }
      action.sa_flags = SA_ONSTACK
      sigaction(signal, &action, nil)
    }
  }

  @MainActor private static func allocate() -> UnsafeMutablePointer<CrashState> {
    let all = sequence + titles
    let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: all.count)
    bytes.initialize(from: all, count: all.count)
    let new = UnsafeMutablePointer<CrashState>.allocate(capacity: 1)
    new.initialize(
      to: CrashState(bytes: bytes, count: sequence.count))
    crashState = new
    return new
  }
}

/// Everything a signal handler needs, laid out before there is a signal.
private struct CrashState {
  var isArmed = false
  var isInstalled = false
  var input: Int32 = -1
  var output: Int32 = -1
  var modes = termios()
  var bytes: UnsafeMutablePointer<UInt8>
  var count: Int
}

// A signal handler belongs to no actor. It reads this pointer, which is set once, and what it points
// to is changed by the main thread only, with `isArmed` off meanwhile.
private nonisolated(unsafe) var crashState: UnsafeMutablePointer<CrashState>?

private func reset() {
  guard let crashState, crashState.pointee.isArmed else { return }
  crashState.pointee.isArmed = false
  _ = write(crashState.pointee.output, crashState.pointee.bytes, crashState.pointee.count)
  _ = tcsetattr(crashState.pointee.input, TCSANOW, &crashState.pointee.modes)
}
