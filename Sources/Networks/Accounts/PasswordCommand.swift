// SPDX-License-Identifier: GPL-3.0-or-later
import CLinux
import Glibc
import Platform
import Sentences

/// A program that prints a password: the account's `password-command`, or `secret-tool`. It runs
/// without a shell, in its own process group, which gets the terminal if this process has it. The
/// password is the first line of its output. The program must end within a minute.
@MainActor
final class PasswordCommand {
  /// The maximum number of bytes of its output that are read.
  private static let most = 65_536
  /// Milliseconds until it is asked to end, and from then until it is killed.
  static let patience = 60_000
  private static let grace = 2_000

  private let words: [String]
  private let loop: EventLoop
  private let patience: Int
  private let done: (Result<String, PasswordFailure>) -> Void
  /// The id of the process, and of its group.
  private var process: pid_t = 0
  /// The terminal that it was given; -1 for none.
  private var terminal: Int32 = -1
  private var output: Int32 = -1
  private var ending: Int32 = -1
  private var printed: [UInt8] = []
  private var timer: TimerID?
  private var isTooLate = false

  /// - Parameters:
  ///   - patience: milliseconds until it is asked to end.
  ///   - done: called once, in the loop; directly by `start` if it cannot be started.
  init(
    _ words: [String], loop: EventLoop, patience: Int = PasswordCommand.patience,
    done: @escaping (Result<String, PasswordFailure>) -> Void
  ) {
    self.words = words
    self.loop = loop
    self.patience = patience
    self.done = done
  }

  func start() {
    guard let pipe = ChildProcess.pipe() else {
      return done(.failure(.command(name, status: 127)))
    }
    terminal = Self.foregroundTerminal()
    loop.handleSignals([SIGCHLD]) { [weak self] _ in self?.checkExit() }
    let started = ChildProcess.start(
      words, input: .null, output: .descriptor(pipe.writing),
      group: terminal >= 0 ? .foreground(terminal: terminal) : .own)
    close(pipe.writing)
    guard let started else {
      close(pipe.reading)
      takeTerminalBack()
      return done(.failure(.command(name, status: 127)))
    }
    (process, output) = (started, pipe.reading)
    // If other threads also wait for children, one of them may take the signal.
    ending = clinux_watch_process(started)
    if ending >= 0 { loop.watch(ending) { [weak self] in self?.checkExit() } }
    _ = fcntl(output, F_SETFL, O_NONBLOCK)
    loop.watch(output) { [weak self] in self?.read() }
    timer = loop.after(milliseconds: patience) { [weak self] in self?.end() }
  }

  private var name: String { words.first ?? "" }

  /// - Returns: the terminal that this process may read from; -1 if it has none or is in the
  ///   background.
  private static func foregroundTerminal() -> Int32 {
    let terminal = open("/dev/tty", O_RDONLY | O_CLOEXEC | O_NOCTTY)
    guard terminal >= 0, tcgetpgrp(terminal) != getpgrp() else { return terminal }
    close(terminal)
    return -1
  }

  private func takeTerminalBack() {
    guard terminal >= 0 else { return }
    if tcgetpgrp(terminal) == process { ChildProcess.give(terminal, to: getpgrp()) }
    close(terminal)
    terminal = -1
  }

  /// Runs it to its end, in its own loop.
  static func run(_ words: [String]) -> Result<String, PasswordFailure> {
    let loop = EventLoop()
    var result: Result<String, PasswordFailure>?
    let command = PasswordCommand(words, loop: loop) {
      result = $0
      loop.stop()
    }
    command.start()
    if result == nil { withExtendedLifetime(command) { loop.run() } }
    return result ?? .failure(.none)
  }

  /// Asks it and all processes that it started to end, and later kills those that have not.
  private func end() {
    isTooLate = true
    signal(SIGTERM)
    loop.schedule(&timer, at: loop.now + Int64(Self.grace)) { [weak self] in self?.signal(SIGKILL) }
  }

  /// Kills it when nobody waits for the password any more.
  func kill() {
    signal(SIGKILL)
    takeTerminalBack()
  }

  private func signal(_ number: Int32) {
    if process > 0 { Glibc.kill(-process, number) }
  }

  private var hasLine: Bool { printed.contains(0x0A) }

  private func read() {
    var chunk = [UInt8](repeating: 0, count: 4096)
    while output >= 0, !hasLine, printed.count < Self.most {
      let count = Glibc.read(output, &chunk, chunk.count)
      if count > 0 {
        printed += chunk[..<count]
      } else if count == 0 {
        stopReading()
      } else if errno != EINTR {
        return
      }
    }
    stopReading()
  }

  private func stopReading() {
    guard output >= 0 else { return }
    loop.unwatch(output)
    close(output)
    output = -1
  }

  private func checkExit() {
    var (status, found) = (Int32(0), siginfo_t())
    guard process > 0, waitid(P_PID, id_t(process), &found, WEXITED | WNOHANG | WNOWAIT) == 0,
      found.si_signo != 0
    else { return }
    // Kill the rest of its group now, while no other group can have its number.
    if isTooLate { signal(SIGKILL) }
    waitpid(process, &status, 0)
    let exit = ChildProcess.exitStatus(status)
    let isInterrupted = terminal >= 0 && exit == 128 + SIGINT
    takeTerminalBack()
    process = 0
    // C-c reached only the command's group, but was meant for this process as well.
    if isInterrupted { Glibc.kill(0, SIGINT) }
    if ending >= 0 {
      loop.unwatch(ending)
      close(ending)
    }
    if let timer { loop.cancel(timer) }
    // An agent that it started may keep the pipe open for ever.
    read()
    stopReading()
    // It may have had more to print after its first line.
    let isRefused = exit != 0 && !(exit == 128 + SIGPIPE && hasLine)
    let line = printed.prefix { $0 != 0x0A && $0 != 0x0D }
    if isTooLate {
      done(.failure(.tooSlow(name)))
    } else if isRefused || line.isEmpty {
      done(.failure(.command(name, status: exit)))
    } else {
      done(.success(String(decoding: line, as: UTF8.self)))
    }
  }
}

/// Why there is no password.
package enum PasswordFailure: Error, Hashable, Sendable {
  /// No program gives one: the owner has to type it.
  case none
  /// The command failed, or printed nothing.
  case command(String, status: Int32)
  /// The command took longer than a minute, and was ended.
  case tooSlow(String)
  /// Why the owner's settings cannot be read.
  case settings(Remark)

  /// The sentence for the status line, which may be narrow, so it is short.
  package var sentence: Remark {
    switch self {
    case .none: translated("needs its password (/connect)")
    case .command(let name, let status):
      filled(
        ("no password: %1 ended with status %2; /connect tries again", [name, String(status)]))
    case .tooSlow(let name):
      filled(("no password: %1 was stopped after a minute; /connect tries again", [name]))
    case .settings(let reason): reason
    }
  }
}
