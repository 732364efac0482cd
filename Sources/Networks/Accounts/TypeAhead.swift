// SPDX-License-Identifier: GPL-3.0-or-later
import CLinux
import Glibc

/// The keys that somebody types while the program at the terminal does not read them.
enum TypeAhead {
  /// Keeps every key unchanged and unseen for the program that reads the terminal next; in the
  /// usual modes, that program would get C-j for Return. C-c still interrupts.
  ///
  /// - Parameter terminal: its descriptor.
  static func kept<T>(at terminal: Int32, during body: () throws -> T) rethrows -> T {
    var former = termios()
    guard tcgetattr(terminal, &former) == 0 else { return try body() }
    var kept = former
    kept.c_lflag &= ~tcflag_t(ECHO | ECHONL | ICANON | IEXTEN)
    kept.c_iflag &= ~tcflag_t(ICRNL | IXON)
    // Suspended, the program would leave these modes to the shell.
    withUnsafeMutableBytes(of: &kept.c_cc) { $0[Int(VSUSP)] = 0 }
    tcsetattr(terminal, TCSANOW, &kept)
    // TCSAFLUSH would discard typed keys.
    defer { tcsetattr(terminal, TCSANOW, &former) }
    return try body()
  }
}
