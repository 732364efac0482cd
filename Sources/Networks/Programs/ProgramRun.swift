// SPDX-License-Identifier: GPL-3.0-or-later
import CLinux
import Conversations
import Glibc
import Platform
import Sentences

/// A running program of a network, in the process outside the sandbox, which starts it, writes its
/// log and ends it. Only its lines do not come here: its standard input and output are pipes to the
/// network process.
///
/// The program runs as the user, with all the user's rights, in a process group of its own.
@MainActor
package final class ProgramRun {
  /// This process's ends of the program's standard input and output, to hand on and then close.
  let pipes: (writing: Int32, reading: Int32)
  /// Called once, in the loop, with the reason of its end.
  var ended: (Remark) -> Void = { _ in }

  /// Milliseconds that a program has to end by itself, and again after SIGTERM.
  private let grace: Int64
  private let name: String
  private let loop: EventLoop
  /// The id of the process, and of its group; 0 once it has ended.
  private var process: pid_t
  private let errors: Int32
  private let exit: Int32
  private var log: ProgramLog
  private var timer: TimerID?

  /// - Parameters:
  ///   - folder: where it begins and where its log is.
  ///   - grace: milliseconds that it has to end by itself, and again after SIGTERM.
  /// - Throws: `SystemFailure`.
  init(_ program: String, in folder: String, loop: EventLoop, grace: Int64 = 5_000) throws {
    (name, self.loop, self.grace) = (StoreFiles.split(program).name, loop, grace)
    var open: [Int32] = []
    func pipe() throws -> (reading: Int32, writing: Int32) {
      guard let pipe = ChildProcess.pipe() else {
        defer { for descriptor in open { close(descriptor) } }
        throw SystemFailure()
      }
      open += [pipe.reading, pipe.writing]
      return pipe
    }
    let (input, output, errors) = (try pipe(), try pipe(), try pipe())
    let process = ChildProcess.start(
      [program], input: .descriptor(input.reading), output: .descriptor(output.writing),
      errors: .descriptor(errors.writing), group: .session, environment: Self.environment,
      folder: folder)
    let failure = SystemFailure()
    for descriptor in [input.reading, output.writing, errors.writing] { close(descriptor) }
    guard let process else {
      for descriptor in [input.writing, output.reading, errors.reading] { close(descriptor) }
      throw failure
    }
    (self.process, pipes) = (process, (input.writing, output.reading))
    self.errors = errors.reading
    log = ProgramLog(in: folder)
    exit = clinux_watch_process(process)
    _ = fcntl(self.errors, F_SETFL, O_NONBLOCK)
    loop.watch(self.errors) { [weak self] in self?.readErrors() }
    if exit >= 0 {
      loop.watch(exit) { [weak self] in self?.checkExit() }
    } else {
      checkEachSecond()
    }
  }

  /// What the program gets of the user's environment: nothing that may be a secret for others.
  package static var environment: [String: String] {
    let names: Set = [
      "HOME", "LANG", "LANGUAGE", "LD_LIBRARY_PATH", "LOGNAME", "NODE_PATH", "PATH", "SHELL",
      "TMPDIR", "TZ", "USER",
    ]
    let prefixes = ["LC_", "PYTHON", "SSL_CERT_", "XDG_"]
    var result: [String: String] = [:]
    var next = environ
    while let variable = next.pointee {
      let parts = String(cString: variable).split(separator: "=", maxSplits: 1).map(String.init)
      if parts.count == 2,
        names.contains(parts[0]) || prefixes.contains(where: parts[0].hasPrefix)
          || parts[0].lowercased().hasSuffix("_proxy")
      {
        result[parts[0]] = parts[1]
      }
      next += 1
    }
    return result
  }

  /// Ends the program, whose standard input the network process has closed: with SIGTERM, and then
  /// SIGKILL, if it does not end by itself.
  func stop() {
    guard timer == nil, process > 0 else { return }
    loop.schedule(&timer, at: loop.now + grace) { [weak self] in
      guard let self else { return }
      signal(SIGTERM)
      loop.schedule(&timer, at: loop.now + grace) { [weak self] in self?.signal(SIGKILL) }
    }
  }

  private func signal(_ number: Int32) {
    if process > 0 { kill(-process, number) }
  }

  /// On a kernel without descriptors for processes.
  private func checkEachSecond() {
    loop.after(milliseconds: 1_000) { [weak self] in
      guard let self, process > 0 else { return }
      checkExit()
      checkEachSecond()
    }
  }

  private func readErrors() {
    var chunk = [UInt8](repeating: 0, count: 16_384)
    // No more than this at once: what runs beside it must not wait.
    for _ in 0..<16 {
      let count = read(errors, &chunk, chunk.count)
      if count > 0 {
        log.add(chunk[..<count])
      } else if count == 0 || errno != EINTR {
        if count == 0 { loop.unwatch(errors) }
        return
      }
    }
  }

  private func checkExit() {
    var (status, found) = (Int32(0), siginfo_t())
    guard process > 0, waitid(P_PID, id_t(process), &found, WEXITED | WNOHANG | WNOWAIT) == 0,
      found.si_signo != 0
    else { return }
    // Kill the rest of its group now, while no other group can have its number.
    signal(SIGKILL)
    waitpid(process, &status, 0)
    process = 0
    if let timer { loop.cancel(timer) }
    readErrors()
    for descriptor in [errors, exit] where descriptor >= 0 {
      loop.unwatch(descriptor)
      close(descriptor)
    }
    let exit = String(ChildProcess.exitStatus(status))
    ended(
      log.last.isEmpty
        ? filled(("%1 ended with status %2", [name, exit]))
        : filled(("%1 ended with status %2: %3", [name, exit, log.last])))
  }
}
