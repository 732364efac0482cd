// SPDX-License-Identifier: GPL-3.0-or-later
import CLinux
import Glibc

/// Ends the program if its loop no longer turns although a signal tells it to end (rule 1.15). The
/// loop handles these signals itself, so they stay pending while it does not turn.
///
/// This code runs in a signal handler, so it uses only system calls, and allocates no memory.
enum StuckTurn {
  /// Seconds between two looks. The second look that finds a signal ends the program.
  private static let pause: UInt32 = 3

  /// - Parameters:
  ///   - signals: those that end the program.
  ///   - first: called before the program ends, in a signal handler.
  @MainActor static func arm(
    on signals: [Int32], first: @escaping @convention(c) () -> Void
  ) {
    sigemptyset(&ending)
    for signal in signals { sigaddset(&ending, signal) }
    beforeEnd = first
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { _ in look() }
    action.sa_flags = SA_ONSTACK | SA_RESTART
    sigaction(SIGALRM, &action, nil)
  }

  /// A turn has begun.
  static func begin() {
    hasSeen = false
    alarm(pause)
  }

  /// The turn has ended.
  static func end() { alarm(0) }

  fileprivate static func again() { alarm(pause) }
}

// A signal handler belongs to no actor. Only the main thread changes these, before there is an alarm.
private nonisolated(unsafe) var ending = sigset_t()
private nonisolated(unsafe) var beforeEnd: @convention(c) () -> Void = {}
private nonisolated(unsafe) var hasSeen = false

private func look() {
  let number = errno
  var pending = sigset_t()
  sigpending(&pending)
  var signal: Int32 = 1
  while signal < 32, sigismember(&pending, signal) != 1 || sigismember(&ending, signal) != 1 {
    signal += 1
  }
  if signal < 32 {
    if hasSeen {
      beforeEnd()
      _exit(128 + signal)
    }
    hasSeen = true
  }
  StuckTurn.again()
  errno = number
}
