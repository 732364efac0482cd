// SPDX-License-Identifier: GPL-3.0-or-later
import CLinux
import Glibc

/// Starts a program from its words, without a shell; finds it by `PATH`.
package enum ChildProcess {
  /// Where its standard input, output or error goes.
  package enum Stream {
    case ours
    case descriptor(Int32)
    case null
  }

  /// Its process group, which decides whose terminal signals reach it.
  package enum Group {
    case ours
    /// A separate group, so that its children can be ended with it.
    case own
    /// A separate group in the foreground, until ``give(_:to:)`` takes the terminal back. C-z does
    /// not stop it.
    case foreground(terminal: Int32)
    /// A separate session, without a terminal.
    case session
  }

  /// Starts a program with default signal handling.
  ///
  /// - Parameters:
  ///   - environment: nil for this process's own.
  ///   - folder: where it begins; nil for where this process is.
  /// - Returns: its process, or nil with the reason in `errno`.
  package static func start(
    _ words: [String], input: Stream = .ours, output: Stream = .ours, errors: Stream = .ours,
    group: Group = .ours, environment: [String: String]? = nil, folder: String? = nil
  ) -> pid_t? {
    guard let program = words.first else {
      errno = ENOENT
      return nil
    }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (number, stream) in [(0, input), (1, output), (2, errors)] as [(Int32, Stream)] {
      switch stream {
      case .ours: break
      case .descriptor(let other): posix_spawn_file_actions_adddup2(&actions, other, number)
      case .null:
        posix_spawn_file_actions_addopen(
          &actions, number, "/dev/null", number == 0 ? O_RDONLY : O_WRONLY, 0)
      }
    }
    if let folder { posix_spawn_file_actions_addchdir_np(&actions, folder) }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var flags = Int32(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF)
    var (blocked, usual) = (sigset_t(), sigset_t())
    sigemptyset(&blocked)
    sigemptyset(&usual)
    for signal in [SIGINT, SIGQUIT, SIGTSTP, SIGPIPE, SIGXFSZ] { sigaddset(&usual, signal) }
    if case .foreground = group { sigaddset(&blocked, SIGTSTP) }
    posix_spawnattr_setsigmask(&attributes, &blocked)
    posix_spawnattr_setsigdefault(&attributes, &usual)
    switch group {
    case .ours: break
    case .own, .foreground:
      flags |= Int32(POSIX_SPAWN_SETPGROUP)
      posix_spawnattr_setpgroup(&attributes, 0)
    case .session: flags |= 0x80  // POSIX_SPAWN_SETSID, a macro that Swift does not see
    }
    posix_spawnattr_setflags(&attributes, Int16(flags))
    let arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    let variables: [UnsafeMutablePointer<CChar>?] =
      (environment ?? [:]).map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for copy in arguments + variables { free(copy) } }
    var process: pid_t = 0
    let failure =
      environment == nil
      ? posix_spawnp(&process, program, &actions, &attributes, arguments, environ)
      : posix_spawnp(&process, program, &actions, &attributes, arguments, variables)
    if failure == 0, case .foreground(let terminal) = group { give(terminal, to: process) }
    errno = failure
    return failure == 0 ? process : nil
  }

  /// Makes a process group the foreground group of the terminal.
  package static func give(_ terminal: Int32, to group: pid_t) {
    // This signal would stop a process in the background that calls tcsetpgrp.
    var (signals, former) = (sigset_t(), sigset_t())
    sigemptyset(&signals)
    sigaddset(&signals, SIGTTOU)
    pthread_sigmask(SIG_BLOCK, &signals, &former)
    tcsetpgrp(terminal, group)
    pthread_sigmask(SIG_SETMASK, &former, nil)
    // Continue processes that were stopped because they read before they had the terminal.
    kill(-group, SIGCONT)
  }

  /// A pipe to or from a child; no other child inherits its ends.
  ///
  /// - Returns: nil with the reason in `errno`.
  package static func pipe() -> (reading: Int32, writing: Int32)? {
    var ends: [Int32] = [-1, -1]
    guard pipe2(&ends, O_CLOEXEC) == 0 else { return nil }
    return (ends[0], ends[1])
  }

  /// The status that a shell would report for a status from `waitpid`: the exit status, or 128 plus
  /// the signal.
  package static func exitStatus(_ status: Int32) -> Int32 {
    status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
  }
}
