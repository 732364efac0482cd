// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc

/// Restores the terminal when the process ends without `TerminalDevice.leave`. This code runs in a
/// signal handler, so it uses only constant bytes, `write` and `tcsetattr`, and allocates no
/// memory.
enum CrashReset {
  /// Turns focus reports, bracketed paste, modifyOtherKeys and kitty's keys off; makes the cursor
  /// visible and the style plain.
  static let sequence = Array(
    "\u{1B}[?1004l\u{1B}[?2004l\u{1B}[>4;0m\u{1B}[<u\u{1B}[?25h\u{1B}[m".utf8)
  /// Restores the titles from the terminal's stack (xterm); only for a terminal that was told to
  /// keep them there.
  static let titles = Array("\u{1B}[23;0t".utf8)

  private static let fatal = [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT, SIGFPE, SIGSYS]

  /// - Parameters:
  ///   - sends: whether to send the sequence as well; a dumb terminal gets none.
  ///   - hasTitle: whether to restore the titles.
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
    // Use a function, not a closure: a closure would belong to the main actor, but a process may
    // end on another thread.
    atexit(restoreTerminal)
    // The handler gets its own stack, in case the stack has overflowed. It needs little of it.
    let size = 1 << 14
    var stack = stack_t(ss_sp: malloc(size), ss_flags: 0, ss_size: size)
    sigaltstack(&stack, nil)
    for signal in fatal {
      var action = sigaction()
      action.__sigaction_handler.sa_handler = { signal in
        restoreTerminal()
        // The raised signal waits until this handler has returned, and then ends the process. Do
        // not use Swift's own handler: at a terminal it asks questions, and it continues after a
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

/// Everything that the signal handler needs, prepared before there is a signal.
private struct CrashState {
  var isArmed = false
  var isInstalled = false
  var input: Int32 = -1
  var output: Int32 = -1
  var modes = termios()
  var bytes: UnsafeMutablePointer<UInt8>
  var count: Int
}

// A signal handler belongs to no actor. It reads this pointer, which is set once. Only the main
// thread changes what the pointer refers to, and turns `isArmed` off while it does.
private nonisolated(unsafe) var crashState: UnsafeMutablePointer<CrashState>?

/// Restores the terminal; does nothing if it was not entered, or is restored already.
func restoreTerminal() {
  guard let crashState, crashState.pointee.isArmed else { return }
  crashState.pointee.isArmed = false
  _ = write(crashState.pointee.output, crashState.pointee.bytes, crashState.pointee.count)
  _ = tcsetattr(crashState.pointee.input, TCSANOW, &crashState.pointee.modes)
}
