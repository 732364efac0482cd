// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc
import Platform

/// Programs that run beside the shell: `/open`, `notify-command`.
@MainActor
package final class DetachedPrograms {
  /// Nobody needs more at a time; a flood of mentions is not a flood of programs.
  static let most = 16

  private var running: [pid_t: (Int32) -> Void] = [:]
  /// The first of them was started: from now on ``reap()`` is to be called when a child ends.
  package var began: () -> Void = {}
  private var hasBegun = false

  package init() {}

  /// Whether one has to end before another can be started.
  package var isFull: Bool { running.count >= Self.most }

  /// Starts one.
  ///
  /// - Parameters:
  ///   - output: where it writes to.
  ///   - ended: called with its exit status, where the shell still runs.
  /// - Returns: false with the reason in `errno`.
  package func start(
    _ words: [String], output: ChildProcess.Stream = .null, ended: @escaping (Int32) -> Void
  ) -> Bool {
    guard !isFull else {
      errno = EAGAIN
      return false
    }
    if !hasBegun { began() }
    hasBegun = true
    guard
      let process = ChildProcess.start(
        words, input: .null, output: output, errors: .null, group: .session)
    else { return false }
    running[process] = ended
    return true
  }

  /// Takes note of those that have ended, without waiting.
  package func reap() {
    for (process, ended) in running {
      var status: Int32 = 0
      guard waitpid(process, &status, WNOHANG) == process else { continue }
      running[process] = nil
      ended(ChildProcess.exitStatus(status))
    }
  }
}
