// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc
import Networks
import Platform
import Sentences

/// The lines between a network process and the program that the process beside it starts. It never
/// waits: what the program does not take yet is kept.
@MainActor
package final class ProgramChannel: LineChannel {
  package var received: (_ line: [UInt8]) -> Void = { _ in }
  package var ended: (_ reason: Remark) -> Void = { _ in }
  package var isReading = true {
    didSet { if isReading != oldValue { isReading ? resume() : loop.unwatch(input) } }
  }
  package var backlog: Int { outgoing.count }

  private let source: any ProgramSource
  private let loop: EventLoop
  /// The program's output and input; -1 before it has started, and once they are closed.
  private var input: Int32 = -1
  private var output: Int32 = -1
  private var incoming: [UInt8] = []
  /// How many bytes at the start of `incoming` have no line break.
  private var searched = 0
  private var outgoing: [UInt8] = []
  /// Why the program has ended; there may be more to read.
  private var end: Remark?
  /// Whether nothing more is reported.
  private var isOver = false

  /// Starts the program.
  package init(_ source: any ProgramSource, loop: EventLoop) {
    (self.source, self.loop) = (source, loop)
    source.startProgram { [weak self] result in
      guard case .success(let pipes) = result else {
        if case .failure(let failure) = result { self?.finish(failure.sentence) }
        return
      }
      guard let self, !isOver else {
        close(pipes.writing)
        close(pipes.reading)
        return source.stopProgram()
      }
      begin(pipes)
    }
  }

  isolated deinit { closeBoth() }

  private func begin(_ pipes: ProgramPipes) {
    (input, output) = (pipes.reading, pipes.writing)
    for descriptor in [input, output] { _ = fcntl(descriptor, F_SETFL, O_NONBLOCK) }
    source.awaitProgramEnd { [weak self] reason in
      guard let self, !isOver else { return }
      end = reason
      if isReading { read() }
    }
    if isReading { resume() }
    flush()
  }

  package func stop() {
    if isOver { return }
    isOver = true
    flush()
    closeBoth()
    source.stopProgram()
  }

  private func finish(_ reason: Remark) {
    if isOver { return }
    stop()
    ended(reason)
  }

  private func closeBoth() {
    loop.unwatch(input)
    loop.unwatch(output, for: .writing)
    for descriptor in [input, output] where descriptor >= 0 { close(descriptor) }
    (input, output) = (-1, -1)
  }

  // MARK: Reading

  private func resume() {
    deliver()
    guard isReading, !isOver else { return }
    if input >= 0 { loop.watch(input) { [weak self] in self?.read() } }
    if end != nil { read() }
  }

  private func read() {
    var chunk = [UInt8](repeating: 0, count: 65_536)
    repeat {
      let count = input < 0 ? 0 : Glibc.read(input, &chunk, chunk.count)
      if count > 0 {
        incoming += chunk[..<count]
        deliver()
      } else if count == 0 || errno != EINTR {
        if count == 0 { noteEndOfOutput() }
        // What the program has started may still have its output open.
        if let end { finish(end) }
        return
      }
      // A program that has ended writes no more: read all.
    } while end != nil && isReading && !isOver
  }

  /// A program that closes its output is of no more use.
  private func noteEndOfOutput() {
    guard input >= 0 else { return }
    loop.unwatch(input)
    close(input)
    input = -1
    if end == nil { source.stopProgram() }
  }

  private func deliver() {
    var start = incoming.startIndex
    while isReading, !isOver,
      let end = incoming[(start + searched)...].firstIndex(of: 0x0A)
    {
      let line = Array(incoming[start..<end])
      (start, searched) = (end + 1, 0)
      if line.count > BridgeLimits.line { return failTooLong() }
      received(line)
    }
    incoming.removeSubrange(..<start)
    guard isReading, !isOver else {
      searched = 0
      return
    }
    searched = incoming.count
    if searched > BridgeLimits.line { failTooLong() }
  }

  private func failTooLong() {
    finish(translated("the network's program sent a line of more than 1 MiB"))
  }

  // MARK: Writing

  package func write(_ line: [UInt8]) {
    if isOver { return }
    outgoing += line
    outgoing.append(0x0A)
    flush()
  }

  private func flush() {
    guard output >= 0 else { return }
    while !outgoing.isEmpty {
      let count = outgoing.withUnsafeBytes { Glibc.write(output, $0.baseAddress, $0.count) }
      if count > 0 {
        outgoing.removeFirst(count)
      } else if errno == EAGAIN {
        return loop.watch(output, for: .writing) { [weak self] in self?.flush() }
      } else if errno != EINTR {
        // The program no longer reads; its end comes, or its last lines.
        outgoing = []
      }
    }
    loop.unwatch(output, for: .writing)
  }
}
