// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc
import Platform

/// Runs programs that take the terminal for a while: editor and pager.
enum ChildProgram {
  /// The signals that the terminal sends to all its processes.
  private static var terminalSignals: sigset_t {
    var signals = sigset_t()
    sigemptyset(&signals)
    for signal in [SIGINT, SIGQUIT, SIGTSTP] { sigaddset(&signals, signal) }
    return signals
  }

  /// Runs a program on the terminal and waits for its end.
  ///
  /// - Returns: its exit status, or 128 and the signal that ended it; nil with the reason in
  ///   `errno` if it could not start.
  static func run(_ words: [String], input: Int32? = nil) -> Int32? {
    guard let process = ChildProcess.start(words, input: input.map { .descriptor($0) } ?? .ours)
    else { return nil }
    var status: Int32 = 0
    while waitpid(process, &status, WUNTRACED) >= 0 || errno == EINTR {
      // C-z stopped the program: both stop, and continue together.
      guard status & 0xFF == 0x7F else { break }
      kill(getpid(), SIGSTOP)
      status = 0
    }
    // Signals that the terminal sent to both were meant for the other program.
    var signals = terminalSignals
    sigaddset(&signals, SIGCONT)
    var moment = timespec()
    while sigtimedwait(&signals, nil, &moment) > 0 {}
    return ChildProcess.exitStatus(status)
  }
}
