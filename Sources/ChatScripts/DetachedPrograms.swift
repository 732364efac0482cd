// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc
import Platform

/// Programs that run beside the shell: `/open`, `notify-command`.
@MainActor
package final class DetachedPrograms {
  /// Enough for anyone; a flood of mentions must not become a flood of programs.
  static let most = 16

  private var running: [pid_t: (Int32) -> Void] = [:]
  /// Called when the first one starts: from then on, call ``reap()`` whenever a child ends.
  package var began: () -> Void = {}
  private var hasBegun = false

  package init() {}

  /// Whether one must end before another can start.
  package var isFull: Bool { running.count >= Self.most }

  /// Starts one.
  ///
  /// - Parameters:
  ///   - output: where it writes to.
  ///   - ended: called with its exit status, if the shell still runs.
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

  /// Removes those that have ended, without waiting.
  package func reap() {
    for (process, ended) in running {
      var status: Int32 = 0
      guard waitpid(process, &status, WNOHANG) == process else { continue }
      running[process] = nil
      ended(ChildProcess.exitStatus(status))
    }
  }
}
