// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc

/// Runs a command to its end, in this process's own environment.
///
/// - Returns: its exit status, or 128 and the signal that ended it.
func run(_ command: [String]) throws -> Int32 {
  let words = (command + [nil]).map { $0.flatMap { strdup($0) } }
  defer { for pointer in words { free(pointer) } }
  var child: pid_t = 0
  let failure = posix_spawnp(&child, command[0], nil, nil, words, environ)
  guard failure == 0 else {
    throw MeasuringError("cannot start \(command[0]): \(String(cString: strerror(failure)))")
  }
  var status: Int32 = 0
  while waitpid(child, &status, 0) < 0 && errno == EINTR {}
  return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
}
