// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc
import Platform

/// Runs a command to its end, in this process's own environment.
///
/// - Returns: its exit status, or 128 and the signal that ended it.
func run(_ command: [String]) throws -> Int32 {
  guard let child = ChildProcess.start(command) else {
    throw MeasuringError("cannot start \(command[0]): \(String(cString: strerror(errno)))")
  }
  var status: Int32 = 0
  while waitpid(child, &status, 0) < 0 && errno == EINTR {}
  return ChildProcess.exitStatus(status)
}
