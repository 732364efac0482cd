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
    while true {
      if let end = received.firstIndex(of: 0x0A) {
        defer { received.removeSubrange(...end) }
        return .line(Array(received[..<end]))
      }
      var inputs = [output, other].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      let wait = Int32(clamping: max(0, end - Clock.steady()))
      guard poll(&inputs, 2, wait) > 0, inputs[0].revents != 0 else { return .none }
      var chunk = [UInt8](repeating: 0, count: 65_536)
      let count = read(output, &chunk, chunk.count)
      if count <= 0 { return .end }
      received += chunk[..<count]
    }
  }

  /// Writes a line, without its newline.
  package func write(_ line: String) {
    guard isInputOpen else { return }
    _ = Array((line + "\n").utf8).withUnsafeBytes { try? writeAll(input, $0) }
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
  /// - Returns: nil if it says nothing, or no hello, within some seconds.
  package static func hello(of program: String) -> BridgeHello? {
    guard let parser = try? JSONParser(), let started = StartedProgram(program, in: "/"),
      case .line(let line) = started.next(within: 5_000),
      let hello = try? BridgeLine(line, with: parser), hello.type == "hello"
    else { return nil }
    return try? BridgeHello(hello)
  }
}
