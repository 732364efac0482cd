// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import Testing

@testable import Platform

/// A pipe as something to wait for.
private final class TestBell {
  private var ends: (read: Int32, write: Int32) = (-1, -1)
  var descriptor: Int32 { ends.read }

  init() {
    var pair: [Int32] = [0, 0]
    pipe(&pair)
    ends = (pair[0], pair[1])
  }

  deinit {
    close(ends.read)
    close(ends.write)
  }

  func ring() { write(ends.write, "x", 1) }

  func answer() {
    var byte: UInt8 = 0
    read(ends.read, &byte, 1)
  }

  func hangUp() {
    close(ends.write)
    ends.write = -1
  }
}

@Suite("the loop", .serialized) @MainActor struct EventLoopTests {
  @Test("a turn takes descriptors in order, then signals, then timers, then the end of the turn")
  func order() {
    let loop = EventLoop()
    let bells = [TestBell(), TestBell()]
    var seen: [String] = []
    for (index, bell) in bells.enumerated() {
      loop.watch(bell.descriptor) {
        bell.answer()
        seen.append("bell \(index)")
      }
    }
    loop.handleSignals([SIGUSR1]) { seen.append("signal \($0 == SIGUSR1)") }
    loop.after(milliseconds: 0) { seen.append("timer") }
    loop.endOfTurn {
      seen.append("end")
      loop.stop()
    }
    bells[1].ring()
    bells[0].ring()
    pthread_kill(pthread_self(), SIGUSR1)
    loop.run()
    #expect(seen == ["bell 0", "bell 1", "signal true", "timer", "end"])
  }

  @Test("a timer due while the machine was suspended runs at the first look at the clock")
  func suspended() throws {
    var time: MonotonicTime = 1_000
    let loop = EventLoop { time }
    var seen: [String] = []
    for (name, pause) in [("hour", 3_600_000), ("minute", 60_000), ("day", 86_400_000)] {
      loop.after(milliseconds: pause) { seen.append(name) }
    }
    loop.after(milliseconds: 0) {
      time = time + 3_600_000
      loop.after(milliseconds: 0) { loop.stop() }
    }
    loop.run()
    #expect(seen == ["minute", "hour"])
  }

  @Test("the kernel counts the time of a suspension for timers, too")
  func wakesFromSuspension() throws {
    let loop = EventLoop()
    let timer = loop.after(milliseconds: 3_600_000) {}
    var clocks: [String] = []
    loop.after(milliseconds: 1) {
      loop.after(milliseconds: 1) {
        let folder = "/proc/self/fdinfo"
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
          let lines = (try? String(contentsOfFile: folder + "/" + name, encoding: .utf8)) ?? ""
          clocks += lines.split(separator: "\n").filter { $0.hasPrefix("clockid:") }.map {
            String($0.dropFirst(8)).trimmingCharacters(in: .whitespaces)
          }
        }
        loop.stop()
      }
    }
    loop.run()
    loop.cancel(timer)
    // Those of other parts of this process have their own.
    #expect(clocks.contains("\(CLOCK_BOOTTIME)"), "\(clocks)")
  }

  @Test("a timer that has run does not keep the loop busy")
  func sleepsBehindATimer() {
    var alarm = TimerDescriptor()
    let now = Clock.steady()
    #expect(alarm.set(now + 1, at: now) == -1)
    var watched = pollfd(fd: alarm.descriptor, events: Int16(POLLIN), revents: 0)
    #expect(poll(&watched, 1, -1) == 1)
    alarm.fired()
    #expect(poll(&watched, 1, 0) == 0)
    #expect(alarm.set(nil, at: now + 2) == -1)
  }

  @Test("timers run in the order of their times, once, and not after they were cancelled")
  func timers() {
    let loop = EventLoop()
    var seen: [Int] = []
    let start = loop.now
    var later: TimerID?
    loop.after(milliseconds: 20) {
      seen.append(20)
      // Behind what was asked for before, which a slow machine has not come to yet.
      loop.after(milliseconds: 0) { loop.stop() }
    }
    later = loop.after(milliseconds: 10) { seen.append(10) }
    loop.after(milliseconds: 5) {
      seen.append(5)
      if let later { loop.cancel(later) }
    }
    loop.after(milliseconds: 1) {
      seen.append(1)
      loop.after(milliseconds: 0) { seen.append(0) }
    }
    loop.run()
    #expect(seen.filter { $0 != 0 } == [1, 5, 20])
    #expect(seen.count { $0 == 0 } == 1 && seen[0] == 1)
    #expect(loop.now - start >= 20)
  }

  @Test("a timer cancelled in the turn it is due does not run")
  func cancelledInItsTurn() {
    let loop = EventLoop()
    let bell = TestBell()
    var ran = false
    let timer = loop.after(milliseconds: 0) { ran = true }
    loop.watch(bell.descriptor) {
      bell.answer()
      loop.cancel(timer)
      loop.after(milliseconds: 1) { loop.stop() }
    }
    bell.ring()
    loop.run()
    #expect(!ran)
  }

  @Test("without timers the loop sleeps until something comes: one turn for one ring")
  func noPolling() {
    let loop = EventLoop()
    let bell = TestBell()
    var turns = 0
    var rings = 0
    loop.endOfTurn { turns += 1 }
    loop.watch(bell.descriptor) {
      bell.answer()
      rings += 1
      if rings < 3 { bell.ring() } else { loop.stop() }
    }
    bell.ring()
    loop.run()
    #expect(rings == 3)
    // The third turn ends with `stop`, which leaves its end out.
    #expect(turns == 2)
  }

  @Test("a long timer does not make the loop turn before its time")
  func oneTurnPerTimer() {
    let loop = EventLoop()
    var turns = 0
    loop.endOfTurn { turns += 1 }
    loop.after(milliseconds: 15) {
      loop.after(milliseconds: 0) { loop.stop() }
    }
    loop.run()
    #expect(turns == 1)
  }

  @Test("a watch ended by an earlier body of the turn is not called")
  func unwatching() {
    let loop = EventLoop()
    let (one, other) = (TestBell(), TestBell())
    var calls = 0
    loop.watch(one.descriptor) {
      one.answer()
      loop.unwatch(one.descriptor)
      loop.unwatch(other.descriptor)
      loop.after(milliseconds: 1) { loop.stop() }
    }
    loop.watch(other.descriptor) { calls += 1 }
    one.ring()
    other.ring()
    loop.run()
    #expect(calls == 0)
  }

  @Test("a second watch replaces the first, and hanging up is reported")
  func hangUp() {
    let loop = EventLoop()
    let bell = TestBell()
    var seen: [String] = []
    loop.watch(bell.descriptor) { seen.append("first") }
    loop.watch(bell.descriptor) {
      seen.append("second")
      loop.stop()
    }
    bell.hangUp()
    loop.run()
    #expect(seen == ["second"])
  }

  @Test("a descriptor closed without notice does not keep the loop busy")
  func closed() {
    let loop = EventLoop()
    // It has its own descriptors before this one's number is free again.
    loop.after(milliseconds: 1) { loop.stop() }
    loop.run()
    let descriptor = dup(0)
    var turns = 0
    loop.watch(descriptor) { Issue.record("a closed descriptor was reported") }
    close(descriptor)
    loop.endOfTurn { turns += 1 }
    loop.after(milliseconds: 10) { loop.stop() }
    loop.run()
    #expect(turns <= 2)
  }

  @Test("nothing is called after the loop was stopped, and it can run again")
  func stopping() {
    let loop = EventLoop()
    var seen: [String] = []
    loop.endOfTurn { seen.append("end") }
    loop.after(milliseconds: 0) {
      seen.append("stop")
      loop.stop()
    }
    loop.after(milliseconds: 0) { seen.append("second") }
    loop.run()
    #expect(seen == ["stop"])
    let bells = [TestBell(), TestBell()]
    for bell in bells {
      loop.watch(bell.descriptor) {
        seen.append("bell")
        loop.stop()
      }
      bell.ring()
    }
    withExtendedLifetime(bells) { loop.run() }
    #expect(seen == ["stop", "bell"])
  }

  @Test("handled signals are blocked except while a child is started")
  func signalMask() {
    let loop = EventLoop()
    loop.handleSignals([SIGUSR2]) { _ in }
    #expect(isBlocked(SIGUSR2))
    loop.handleSignals([SIGWINCH]) { _ in }
    #expect(isBlocked(SIGUSR2) && isBlocked(SIGWINCH))
    loop.unblockSignals()
    #expect(!isBlocked(SIGUSR2) && !isBlocked(SIGWINCH))
    loop.blockSignals()
    #expect(isBlocked(SIGUSR2) && isBlocked(SIGWINCH))
    loop.unblockSignals()
  }

  private func isBlocked(_ signal: Int32) -> Bool {
    var set = sigset_t()
    pthread_sigmask(SIG_BLOCK, nil, &set)
    return sigismember(&set, signal) == 1
  }
}
