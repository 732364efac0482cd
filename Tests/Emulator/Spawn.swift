// SPDX-License-Identifier: GPL-3.0-or-later
import CVTerm
import Glibc

/// A program could not be started, or a terminal not be opened for it.
public struct SpawnFailure: Error {
  public var what: String
  public var errorNumber: Int32
}

/// What a new program has as one of its standard files.
public enum StandardFile {
  /// A file that is read.
  case reading(String)
  /// A file that is overwritten.
  case writing(String)
  /// A terminal; the first that a new session opens becomes its controlling terminal.
  case terminal(String)
  /// What this descriptor of the program is.
  case same(Int32)
}

/// Starts a program as a login would: no signal blocked or ignored (the threads that run tests have
/// some blocked), nothing inherited but what is named here.
///
/// - Parameters:
///   - command: the program, looked up in this process's `PATH`, and its arguments.
///   - environment: the whole of it.
///   - files: standard input, output and errors.
///   - startsSession: whether the program leads a session of its own.
/// - Returns: its process.
/// - Throws: `SpawnFailure`.
public func spawn(
  _ command: [String], environment: [String: String], files: [StandardFile],
  startsSession: Bool = false
) throws -> pid_t {
  var actions = posix_spawn_file_actions_t()
  posix_spawn_file_actions_init(&actions)
  defer { posix_spawn_file_actions_destroy(&actions) }
  for (number, file) in files.enumerated() {
    let number = Int32(number)
    switch file {
    case .reading(let path):
      posix_spawn_file_actions_addopen(&actions, number, path, O_RDONLY, 0)
    case .writing(let path):
      posix_spawn_file_actions_addopen(
        &actions, number, path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0o600)
    case .terminal(let path):
      posix_spawn_file_actions_addopen(&actions, number, path, O_RDWR, 0)
    case .same(let other):
      posix_spawn_file_actions_adddup2(&actions, other, number)
    }
  }

  var attributes = posix_spawnattr_t()
  posix_spawnattr_init(&attributes)
  defer { posix_spawnattr_destroy(&attributes) }
  var signals = sigset_t()
  sigemptyset(&signals)
  posix_spawnattr_setsigmask(&attributes, &signals)
  sigfillset(&signals)
  posix_spawnattr_setsigdefault(&attributes, &signals)
  let session = startsSession ? Int32(cvterm_spawn_setsid) : 0
  posix_spawnattr_setflags(
    &attributes, Int16(session | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

  let arguments = command.map { strdup($0) } + [nil]
  let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
  defer { for pointer in arguments + variables { free(pointer) } }
  var process: pid_t = 0
  let failure = posix_spawnp(
    &process, command.first ?? "", &actions, &attributes, arguments, variables)
  guard failure == 0 else {
    throw SpawnFailure(what: "posix_spawn \(command.first ?? "")", errorNumber: failure)
  }
  return process
}

/// The exit status in what `waitpid` gave: 128 and the signal when one ended the program.
public func exitStatus(_ raw: Int32) -> Int32 {
  raw & 0x7F == 0 ? (raw >> 8) & 0xFF : 128 + (raw & 0x7F)
}
