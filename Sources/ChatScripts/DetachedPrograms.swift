// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc
import Platform

/// Programs that run beside the shell: `/open`, `notify-command`.
@MainActor
package final class DetachedPrograms {
  /// Enough for anyone; a flood of mentions must not become a flood of programs.
  static let limit = 16

  private var running: [pid_t: (Int32) -> Void] = [:]
  /// Runs once, before the first program starts. After that, the shell must call ``reap()``
  /// whenever a child ends.
  package var onFirstStart: () -> Void = {}
  private var hasBegun = false

  package init() {}

  /// Whether a program must end before another can start.
  package var isFull: Bool { running.count >= Self.limit }

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - input: what the program reads.
  ///   - output: where the program writes its output.
  ///   - ended: called with the exit status when the program has ended and been reaped.
  /// - Returns: false, with the reason in `errno`, if the program could not start.
  package func start(
    _ words: [String], input: ChildProcess.Stream = .null, output: ChildProcess.Stream = .null,
    ended: @escaping (Int32) -> Void
  ) -> Bool {
    guard !isFull else {
      errno = EAGAIN
      return false
    }
    if !hasBegun { onFirstStart() }
    hasBegun = true
    guard
      let process = ChildProcess.start(
        words, input: input, output: output, errors: .null, group: .session)
    else { return false }
    running[process] = ended
    return true
  }

  /// Removes the programs that have ended, without waiting for others.
  package func reap() {
    for (process, ended) in running {
      var status: Int32 = 0
      guard waitpid(process, &status, WNOHANG) == process else { continue }
      running[process] = nil
      ended(ChildProcess.exitStatus(status))
    }
  }
}
