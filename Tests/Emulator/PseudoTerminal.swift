// SPDX-License-Identifier: GPL-3.0-or-later
import CLinux
import CVTerm
import Glibc

/// A program on a terminal of its own: a pseudo-terminal whose other end is an `Emulator`. For
/// end-to-end tests.
///
/// ```swift
/// let shell = try PseudoTerminal(command: ["bash"], environment: ["TERM": "xterm"])
/// #expect(shell.wait(for: 5) { $0.picture.contains("$ |") })
/// ```
public final class PseudoTerminal {
  /// The terminal could not be opened or the program not be started.
  public struct Failure: Error {
    public var what: String
    public var errorNumber: Int32
  }

  /// What the program has drawn so far.
  public let emulator: Emulator
  /// The program's process.
  public let processIdentifier: pid_t
  /// How many bytes the program has written.
  public private(set) var bytesReceived = 0
  /// Everything the program has written.
  public private(set) var output: [UInt8] = []

  private let descriptor: Int32
  private var hasHungUp = false
  private var status: Int32?

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - command: the program, looked up in this process's `PATH`, and its arguments.
  ///   - environment: its whole environment; nothing is inherited.
  public init(
    command: [String], environment: [String: String], rows: Int = 24, columns: Int = 80
  ) throws {
    emulator = Emulator(rows: rows, columns: columns)
    let pair = try PseudoTerminalPair(rows: rows, columns: columns)
    descriptor = pair.takeController()

    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    // Opened by the leader of a new session, it becomes the controlling terminal.
    posix_spawn_file_actions_addopen(&actions, 0, pair.path, O_RDWR, 0)
    posix_spawn_file_actions_adddup2(&actions, 0, 1)
    posix_spawn_file_actions_adddup2(&actions, 0, 2)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    let flags = Int32(cvterm_spawn_setsid) | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
    posix_spawnattr_setflags(&attributes, Int16(flags))

    var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) }
    arguments.append(nil)
    var variables: [UnsafeMutablePointer<CChar>?] = environment.map {
      strdup("\($0.key)=\($0.value)")
    }
    variables.append(nil)
    defer { for pointer in arguments + variables { free(pointer) } }
    var process: pid_t = 0
    let failure = posix_spawnp(
      &process, arguments[0] ?? strdup(""), &actions, &attributes, arguments, variables)
    processIdentifier = process
    guard failure == 0 else {
      close(descriptor)
      status = 127
      throw Failure(what: "posix_spawn \(command.first ?? "")", errorNumber: failure)
    }
  }

  deinit {
    if status == nil {
      _ = Glibc.kill(processIdentifier, SIGKILL)
      var ignored: Int32 = 0
      waitpid(processIdentifier, &ignored, 0)
    }
    close(descriptor)
  }

  /// Types text.
  public func send(_ text: String) {
    send(Array(text.utf8))
  }

  /// Types bytes. What the program writes meanwhile is read, so that a long paste cannot block.
  public func send(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty && !hasHungUp {
      let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if written > 0 {
        rest = rest.dropFirst(written)
      } else if errno == EAGAIN {
        _ = ready(POLLIN | POLLOUT, milliseconds: 1000)
        drain()
      } else if errno != EINTR {
        return
      }
    }
  }

  /// Changes the size of the terminal; the program gets SIGWINCH.
  public func resize(rows: Int, columns: Int) {
    drain()
    emulator.resize(rows: rows, columns: columns)
    _ = clinux_set_window_size(descriptor, UInt16(rows), UInt16(columns))
  }

  /// Reads what the program writes until the condition holds.
  ///
  /// - Parameters:
  ///   - seconds: how long to wait at most.
  ///   - condition: looked at after everything that was there has been read.
  /// - Returns: whether the condition held in time.
  public func wait(for seconds: Double, until condition: (Emulator) -> Bool) -> Bool {
    let end = milliseconds() + Int64(seconds * 1000)
    while true {
      drain()
      if condition(emulator) { return true }
      let left = end - milliseconds()
      if left <= 0 || hasHungUp { return false }
      _ = ready(POLLIN, milliseconds: left)
    }
  }

  /// Sends a signal to the program.
  public func kill(_ signal: Int32) {
    if status == nil { _ = Glibc.kill(processIdentifier, signal) }
  }

  /// Reads on until the program has ended.
  ///
  /// - Returns: its exit status, 128 and the signal when one killed it, nil when it still runs.
  public func waitForExit(seconds: Double) -> Int32? {
    let end = milliseconds() + Int64(seconds * 1000)
    while status == nil {
      drain()
      var raw: Int32 = 0
      if waitpid(processIdentifier, &raw, WNOHANG) == processIdentifier {
        drain()
        status = raw & 0x7F == 0 ? (raw >> 8) & 0xFF : 128 + (raw & 0x7F)
        break
      }
      let left = end - milliseconds()
      if left <= 0 { return nil }
      // The end of a process is not seen on a descriptor, only the closing of its terminal.
      _ = hasHungUp ? poll(nil, 0, 1) : ready(POLLIN, milliseconds: min(left, 10))
    }
    return status
  }

  private func drain() {
    var buffer = [UInt8](repeating: 0, count: 65536)
    while !hasHungUp {
      let count = read(descriptor, &buffer, buffer.count)
      if count > 0 {
        bytesReceived += count
        output += buffer[..<count]
        emulator.feed(Array(buffer[..<count]))
        let answers = emulator.answers
        emulator.answers = []
        if !answers.isEmpty { send(answers) }
      } else if count == 0 || errno == EIO {
        hasHungUp = true
      } else if errno != EINTR {
        return
      }
    }
  }

  private func ready(_ events: Int32, milliseconds: Int64) -> Int32 {
    var descriptors = pollfd(fd: descriptor, events: Int16(events), revents: 0)
    return poll(&descriptors, 1, Int32(clamping: milliseconds))
  }

  private func milliseconds() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }
}
