// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import Platform
import Sentences
import Testing

@testable import Bridge
@testable import Networks

/// Starts a script in this process, without the one that is outside the sandbox.
@MainActor
private final class Scripts: ProgramSource {
  let loop: EventLoop
  let folder: String
  let path: String
  private var run: ProgramRun?
  private var ended: ((Remark) -> Void)?

  init(_ script: String, loop: EventLoop) throws {
    self.loop = loop
    folder = FileManager.default.temporaryDirectory.path + "/hobnob-test-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    path = folder + "/hobnob-net-x"
    try ("#!/bin/sh\n" + script).write(toFile: path + ".text", atomically: true, encoding: .utf8)
    // By another process: a file that this one has written cannot be started while a child that is
    // being forked has it open.
    let copying = try #require(ChildProcess.start(["cp", path + ".text", path]))
    waitpid(copying, nil, 0)
    chmod(path, 0o700)
  }

  func startProgram(_ then: @escaping (Result<ProgramPipes, PasswordFailure>) -> Void) -> Int {
    guard let run = try? ProgramRun(path, in: folder, loop: loop, grace: 50) else {
      then(.failure(.settings("it cannot be started")))
      return 1
    }
    run.ended = { [weak self] in self?.ended?($0) }
    self.run = run
    then(.success(run.pipes))
    return 1
  }

  func awaitProgramEnd(of number: Int, _ then: @escaping (Remark) -> Void) { ended = then }
  func stopProgram(_ number: Int) { run?.stop() }
  isolated deinit { try? FileManager.default.removeItem(atPath: folder) }
}

@MainActor
@Suite("14.13: The lines to and from a program") struct ProgramChannelTests {
  private let loop = EventLoop()

  /// Runs until the channel ends.
  private func lines(
    of script: String, _ work: (ProgramChannel) -> Void = { _ in }
  ) throws -> (lines: [String], reason: String) {
    let scripts = try Scripts(script, loop: loop)
    let channel = ProgramChannel(scripts, loop: loop)
    var (lines, reason) = ([String](), "")
    channel.received = { lines.append(String(decoding: $0, as: UTF8.self)) }
    channel.ended = {
      reason = $0.text
      loop.stop()
    }
    work(channel)
    withExtendedLifetime((scripts, channel)) { loop.run() }
    return (lines, reason)
  }

  @Test("what a program writes before its end arrives whole, then the reason")
  func deliversAllBeforeTheEnd() throws {
    let (lines, reason) = try lines(of: "seq 20000; printf 'half a line'; echo no more >&2; exit 3")
    #expect(lines == (1...20_000).map(String.init))
    #expect(reason == "hobnob-net-x ended with status 3: no more")
  }

  @Test("long lines go both ways, and nothing waits for a program that does not read")
  func passesLongLines() throws {
    let long = [UInt8](repeating: UInt8(ascii: "x"), count: 900_000)
    let (lines, _) = try lines(of: "sleep 0.1; head -c 900001; head -c 1 | wc -c") { channel in
      channel.write(long)
      #expect(channel.backlog > 100_000)
      channel.write([])
    }
    #expect(lines.map(\.utf8.count).first == 900_000 && lines.count == 2)
  }

  @Test("a line of more than 1 MiB ends it")
  func refusesEndlessLines() throws {
    let (lines, reason) = try lines(of: "echo one; yes | tr -d '\\n'")
    #expect(lines == ["one"])
    #expect(reason == "the network's program sent a line of more than 1 MiB")
  }

  @Test("while it is not read, nothing arrives, and later all")
  func holdsLinesBack() throws {
    var isEarly = true
    let (lines, _) = try lines(of: "seq 30000") { channel in
      let former = channel.received
      channel.received = {
        #expect(!isEarly)
        former($0)
      }
      channel.isReading = false
      loop.after(milliseconds: 200) {
        isEarly = false
        channel.isReading = true
      }
    }
    #expect(lines.count == 30_000)
  }

  @Test("what was read with a line waits as well once nothing more is to be read")
  func stopsWithinWhatItHas() throws {
    var (pauses, isPaused, early) = (0, false, 0)
    let (lines, _) = try lines(of: "seq 30000") { channel in
      let former = channel.received
      channel.received = {
        if isPaused { early += 1 }
        former($0)
        if pauses == 3 { return }
        // As while the store is locked.
        (pauses, isPaused) = (pauses + 1, true)
        channel.isReading = false
        loop.after(milliseconds: 0) {
          isPaused = false
          channel.isReading = true
        }
      }
    }
    #expect(pauses == 3 && early == 0)
    #expect(lines == (1...30_000).map(String.init))
  }

  @Test("what a child writes after the program's end does not keep it open")
  func ignoresChildren() throws {
    let (lines, reason) = try lines(of: "echo one; setsid yes later & sleep 0.1; exit 3")
    #expect(lines.first == "one")
    #expect(reason.hasPrefix("hobnob-net-x ended with status 3"))
  }

  @Test("a program that does not read is not read either")
  func holdsASlowReader() throws {
    let line = [UInt8](repeating: UInt8(ascii: "x"), count: 900_000)
    var counts: [Int] = []
    let (lines, _) = try lines(
      of:
        "while read -r x; do break; done; echo early; sleep 0.3; cat > /dev/null & sleep 0.5; echo late"
    ) { channel in
      channel.write([])
      for _ in 0..<3 { channel.write(line) }
      let former = channel.received
      channel.received = {
        counts.append(channel.backlog)
        former($0)
      }
    }
    #expect(lines == ["early", "late"])
    #expect(counts.allSatisfy { $0 <= BridgeLimits.backlog })
  }

  @Test("a program that only closes its output is ended")
  func endsTheMute() throws {
    let (_, reason) = try lines(of: "exec >&-; sleep 300")
    #expect(reason.hasPrefix("hobnob-net-x ended with status 143"))
  }
}
