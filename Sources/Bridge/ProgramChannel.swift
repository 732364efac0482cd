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
    didSet { if isReading != oldValue { mayRead ? resume() : loop.unwatch(input) } }
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
  /// How many bytes of its output may be from before its end: what its children write later does
  /// not count.
  private var left = Int.max
  /// Whether nothing more is reported.
  private var isOver = false
  private var run = 0
  /// Whether so much waits for the program that nothing is read from it.
  private var isHeld = false
  private var patience: TimerID?

  /// Starts the program.
  package init(_ source: any ProgramSource, loop: EventLoop) {
    (self.source, self.loop) = (source, loop)
    run = source.startProgram { [weak self] result in
      guard case .success(let pipes) = result else {
        if case .failure(let failure) = result { self?.finish(failure.sentence) }
        return
      }
      guard let self, !isOver else {
        close(pipes.writing)
        close(pipes.reading)
        return
      }
      begin(pipes)
    }
  }

  isolated deinit { closeBoth() }

  private func begin(_ pipes: ProgramPipes) {
    (input, output) = (pipes.reading, pipes.writing)
    for descriptor in [input, output] { _ = fcntl(descriptor, F_SETFL, O_NONBLOCK) }
    source.awaitProgramEnd(of: run) { [weak self] reason in
      guard let self, !isOver else { return }
      end = reason
      left = Int(max(fcntl(input, Self.pipeSize), 65_536))
      if mayRead { read() }
    }
    if mayRead { resume() }
    flush()
  }

  package func stop() {
    if isOver { return }
    isOver = true
    flush()
    closeBoth()
    if let patience { loop.cancel(patience) }
    source.stopProgram(run)
  }

  /// `F_GETPIPE_SZ`, which Swift does not see.
  private static let pipeSize: Int32 = 1032

  private var mayRead: Bool { isReading && !isHeld }

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
    guard mayRead, !isOver else { return }
    if input >= 0 { loop.watch(input) { [weak self] in self?.read() } }
    if end != nil { read() }
  }

  private func read() {
    var chunk = [UInt8](repeating: 0, count: 65_536)
    repeat {
      let count = input < 0 ? 0 : Glibc.read(input, &chunk, chunk.count)
      if count > 0 {
        incoming += chunk[..<count]
        if end != nil { left -= count }
        deliver()
        if let end, left <= 0, mayRead { return finish(end) }
      } else if count == 0 || errno != EINTR {
        if count == 0 { noteEndOfOutput() }
        // What the program has started may still have its output open.
        if let end { finish(end) }
        return
      }
      // A program that has ended writes no more: read all.
    } while end != nil && mayRead && !isOver
  }

  /// A program that closes its output is of no more use.
  private func noteEndOfOutput() {
    guard input >= 0 else { return }
    loop.unwatch(input)
    close(input)
    input = -1
    if end == nil { source.stopProgram(run) }
  }

  private func deliver() {
    var start = incoming.startIndex
    while mayRead, !isOver,
      let end = incoming[(start + searched)...].firstIndex(of: 0x0A)
    {
      let line = Array(incoming[start..<end])
      (start, searched) = (end + 1, 0)
      if line.count > BridgeLimits.line { return failTooLong() }
      received(line)
    }
    incoming.removeSubrange(..<start)
    guard mayRead, !isOver else {
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
    if backlog > BridgeLimits.backlog { hold() }
  }

  /// Reads no more from a program that does not read: each of its lines may need an answer. One that
  /// takes nothing for too long is ended.
  private func hold() {
    if isHeld || isOver { return }
    isHeld = true
    loop.unwatch(input)
    let waiting = backlog
    loop.schedule(&patience, at: loop.now + BridgeLimits.patience) { [weak self] in
      guard let self, isHeld else { return }
      isHeld = false
      if backlog < waiting { return backlog > BridgeLimits.backlog ? hold() : resume() }
      finish(
        filled(
          (
            "the network's program has not read for %1 s what hobnob writes to it",
            [String(BridgeLimits.patience / 1000)]
          )))
    }
  }

  private func release() {
    guard isHeld, backlog <= BridgeLimits.backlog else { return }
    isHeld = false
    if let patience { loop.cancel(patience) }
    resume()
  }

  private func flush() {
    guard output >= 0 else { return }
    while !outgoing.isEmpty {
      let count = outgoing.withUnsafeBytes { Glibc.write(output, $0.baseAddress, $0.count) }
      if count > 0 {
        outgoing.removeFirst(count)
      } else if errno == EAGAIN {
        release()
        return loop.watch(output, for: .writing) { [weak self] in self?.flush() }
      } else if errno != EINTR {
        // The program no longer reads; its end comes, or its last lines.
        outgoing = []
      }
    }
    loop.unwatch(output, for: .writing)
    release()
  }
}
