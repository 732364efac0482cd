// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc
import Networks
import Platform
import Storage

/// A program that hobnob starts without an account, to ask or to examine it. Its methods wait.
@MainActor
package final class StartedProgram {
  /// What there is to read.
  package enum Output: Hashable {
    case line([UInt8])
    /// It has closed its output.
    case end
    /// Nothing in time.
    case none
  }

  package let process: pid_t
  private let input: Int32
  private let output: Int32
  private var isInputOpen = true
  private var received: [UInt8] = []
  private var status: Int32?

  /// - Parameters:
  ///   - folder: where it begins.
  ///   - errors: where its standard error goes.
  /// - Returns: nil with the reason in `errno`.
  package init?(_ program: String, in folder: String, errors: ChildProcess.Stream = .null) {
    guard let input = ChildProcess.pipe(), let output = ChildProcess.pipe() else { return nil }
    let process = ChildProcess.start(
      [program], input: .descriptor(input.reading), output: .descriptor(output.writing),
      errors: errors, group: .session, environment: ProgramRun.environment, folder: folder)
    let reason = errno
    close(input.reading)
    close(output.writing)
    guard let process else {
      close(input.writing)
      close(output.reading)
      errno = reason
      return nil
    }
    (self.process, self.input, self.output) = (process, input.writing, output.reading)
    _ = fcntl(input.writing, F_SETFL, O_NONBLOCK)
  }

  isolated deinit {
    kill()
    closeInput()
    close(output)
  }

  /// The next line of its standard output.
  ///
  /// - Parameters:
  ///   - patience: milliseconds to wait.
  ///   - other: a descriptor; nothing is read when that can be read.
  package func next(within patience: Int64, unless other: Int32 = -1) -> Output {
    let end = Clock.steady() + patience
    var searched = 0
    while true {
      if let end = received[searched...].firstIndex(of: 0x0A) {
        defer { received.removeSubrange(...end) }
        return .line(Array(received[..<end]))
      }
      // No line is so long; whoever reads it says so.
      if received.count > BridgeLimits.line {
        defer { received = [] }
        return .line(received)
      }
      searched = received.count
      let wait = end - Clock.steady()
      if wait < 0 { return .none }
      var inputs = [output, other].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      guard poll(&inputs, 2, Int32(clamping: wait)) > 0, inputs[0].revents != 0 else {
        return .none
      }
      if !receive() { return .end }
    }
  }

  /// Reads what is there.
  ///
  /// - Returns: false at the end.
  private func receive() -> Bool {
    var chunk = [UInt8](repeating: 0, count: 65_536)
    let count = read(output, &chunk, chunk.count)
    if count > 0 { received += chunk[..<count] }
    return count > 0
  }

  /// Writes a line, without its newline.
  ///
  /// - Returns: false if the program does not read it within so many milliseconds.
  @discardableResult
  package func write(_ line: String, within patience: Int64 = 30_000) -> Bool {
    guard isInputOpen else { return true }
    let end = Clock.steady() + patience
    var bytes = Array((line + "\n").utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Glibc.write(input, $0.baseAddress, $0.count) }
      if count > 0 {
        bytes.removeFirst(count)
        continue
      }
      // A program that has ended is noticed when its output is read.
      guard errno == EAGAIN || errno == EINTR else { return true }
      let wait = end - Clock.steady()
      if wait < 0 { return false }
      // It may wait until somebody reads what it writes.
      var both = [
        pollfd(fd: input, events: Int16(POLLOUT), revents: 0),
        pollfd(fd: output, events: Int16(POLLIN), revents: 0),
      ]
      poll(&both, 2, Int32(clamping: wait))
      if both[1].revents != 0, !receive() { return true }
    }
    return true
  }

  package func closeInput() {
    if isInputOpen { close(input) }
    isInputOpen = false
  }

  /// Kills it and all that it started.
  package func kill() {
    guard status == nil else { return }
    Glibc.kill(-process, SIGKILL)
    _ = exitStatus(within: 10_000)
  }

  /// - Returns: its exit status; nil if it still runs after so many milliseconds.
  package func exitStatus(within patience: Int64) -> Int32? {
    let end = Clock.steady() + patience
    var found: Int32 = 0
    while status == nil {
      if waitpid(process, &found, WNOHANG) == process {
        status = ChildProcess.exitStatus(found)
      } else if Clock.steady() >= end {
        return nil
      } else {
        usleep(5_000)
      }
    }
    return status
  }

  /// What the program says of its network, before it gets an account.
  ///
  /// - Parameter patience: milliseconds.
  /// - Returns: nil if it says nothing, or no hello, in that time.
  package static func hello(of program: String, within patience: Int64) -> BridgeHello? {
    guard let parser = try? JSONParser(), let started = StartedProgram(program, in: "/"),
      case .line(let line) = started.next(within: patience),
      let hello = try? BridgeLine(line, with: parser), hello.type == "hello"
    else { return nil }
    return try? BridgeHello(hello)
  }
}
