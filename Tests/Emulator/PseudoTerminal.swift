// SPDX-License-Identifier: GPL-3.0-or-later
import CLinux
import Glibc

/// A program on a terminal of its own: a pseudo-terminal whose other end is an `Emulator`. For
/// end-to-end tests.
///
/// ```swift
/// let shell = try PseudoTerminal(command: ["bash"], environment: ["TERM": "xterm"])
/// #expect(shell.wait(for: 5) { $0.picture.contains("$ |") })
/// ```
public final class PseudoTerminal {
  /// What the program has drawn so far.
  public let emulator: Emulator
  /// The program's process.
  public let processIdentifier: pid_t
  /// How many bytes the program has written.
  public private(set) var bytesReceived = 0
  /// Everything the program has written.
  public private(set) var output: [UInt8] = []
  /// Everything the terminal has answered to it.
  public private(set) var answered: [UInt8] = []
  /// What the terminal answers to the question for its background (OSC 11), before all other
  /// questions; nil for nothing.
  public var background: String?

  /// Whether the terminal marks pastes, and shows that when a program asks for it (DECSET 2004).
  public var marksPastes = false

  private var descriptor: Int32
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

    do {
      processIdentifier = try spawn(
        command, environment: environment, files: [.terminal(pair.path), .same(0), .same(0)],
        startsSession: true)
    } catch {
      close(descriptor)
      throw error
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

  /// Closes the terminal, as when its window is closed; the program gets SIGHUP and the end of
  /// input.
  public func hangUp() {
    hasHungUp = true
    close(descriptor)
    descriptor = -1
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
      // Not until the end: a condition may be about more than this terminal.
      _ = ready(POLLIN, milliseconds: min(left, 20))
    }
  }

  /// Reads on until the program has handled all its input and waits for more: it has slept for a
  /// moment without a break. Whatever it does later is caused by new input or by a timer.
  public func settle() {
    let end = milliseconds() + 10_000
    var former: String?
    while !hasHungUp, milliseconds() < end {
      drain()
      let sleeps = sleepsSoFar()
      if let sleeps, sleeps == former { return }
      former = sleeps
      if ready(POLLIN, milliseconds: 30) > 0 { former = nil }
    }
  }

  /// How often the program has begun to wait for something; nil while it runs.
  private func sleepsSoFar() -> String? {
    guard let file = fopen("/proc/\(processIdentifier)/status", "r") else { return nil }
    defer { fclose(file) }
    var text = [UInt8](repeating: 0, count: 8192)
    let count = fread(&text, 1, text.count, file)
    let lines = String(decoding: text[..<count], as: UTF8.self).split(separator: "\n")
    guard lines.contains(where: { $0.hasPrefix("State:\tS") }) else { return nil }
    return lines.first { $0.hasPrefix("voluntary_ctxt_switches:") }.map(String.init)
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
        status = exitStatus(raw)
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
        if let background,
          output.suffix(64).split(separator: 0x1B).contains(where: {
            $0.starts(with: Array("]11;?".utf8))
          })
        {
          self.background = nil
          send(background)
        }
        if marksPastes, output.suffix(count + 8).firstRange(of: Array("\u{1B}[?2004h".utf8)) != nil
        {
          marksPastes = false
          // The end of a paste that never began, which means nothing else.
          send("\u{1B}[201~")
        }
        emulator.feed(Array(buffer[..<count]))
        let answers = emulator.answers
        emulator.answers = []
        answered += answers
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
